"""The process of a study: ``python -m plm_engine.studies.conduct RUN_DIR``, started by ``plm_engine.launch``.

Hands the parts out to processes, records how far it is, and writes ``result.json`` and ``outcome.json``.  Exit codes as
of ``plm_engine.worker``.  A cancelled study keeps its parts; ``--resume`` starts a run that takes them over.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.limits import Limits, memory_needed
from plm_engine.machine import known
from plm_engine.processes import die_with_parent
from plm_engine.store.paths import read_json, write_json
from plm_engine.store.sqlite import Store, Writer
from plm_engine.studies.plan import Part, Study
from plm_engine.worker import CANCELLED, FINISHED, USER_ERROR, CancelFlag, check_fingerprint, outcome_of

if TYPE_CHECKING:
    from plm_engine.datasets.prepare import Prepared

log = logging.getLogger(__name__)
LOOK_S = 0.2


def run(run_dir: Path) -> int:
    """Do the study to its end, write the outcome and return the exit code."""
    flag = CancelFlag(run_dir)
    signal.signal(signal.SIGTERM, flag.raise_it)
    try:
        with Writer(run_dir, wait_s=10.0, beat=True) as writer:
            result = _study(run_dir, writer, flag)
    except Exception as error:
        code, sentence = outcome_of(error)
        log.log(logging.INFO if code == USER_ERROR else logging.ERROR, sentence, exc_info=True)
        write_json(run_dir / "outcome.json", {"status": "failed", "sentence": sentence})
        return code
    if result is None:
        sentence = "Cancelled; the parts that were finished are kept, and --resume goes on from them."
        write_json(run_dir / "outcome.json", {"status": "cancelled", "sentence": sentence})
        return CANCELLED
    summary = read_json(run_dir / "summary.json")
    write_json(run_dir / "outcome.json", {"status": "finished", "sentence": result["sentence"], "summary": summary})
    return FINISHED


@dataclass
class _Telling:
    """Records how far a study is, for readers of its run, at every call."""

    run_dir: Path
    writer: Writer
    study: Study
    config: Config
    prepared: Prepared
    parts: list[Part]
    began: float

    def __call__(self, sentence: str, **more: Any) -> None:
        """Tell a sentence, and what else is given."""
        pieces = [self.run_dir / "parts" / f"{name}.json" for part in self.parts for name in part.pieces]
        summary = {
            "job": self.study.kind,
            "sentence": sentence,
            "reason": "",
            "mode": self.config.mode,
            "workers": self.study.processes(),
            "target": self.prepared.target,
            "features": list(self.prepared.features),
            "progress": {"done": sum(piece.exists() for piece in pieces), "total": len(pieces)},
            "seconds": {"total": time.monotonic() - self.began},
            "findings": [finding.sentence for finding in self.prepared.findings],
            **more,
        }
        self.writer.put_meta(summary=summary)
        write_json(self.run_dir / "summary.json", summary)


def _study(run_dir: Path, writer: Writer, flag: CancelFlag) -> dict[str, Any] | None:
    """Return the result, or None if the run was asked to end."""
    from plm_engine.datasets.prepare import prepare
    from plm_engine.datasets.samples import load
    from plm_engine.studies.results import result_of_parts
    from plm_engine.studies.work import parts_of

    began = time.monotonic()
    store = Store(run_dir.parent)
    info = store.status(run_dir.name)
    config, study = Config.to_repeat(info.config), Study.from_mapping(info.extra["job"])
    table = load(config)
    check_fingerprint(run_dir, table.sha256)
    prepared = prepare(table, config)
    # every process of a study holds all rows in memory, wherever those of a run would lie
    needed = memory_needed(
        prepared.n_used, len(prepared.features), columns=len(table.columns), workers=study.processes()
    )
    Limits.of(store.home).within(config).check_memory(needed, known(store.home).memory_bytes)
    parts = parts_of(study, config)
    folder = run_dir / "parts"
    folder.mkdir(exist_ok=True)
    if study.resume_from:
        take_over(store, study, config, info.extra.get("data") or {}, folder)
    tell = _Telling(run_dir, writer, study, config, prepared, parts, began)
    tell("Working.")
    open_parts = [part for part in parts if not all((folder / f"{n}.json").exists() for n in part.pieces)]
    for _ in _work(run_dir, config, study, open_parts, flag):
        tell("Working.")
    if flag.up:
        return None
    result = result_of_parts(folder, study, parts, prepared.horizon)
    leaks = [finding.sentence for finding in prepared.findings if finding.kind == "leak"]
    if leaks:
        result["sentence"] = f"Leakage: no error here says anything about real forecasts. {result['sentence']}"
        result["notes"] = [*leaks, *result["notes"]]
    result["seconds"] = time.monotonic() - began
    result["environment"] = {key: value for key, value in info.extra.items() if key not in ("data", "job")}
    write_json(run_dir / "result.json", result)
    tell(result["sentence"], mae={"train": None, "test": _network_mae(result)})
    return result


def _network_mae(result: dict[str, Any]) -> float | None:
    for line in result["table"]:
        if line["model"].startswith("RPLM"):
            return line["mae"] if "mae" in line else line["test_mae"]["median"]
    return None


def _work(run_dir: Path, config: Config, study: Study, parts: list[Any], flag: Callable[[], bool]) -> Iterator[None]:
    """Do the parts in processes of their own; yields now and then, and ends early when asked to."""
    if not parts:
        return
    if study.processes() == 1:
        for part in parts:
            if flag():
                return
            _do(str(run_dir), config.to_mapping(), study.to_mapping(), part)
            yield
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # the parts share the cores; read when the processes start
    pool = ProcessPoolExecutor(
        min(study.processes(), len(parts)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(os.getpid(),),
    )
    try:
        futures: set[Future[None]] = {
            pool.submit(_do, str(run_dir), config.to_mapping(), study.to_mapping(), part) for part in parts
        }
        while futures and not flag():
            done, futures = wait(futures, LOOK_S, FIRST_COMPLETED)
            for future in done:
                future.result()
            yield
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)


def _do(run_dir: str, config: dict[str, Any], study: dict[str, Any], part: Any) -> None:
    from plm_engine.forecasting import Stopped
    from plm_engine.studies.work import do_part

    try:
        do_part(Path(run_dir), Config.from_mapping(config), Study.from_mapping(study), part)
    except Stopped:
        return


def take_over(store: Store, study: Study, config: Config, data: dict[str, Any], folder: Path) -> None:
    """Copy the finished parts of another run of the same study on the same data.

    Raises
    ------
    RunError
        If it was another study, or its data were others.
    """
    other_id = store.find(str(study.resume_from))
    other = store.status(other_id)
    same = "job" in other.extra and study.same_work(Study.from_mapping(other.extra["job"]))
    if not same or Config.from_mapping(other.config) != config:
        raise RunError(f"Run {other_id} was another study than this one: start this one without --resume.")
    if (other.extra.get("data") or {}).get("sha256") != data.get("sha256"):
        raise RunError(f"The data of run {other_id} have changed since: start the study without --resume.")
    for path in sorted((store.run_dir(other_id) / "parts").glob("*.json")):
        shutil.copyfile(path, folder / path.name)


if __name__ == "__main__":
    die_with_parent()
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    sys.exit(run(Path(sys.argv[1])))
