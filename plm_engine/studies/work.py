"""One part of a study: loads the data, fits the models, keeps the result as ``parts/NAME.json`` in the run's folder.

A part is a function of configuration, study and name only, so that it can be done in any process and any order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.samples import load
from plm_engine.evaluation.backtest import Plan, forecast_origin
from plm_engine.evaluation.compare import compare
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.goal import Candidate, Choice, choose
from plm_engine.evaluation.rivals import rivals
from plm_engine.forecasting import Stopped, rplm, rplm_candidate
from plm_engine.store.paths import read_json, write_json
from plm_engine.store.sqlite import CANCEL
from plm_engine.studies.plan import (
    ABLATE,
    BACKTEST,
    ORGANIZED,
    RPLM,
    SEED,
    TRAINED,
    VARIANTS,
    Part,
    Study,
    split_configs,
)

#: origins of a backtest in one part, where no goal is chosen for several of them
ORIGINS_A_PART = 4


def parts_of(study: Study, config: Config) -> list[Part]:
    """Return all parts of a study; reads the data once."""
    if study.kind == BACKTEST:
        prepared = prepare(load(config), config.replace(test_rows=0, test_share=None, split="chronological"))
        origins = plan_of(study, prepared.horizon).origins(len(prepared.rows))
        size = study.rechoose_every if config.goal_auto else ORIGINS_A_PART
        groups = [origins[k : k + size] for k in range(0, len(origins), size)]
        return [Part(tuple(f"origin_{o:06d}" for o in group), origins=tuple(group)) for group in groups]
    splits = range(len(split_configs(study, config)))
    if study.kind == ABLATE:
        names = list(enumerate(VARIANTS))
        return [
            Part((f"split_{s:03d}_seed_{k:03d}_variant_{v}",), split=s, seed=k, variant=name)
            for s in splits
            for k in range(study.seeds)
            for v, name in names
        ]
    return [Part(tuple(f"split_{s:03d}_seed_{k:03d}" for k in range(study.seeds)), split=s) for s in splits]


def plan_of(study: Study, horizon: int) -> Plan:
    """Return the plan of a backtest."""
    return Plan(study.first_origin, study.step, horizon, study.window, study.window_rows, study.rechoose_every)


def do_part(run_dir: Path, config: Config, study: Study, part: Part) -> None:
    """Do one part; pieces that are kept already are not done again.

    Raises
    ------
    Stopped
        If the run is asked to end; what is kept so far stays.
    """
    folder = run_dir / "parts"
    folder.mkdir(exist_ok=True)

    def stop() -> bool:
        return (run_dir / CANCEL).exists()

    for name, value in _pieces(folder, config, study, part, stop):
        if stop():
            raise Stopped
        write_json(folder / f"{name}.json", value)


def _pieces(
    folder: Path, config: Config, study: Study, part: Part, stop: Callable[[], bool]
) -> Iterator[tuple[str, dict[str, Any]]]:
    missing = [name for name in part.pieces if not (folder / f"{name}.json").exists()]
    if not missing:
        return
    if study.kind == BACKTEST:
        yield from _origins(folder, config, study, part, stop)
        return
    split_config = split_configs(study, config)[part.split]
    prepared = prepare(load(split_config), split_config)
    if study.kind == ABLATE:
        yield part.pieces[0], _ablation(prepared, split_config, study, part, stop)
    else:
        yield from _comparisons(folder, prepared, split_config, config.seed, study, part, stop)


def _origins(
    folder: Path, config: Config, study: Study, part: Part, stop: Callable[[], bool]
) -> Iterator[tuple[str, dict[str, Any]]]:
    everything = config.replace(test_rows=0, test_share=None, split="chronological")
    prepared = prepare(load(everything), everything)
    sample, plan = Sample.of(prepared), plan_of(study, prepared.horizon)
    fits: dict[str, Fit] = rivals(nodes=study.width, seed=config.seed)
    choice = None
    if config.goal_auto:
        known = sample.take(plan.train(part.origins[0]))
        choice = yield from _chosen(folder, f"choice_{part.origins[0]:06d}", known, config, None, stop)
    fits.update(network_fits(config, study, choice, stop))
    for name, origin in zip(part.pieces, part.origins, strict=True):
        if not (folder / f"{name}.json").exists():
            yield name, forecast_origin(sample, plan, origin, fits)


def _comparisons(
    folder: Path, prepared: Prepared, config: Config, seed: int, study: Study, part: Part, stop: Callable[[], bool]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Compare on one split, once for each seed; what does not depend on the seed is fitted with the first only."""
    train, test = Sample.of(prepared, "train"), Sample.of(prepared, "test")
    choice, shuffled = None, config.seed if config.split == "random" else None
    if config.goal_auto:
        choice = yield from _chosen(folder, f"choice_{part.split:03d}", train, config, shuffled, stop)
    for k, name in enumerate(part.pieces):
        if (folder / f"{name}.json").exists():
            continue
        own = config.replace(seed=(seed if study.splits else config.seed) + k)
        one_seed = Study.from_mapping({**study.to_mapping(), "seeds": 1})
        fits: dict[str, Fit] = rivals(nodes=study.width, seed=own.seed)
        if k:  # persistence again, for the skill of the others
            fits = {key: fits[key] for key in ("persistence", "backpropagation")}
        fits.update(network_fits(own, one_seed, choice, stop))
        first = k == 0
        lines = compare(
            train,
            test,
            fits,
            level=study.level if first else None,
            importance_repeats=study.importance if first else 0,
            shuffled_seed=shuffled,
        )
        yield (
            name,
            {
                "split": part.split,
                "seed": own.seed,
                "leaking": config.split == "random",
                "rows": test.rows.tolist(),
                "actual": test.y.tolist(),
                "n_train": len(train),
                "n_test": len(test),
                "lines": [line for line in lines if first or line["model"] != "persistence"],
            },
        )


