"""The constants of the modules, in standardised units, gathered from the configuration."""

from __future__ import annotations

from dataclasses import dataclass, field

from plm_engine.config import Config
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.gap import GapSearch


@dataclass(frozen=True)
class LearningOptions:
    """What the modules need to know.

    Attributes
    ----------
    goal : float
        eps in standardised units.
    pick, pick_share : int, float or None
        New rows a round; or as a share of the rows not learned yet.
    epochs, regularizing_epochs : int
        Most kept steps of understanding and of regularizing.
    penalty : float
        lambda of regularizing.
    two_sided : bool
        Whether interpreting adds its second node.
    tent : str
        ``"offset"`` or ``"symmetric"`` cramming.
    max_nodes, max_rounds : int or None
        Budget.
    organize_candidates : int or None
        Nodes that organizing tries in a round; all if None.
    shared_nodes : int
        Nodes that all picked rows share, tried before rows are crammed one by one; 0: none.
    common_search : bool
        Whether crammed rows look for wide gaps along the same random directions.
    seed : int
        Of the random directions of cramming.
    order : str
        ``"lts"`` picking, or ``"random"`` (ablation).
    reorganizing : bool
        Whether organizing tries to drop nodes (off: ablation).
    """

    goal: float
    pick: int = 5
    pick_share: float | None = None
    epochs: int = 50
    regularizing_epochs: int = 50
    penalty: float = 1e-3
    two_sided: bool = False
    tent: str = "offset"
    search: GapSearch = field(default_factory=GapSearch)
    sizes: StepSizes = field(default_factory=StepSizes)
    max_nodes: int | None = None
    max_rounds: int | None = None
    seed: int = 0
    order: str = "lts"
    reorganizing: bool = True
    organize_candidates: int | None = None
    shared_nodes: int = 0
    common_search: bool = False

    @classmethod
    def from_config(cls, config: Config, goal: float) -> LearningOptions:
        """Gather from a configuration; ``goal`` is already in standardised units."""
        return cls(
            goal=goal,
            pick=config.pick,
            pick_share=None if config.pick_share is None else config.pick_share / 100,
            epochs=config.epochs,
            regularizing_epochs=config.regularizing_epochs,
            penalty=config.regularizing_lambda,
            two_sided=config.interpreting == "two-sided",
            tent=config.cramming,
            search=GapSearch(config.cramming_draws, config.cramming_ascent),
            sizes=StepSizes(config.first_step, config.step_floor, config.step_growth, config.step_shrink),
            max_nodes=config.max_nodes,
            max_rounds=config.max_rounds,
            seed=config.seed,
            order=config.picking,
            reorganizing=config.reorganizing,
            organize_candidates=config.organize_candidates,
            shared_nodes=config.cramming_shared,
            common_search=config.cramming_search == "common",
        )
