"""The commands with their flags; each function is called, and imports what it needs, when its command is used."""

from __future__ import annotations

from collections.abc import Callable

from plm_engine.cli_parser import Parser

WHICH = "The run's id, or its first characters (at least 4)."


def _train(made: Parser) -> None:
    from plm_engine import cli_runs
    from plm_engine.cli_options import add_config_sources, add_options
    from plm_engine.config import options
    from plm_engine.hosts import add_arguments

    made.set_defaults(run=cli_runs.train)
    made.add_argument("--name", default="", metavar="TEXT", help="Name of the run for people.")
    made.add_argument(
        "--continue",
        dest="going_on",
        metavar="RUN",
        help="Go on from this run's network, with its settings unless flags say otherwise (--data for a longer table).",
    )
    add_arguments(made)
    add_config_sources(made)
    add_options(made, options())


def _join(made: Parser) -> None:
    from plm_engine.cli_hosts import add_join, join

    made.set_defaults(run=join)
    add_join(made)


def _estimate(made: Parser) -> None:
    from plm_engine import cli_runs
    from plm_engine.cli_options import add_config_sources, add_options
    from plm_engine.config import options

    made.set_defaults(run=cli_runs.estimate)
    made.add_argument("--seconds", type=float, default=4.0, metavar="S", help="How long to train for it.")
    add_config_sources(made)
    add_options(made, options())


def _inspect(made: Parser) -> None:
    from plm_engine import cli_runs
    from plm_engine.cli_options import add_options
    from plm_engine.config import options

    made.set_defaults(run=cli_runs.inspect)
    add_options(made, [name for name, option in options().items() if option.group == "data"])


def _list(made: Parser) -> None:
    from plm_engine import cli_runs

    made.set_defaults(run=cli_runs.list_)


def _of_one_run(name: str) -> Callable[[Parser], None]:
    def fill(made: Parser) -> None:
        from plm_engine import cli_runs

        made.set_defaults(run=getattr(cli_runs, name))
        made.add_argument("which", metavar="RUN", help=WHICH)

    return fill


def _predict(made: Parser) -> None:
    from plm_engine import cli_runs
    from plm_engine.cli_options import READING, add_options

    made.set_defaults(run=cli_runs.predict)
    made.add_argument("--run", dest="which", metavar="ID", required=True, help="The run whose network to use.")
    made.add_argument("--out", metavar="FILE", help="Write the forecasts to this CSV file.")
    add_options(made, ("data", *READING))


def _experiment(made: Parser) -> None:
    from plm_engine.cli_experiment import add_flags, run

    made.set_defaults(run=run)
    add_flags(made)


def _study(kind: str) -> Callable[[Parser], None]:
    def fill(made: Parser) -> None:
        from plm_engine.cli_studies import add_study

        add_study(made, kind)

    return fill


def _bench(made: Parser) -> None:
    from plm_engine.cli_bench import add_bench, bench

    made.set_defaults(run=bench)
    add_bench(made)


#: name -> what it does in one sentence, and what adds its flags
COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "train": ("Train in the background, follow it here; Ctrl-C cancels the run.", _train),
    "join": ("Compute for a run on several machines that another one keeps.", _join),
    "estimate": ("Train for some seconds and say what the whole training will take.", _estimate),
    "inspect": ("Say how a table is read, without training.", _inspect),
    "list": ("List the runs, newest first.", _list),
    "show": ("Show one run.", _of_one_run("show")),
    "cancel": ("End a run and keep what it learned.", _of_one_run("cancel")),
    "resume": (
        "Go on with a cancelled, failed or lost run and follow it here; Ctrl-C cancels it.",
        _of_one_run("resume"),
    ),
    "predict": ("Forecast with the newest network of a run.", _predict),
    "experiment": ("Compare parallel modes by time and error, in the background.", _experiment),
    "compare": (
        "Compare the network with persistence, regression, ridge and a backpropagation network.",
        _study("compare"),
    ),
    "backtest": ("Refit every model at rolling origins and compare their forecasts.", _study("backtest")),
    "ablate": ("Train with single modules switched off or swapped, over seeds and random splits.", _study("ablate")),
    "bench": ("Measure the speed of this machine: one step, whole runs, growth, start-up.", _bench),
}
