"""Memory and limits of one run among its options; ``limits`` holds them against those of the installation."""

from __future__ import annotations

from dataclasses import dataclass

from plm_engine.options import option


@dataclass(frozen=True, kw_only=True)
class LimitFields:
    """The limits of :class:`plm_engine.config.Config`; what the installation allows where they are not given.

    The limits can only be lower than the installation's (``settings.json`` of the store), which a page's user must not
    raise.
    """

    rows_on_disk: str = option(
        "auto",
        str,
        "Let the rows lie in mapped files on the disk, so that memory stays bounded; auto does so where they would "
        "take too much memory.",
        choices=("auto", "always", "never"),
        group="machine",
    )
    max_upload_mb: float | None = option(
        None, float, "Largest data file to read.", unit="MB", low=1e-6, high=1e9, optional=True, group="limits"
    )
    max_rows: int | None = option(
        None,
        int,
        "Largest table to learn from, in rows.",
        unit="rows",
        low=1,
        high=10**12,
        optional=True,
        group="limits",
    )
    max_columns: int | None = option(
        None,
        int,
        "Largest table to learn from, in columns.",
        unit="columns",
        low=1,
        high=10**9,
        optional=True,
        group="limits",
    )
    max_memory_share: float | None = option(
        None,
        float,
        "Share of the machine's memory that the training may be expected to take.",
        low=1e-9,
        high=1,
        optional=True,
        group="limits",
    )
