"""The parallel modes: what each is, and what it needs.  No torch here, so that pages and ``--help`` stay light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """One way to share out the work.

    Attributes
    ----------
    name, title : str
        As on the command line, and for people.
    text : str
        One sentence.
    ranked : bool
        Whether it runs as several processes under torchrun.
    gpus : int
        CUDA GPUs it cannot do without.
    exact : bool
        Whether it ends with the bytes of ``single``.
    """

    name: str
    title: str
    text: str
    ranked: bool = False
    gpus: int = 0
    exact: bool = False

    def missing(self, gpus_found: int) -> str:
        """Return what the machine lacks for this mode, in words; empty if nothing."""
        if gpus_found >= self.gpus:
            return ""
        return f"needs {self.gpus} CUDA GPUs; {gpus_found or 'none'} found"


MODES: dict[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("single", "Single", "Everything on one device, one after the other.", exact=True),
        Mode("batched", "Batched candidates", "Several prune candidates at once in one computation on one device."),
        Mode(
            "data_parallel",
            "DataParallel",
            "torch.nn.DataParallel: one process scatters the rows over several GPUs.",
            gpus=2,
        ),
        Mode(
            "ddp",
            "DistributedDataParallel",
            "torch.nn.parallel.DistributedDataParallel: rows shared out over processes.",
            ranked=True,
        ),
        Mode(
            "row_parallel",
            "Row-parallel",
            "Rows shared out over processes, sums in a fixed order: bit for bit the network of Single.",
            ranked=True,
            exact=True,
        ),
        Mode("model_parallel", "Model-parallel", "Hidden nodes shared out over processes.", ranked=True),
        Mode(
            "candidate_parallel",
            "Candidate-parallel",
            "Prune candidates shared out over processes: bit for bit the network of Single.",
            ranked=True,
            exact=True,
        ),
        Mode(
            "auto",
            "Auto",
            "Chosen before learning begins, by timing one step in each mode that may pay on this machine.",
        ),
    )
}