def _chosen(
    folder: Path, name: str, train: Sample, config: Config, shuffled_seed: int | None, stop: Callable[[], bool]
) -> Generator[tuple[str, dict[str, Any]], None, dict[str, Any]]:
    """Return the choice of goal and start that is kept under this name; a new one is made, and yielded to be kept."""
    choice: dict[str, Any] = read_json(folder / f"{name}.json")
    if not choice:
        choice = choose_for(train, config, shuffled_seed, stop).to_mapping()
        yield name, choice
    return choice


def _ablation(prepared: Prepared, config: Config, study: Study, part: Part, stop: Callable[[], bool]) -> dict[str, Any]:
    train, test = Sample.of(prepared, "train"), Sample.of(prepared, "test")
    changed = config.replace(seed=config.seed + part.seed, **VARIANTS[part.variant])
    fits: dict[str, Fit] = {"persistence": rivals()["persistence"], part.variant: rplm(changed, stop)}
    lines = compare(train, test, fits)
    return {"split": part.split, "seed": changed.seed, "leaking": config.split == "random", "lines": lines[1:]}


def choose_for(train: Sample, config: Config, shuffled_seed: int | None, stop: Callable[[], bool]) -> Choice:
    """Choose goal and start inside training rows."""
    return choose(train, lambda candidate: rplm_candidate(config, candidate, stop), shuffled_seed=shuffled_seed)


def network_fits(
    config: Config, study: Study, choice: dict[str, Any] | None, stop: Callable[[], bool]
) -> dict[str, Fit]:
    """Return the network's fit functions, one for each seed; with a choice also the best that trained."""
    named: dict[str, Callable[[Config], Fit]] = {}
    if choice is None:
        named[RPLM] = lambda own: rplm(own, stop)
    else:
        for name, which in ((RPLM, "best"), (TRAINED, "best_trained"), (ORGANIZED, "best_organized")):
            candidate = candidate_of(choice[which])
            if candidate is not None:
                named[name] = partial(rplm_candidate, candidate=candidate, stop=stop)
    fits: dict[str, Fit] = {}
    for name, make in named.items():
        for k in range(study.seeds):
            shown = name if study.seeds == 1 else f"{name}{SEED}{config.seed + k})"
            fits[shown] = make(config.replace(seed=config.seed + k))
    return fits


def candidate_of(chosen: dict[str, Any] | None) -> Candidate | None:
    """Rebuild a candidate from a kept choice."""
    if chosen is None:
        return None
    return Candidate(chosen["start"], chosen["predict"], chosen["share"], chosen["organizing"])
