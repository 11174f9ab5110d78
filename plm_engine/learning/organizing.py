"""Organizing: smaller weights and fewer hidden nodes, with everything learned staying learned.

ALGORITHM section 5.  For k = 1, 2, ...: (a) *regularizing*; (b) *reorganizing*: drop node k and run understanding on
the rest.  Acceptable -> the node was redundant: keep the smaller network and stay at the same k.  Otherwise restore
the weights after (a) and go to k + 1.  Ends when every remaining node was tried; never below one node.
Regularizing is skipped only where its previous call kept no step and neither network nor I changed since.

Speculation: a strategy that likes several candidates at once gets candidates k .. k + W - 1, prepared as if none
before them were accepted: (a) is followed in a chain, as the plain algorithm would after W refusals.  The first
acceptance wins and later results are thrown away, so the sequence of networks is the plain algorithm's; W = 1 *is*
the plain algorithm.

Between two passes (network, k, settled) says all: from there organizing can go on in another process.

Option ``organize_candidates`` (off by default) ends organizing after so many nodes were tried: it dominates the time,
and its network is acceptable at every moment.

Bound: every pass of the loop drops a node or moves k on, so there are at most 2 p passes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from plm_engine.events import NodeTried, Phase
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.outcome import Outcome
from plm_engine.learning.regularizing import Regularizing
from plm_engine.learning.state import START, Place
from plm_engine.learning.understanding import Understanding
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.strategy import Strategy


def organizing(
    network: TwoLayerNetwork,
    rows: Any,
    options: LearningOptions,
    strategy: Strategy,
    narrator: Narrator,
    stop: Callable[[], bool] = lambda: False,
    place: Place = START,
    between: Callable[[TwoLayerNetwork, Place, bool], None] = lambda network, place, stopping: None,
    interrupt: Callable[[], bool] = lambda: False,
) -> TwoLayerNetwork:
    """Return a network that is acceptable for ``rows`` as ``network`` is, with redundant nodes removed.

    Parameters
    ----------
    network : TwoLayerNetwork
        Acceptable for ``rows``.
    rows : handle of ``strategy.place``
        The picked set I.
    stop : callable
        Asked between candidates; true ends organizing early with the network so far.
    place : Place
        Where to begin: further on if organizing was interrupted.
    between : callable
        Told before every pass: the network, the place, and whether organizing ends there because of ``stop``.
    interrupt : callable
        Asked inside tunings, which take long with many rows; true ends organizing with the network of the last complete
        pass, so that an interrupted run can do this pass again.

    With ``options.reorganizing`` off (ablation) the network is regularized once and keeps all its nodes.
    """
    if not options.reorganizing:
        return _regularized(network, rows, options, strategy, narrator)[0]
    at = place
    most = options.organize_candidates or sys.maxsize
    while at.k < network.n_hidden and network.n_hidden > 1 and at.tried < most:
        stopping = strategy.agree(stop())
        between(network, at, stopping)
        if stopping:
            break
        width = min(max(strategy.candidates_at_once, 1), network.n_hidden - at.k, most - at.tried)
        kept = narrator.kept
        try:
            network, at = _pass(network, at, width, rows, options, strategy, narrator, interrupt)
        except _Interrupted:
            narrator.kept = kept
            between(network, at, True)
            break
    return network


class _Interrupted(Exception):
    """A tuning was ended because the run is to end; its pass is thrown away."""


def _pass(
    network: TwoLayerNetwork,
    at: Place,
    width: int,
    rows: Any,
    options: LearningOptions,
    strategy: Strategy,
    narrator: Narrator,
    interrupt: Callable[[], bool],
) -> tuple[TwoLayerNetwork, Place]:
    """Regularize and try the next ``width`` nodes; returns the network and where organizing stands then."""
    settled = at.settled
    chain: list[TwoLayerNetwork] = []
    for _ in range(width):
        if not settled:
            network, settled = _regularized(network, rows, options, strategy, narrator, interrupt)
        chain.append(network)
    accepted, smaller = _reorganized(chain, at.k, rows, options, strategy, narrator, interrupt)
    if smaller is None:
        return network, Place(at.k + width, settled, at.tried + width)
    return smaller, Place(at.k + accepted, False, at.tried + accepted + 1)


def _regularized(
    network: TwoLayerNetwork,
    rows: Any,
    options: LearningOptions,
    strategy: Strategy,
    narrator: Narrator,
    interrupt: Callable[[], bool] = lambda: False,
) -> tuple[TwoLayerNetwork, bool]:
    """Return the regularized network, and whether regularizing it again would do nothing."""
    told = narrator.on_step(Phase.REGULARIZING, network.n_hidden)
    rule = Regularizing(options.goal, options.regularizing_epochs, options.sizes, told, interrupt)
    with narrator.phase(Phase.REGULARIZING) as ending:
        tuned = strategy.tune(network, rows, rule, options.penalty)
        ending.outcome = str(rule.outcome)
    if rule.outcome is Outcome.STOPPED:
        raise _Interrupted
    return (tuned, False) if rule.kept else (network, True)


def _reorganized(
    chain: list[TwoLayerNetwork],
    k: int,
    rows: Any,
    options: LearningOptions,
    strategy: Strategy,
    narrator: Narrator,
    interrupt: Callable[[], bool],
) -> tuple[int, TwoLayerNetwork | None]:
    """Try to drop node k of the first network of the chain, node k + 1 of the second, and so on.

    Returns
    -------
    accepted : int
        Place in the chain of the first candidate that met the goal.
    network : TwoLayerNetwork or None
        Its tuned network; ``None`` if none met the goal.
    """
    candidates, before = [base.without(k + j) for j, base in enumerate(chain)], narrator.kept
    told = [narrator.on_step(Phase.REORGANIZING, candidate.n_hidden) for candidate in candidates]
    rules = [Understanding(options.goal, options.epochs, options.sizes, tell, interrupt) for tell in told]
    with narrator.phase(Phase.REORGANIZING, chain[0].node_ids[k]) as ending:
        tuned = strategy.tune_candidates(candidates, rows, rules)
        accepted = next((j for j, rule in enumerate(rules) if rule.met), len(rules))
        ending.outcome = str(rules[min(accepted, len(rules) - 1)].outcome)
    if any(rule.outcome is Outcome.STOPPED for rule in rules[: accepted + 1]):
        raise _Interrupted
    # steps that other processes kept are counted too, and those of candidates tuned for nothing are not
    narrator.kept = before + sum(rule.kept for rule in rules[: accepted + 1])
    for j, rule in enumerate(rules[: accepted + 1]):
        margin = (options.goal - rule.at.largest_residual) * narrator.unit
        node = chain[j].node_ids[k + j]
        narrator.emit(NodeTried(narrator.round, node, rule.met, candidates[j].n_hidden + (not rule.met), margin))
    return accepted, (tuned[accepted] if accepted < len(rules) else None)
