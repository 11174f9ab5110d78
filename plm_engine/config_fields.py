"""The options of a run, each with its default, unit, range, choices and one sentence; ``config`` adds the rules."""

from __future__ import annotations

from dataclasses import dataclass

from plm_engine.modes import MODES
from plm_engine.options import option


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The fields of :class:`plm_engine.config.Config`; use that class."""

    # what to learn
    data: str = option("", str, "File, or name of a bundled table, to learn from.", group="data", metavar="FILE|NAME")
    sheet: str | None = option(
        None, str, "Sheet of a workbook; the first one with a table if not given.", optional=True, group="data"
    )
    encoding: str | None = option(
        None, str, "Character encoding of a text file; found out if not given.", optional=True, group="data"
    )
    separator: str | None = option(
        None, str, "Character between the columns of a text file; found out if not given.", optional=True, group="data"
    )
    decimal: str | None = option(
        None,
        str,
        "Decimal mark of a text file; found out if not given.",
        choices=(".", ","),
        optional=True,
        group="data",
    )
    date_format: str | None = option(
        None,
        str,
        "Order of day, month and two-digit year in dates such as 03/04/2021 or 21-04-03.",
        choices=("day-first", "month-first", "year-first"),
        optional=True,
        group="data",
    )
    missing_codes: tuple[str, ...] = option(
        (), tuple, "Numbers that stand for a missing value, such as -999.", group="data"
    )
    duplicate_dates: str | None = option(
        None,
        str,
        "Which row to keep where a date occurs more than once.",
        choices=("first", "last", "all"),
        optional=True,
        group="data",
    )
    target: str | None = option(None, str, "Column to forecast.", optional=True, group="data", metavar="COL")
    drivers: tuple[str, ...] = option(
        (), tuple, "Columns to forecast from; every other numeric column if not given.", group="data"
    )
    date: str | None = option(
        None,
        str,
        "Column with the date of each row; puts the rows in time order.",
        optional=True,
        group="data",
        metavar="COL",
    )
    latest_price: str | None = option(
        None,
        str,
        "Column with the latest price known when the forecast is made.",
        optional=True,
        group="data",
        metavar="COL",
    )
    split: str = option(
        "chronological",
        str,
        "Test on the newest rows, or on rows drawn at random (which leaks).",
        choices=("chronological", "random"),
        group="data",
    )
    test_rows: int | None = option(
        None, int, "Rows held back for the test.", unit="rows", low=0, optional=True, group="data"
    )
    test_share: float | None = option(
        None,
        float,
        "Share of the rows held back for the test (20 if not given).",
        unit="%",
        low=0,
        high=95,
        optional=True,
        group="data",
    )
    horizon: int | None = option(
        None,
        int,
        "Rows between the latest known target and the row forecast; h - 1 training rows just before the split are "
        "left out (1 if not given, 4 for the thesis's copper table).",
        unit="rows",
        low=1,
        high=10_000,
        optional=True,
        group="data",
    )

    # the goal
    goal: float | None = option(
        None,
        float,
        "Learning goal (eps): largest allowed error of a learned row.",
        unit="of the target",
        low=0,
        optional=True,
        group="goal",
    )
    goal_percent: float | None = option(
        None,
        float,
        "Learning goal as a share of the training target's range (10 if neither is given).",
        unit="%",
        low=0,
        high=100,
        optional=True,
        group="goal",
    )

    goal_auto: bool = option(
        False,
        bool,
        "Let the goal and the first network be chosen by forecasts inside the training rows (--goal auto).",
        group="goal",
    )
    predict: str = option(
        "level",
        str,
        "Learn the target itself, or its change or log change against the latest price; forecasts are levels anyway.",
        choices=("level", "change", "log-change"),
        group="goal",
    )

    # the modules
    start: str = option(
        "least-squares",
        str,
        "First network: the linear regression (as published), a ridge regression whose penalty is chosen inside the "
        "training rows, or the latest price.",
        choices=("least-squares", "ridge", "persistence"),
    )
    picking: str = option(
        "lts",
        str,
        "Order in which rows are picked: smallest errors first (as published), or at random (to see what the order is "
        "worth).",
        choices=("lts", "random"),
    )
    reorganizing: bool = option(True, bool, "Try to drop every node in turn; off shows what that is worth.")
    pick: int = option(1, int, "New rows picked in each round.", unit="rows", low=1, high=1_000_000)
    pick_share: float | None = option(
        None,
        float,
        "New rows picked in each round as a share of those not learned yet (--pick 5%); counts instead of --pick.",
        unit="%",
        low=0.0001,
        high=100,
        optional=True,
    )
    interpreting: str = option(
        "one-sided",
        str,
        "First network: flat below the lowest training target (as "
        "published), or two-sided, which is linear everywhere.",
        choices=("one-sided", "two-sided"),
    )
    epochs: int = option(
        50, int, "Longest understanding: kept steps before it gives up.", unit="steps", low=1, high=100_000
    )
    regularizing_epochs: int = option(50, int, "Longest regularizing: kept steps.", unit="steps", low=0, high=100_000)
    regularizing_lambda: float = option(
        1e-3, float, "Weight of the penalty on squared weights (lambda).", low=0, high=1e6
    )
    cramming: str = option(
        "offset",
        str,
        "Shape of the tent of three nodes that fits a row: offset keeps the row off "
        "every kink, symmetric is the published one.",
        choices=("offset", "symmetric"),
    )
    cramming_draws: int = option(
        200, int, "Random directions drawn for each crammed row.", unit="draws", low=1, high=100_000
    )
    cramming_ascent: int = option(
        200, int, "Steps that widen the gap along the best directions.", unit="steps", low=0, high=100_000
    )

    cramming_shared: int = option(
        0,
        int,
        "Nodes shared by all picked rows that are tried, up to sixteen times as many, before rows are crammed one by "
        "one; for picking very many rows at once (0: none, as published).",
        unit="nodes",
        low=0,
        high=10_000,
    )
    cramming_search: str = option(
        "own",
        str,
        "Directions in which crammed rows look for a gap: drawn for each row, or common to all of a round (much faster "
        "for very many rows, narrower gaps).",
        choices=("own", "common"),
    )
    organize_candidates: int | None = option(
        None,
        int,
        "Nodes that organizing tries to drop in one round, in turn from round to round; all if not given.",
        unit="nodes",
        low=1,
        high=1_000_000,
        optional=True,
    )

    # the steps of weight tuning
    first_step: float = option(1e-3, float, "First step size (eta) of every tuning.", low=1e-12, high=10, group="steps")
    step_floor: float = option(
        1e-6, float, "Step size below which tuning has stalled.", low=1e-15, high=10, group="steps"
    )
    step_growth: float = option(1.2, float, "Factor on the step size after a kept step.", low=1, high=10, group="steps")
    step_shrink: float = option(
        0.7, float, "Factor on the step size after an undone step.", low=0.01, high=0.99, group="steps"
    )
    adam_beta1: float = option(0.9, float, "Decay of Adam's first moment.", low=0, high=0.9999, group="steps")
    adam_beta2: float = option(0.999, float, "Decay of Adam's second moment.", low=0, high=0.999999, group="steps")
    adam_epsilon: float = option(
        1e-8, float, "Adam's guard against division by zero.", low=1e-30, high=1, group="steps"
    )

    # an earlier run
    continue_run: str | None = option(
        None,
        str,
        "Go on from the network of this run, on a table with the same columns and more rows.",
        optional=True,
        group="earlier",
        metavar="RUN",
    )
    drop_oldest: int = option(
        0,
        int,
        "Oldest training rows to leave out, such as when going on.",
        unit="rows",
        low=0,
        high=10**9,
        group="earlier",
    )
    train_anew: bool = option(
        True,
        bool,
        "After going on, also train anew on the same rows, to measure what going on saved.",
        group="earlier",
    )

    # the budget
    max_minutes: float | None = option(
        None,
        float,
        "End the run after this long, with the network so far.",
        unit="min",
        low=0.01,
        high=100_000,
        optional=True,
        group="budget",
    )
    max_nodes: int | None = option(
        None,
        int,
        "End the run before it needs more hidden nodes than this.",
        unit="nodes",
        low=1,
        high=100_000,
        optional=True,
        group="budget",
    )
    max_rounds: int | None = option(
        None,
        int,
        "End the run after this many rounds.",
        unit="rounds",
        low=1,
        high=10_000_000,
        optional=True,
        group="budget",
    )

    # the machine
    dtype: str = option("float64", str, "Precision of the arithmetic.", choices=("float64", "float32"), group="machine")
    device: str = option(
        "auto",
        str,
        "Where to compute; auto takes CUDA where there is one.",
        choices=("auto", "cpu", "cuda"),
        group="machine",
    )
    mode: str = option(
        "single",
        str,
        "How the work is shared out over processors.",
        choices=tuple(MODES),
        group="machine",
    )
    scope: str = option(
        "organizing",
        str,
        "Modules that the mode works in: organizing only, as in the thesis, or all.",
        choices=("organizing", "all"),
        group="machine",
    )
    workers: int = option(
        1, int, "Worker processes, or GPUs for data_parallel.", unit="processes", low=1, high=1024, group="machine"
    )
    seed: int = option(
        0,
        int,
        "Start of the random numbers; the same seed gives the same network.",
        low=0,
        high=2**63 - 1,
        group="machine",
    )
    log_to: str | None = option(
        None, str, "Tool to log the run to, too: tensorboard[:FOLDER], mlflow[:ADDRESS].", optional=True, group="doors"
    )
