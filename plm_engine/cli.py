"""The command line: ``python -m plm_engine COMMAND``; the commands stand in ``cli_commands.py``.

Exit codes: 0 done, 2 the user can put it right (one sentence on standard error), 1 failed.  With ``--json`` exactly one
object goes to standard output.  Heavy libraries are imported by the commands that need them, so that ``--help`` and
``list`` answer at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from plm_engine.cli_commands import COMMANDS
from plm_engine.cli_parser import Parser
from plm_engine.errors import BugError, UserError

FAILED, USER_ERROR = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    try:
        parsed = parser().parse_args(words)
        return parsed.run(parsed)
    except UserError as error:
        return _refuse(str(error), USER_ERROR, as_json)
    except BugError as error:
        return _refuse(f"This is a fault of the program, not yours: {error}", FAILED, as_json)
    except KeyboardInterrupt:
        return _refuse("Interrupted.", FAILED, as_json)
    except BrokenPipeError:  # whoever read our output has left, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _refuse(sentence: str, code: int, as_json: bool) -> int:
    print(sentence, file=sys.stderr)
    if as_json:
        from plm_engine.cli_follow import print_json

        print_json({"status": "refused" if code == USER_ERROR else "failed", "error": sentence})
    return code


def parser() -> Parser:
    """Return the parser of all commands."""
    main_parser = Parser(
        prog="python -m plm_engine", description="The revised Pupil Learning Mechanism.", allow_abbrev=False
    )
    commands = main_parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    for name, (text, fill) in COMMANDS.items():
        made = commands.add_parser(name, help=text, description=text, allow_abbrev=False, fill=fill)
        made.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
        made.add_argument("--home", metavar="DIR", help="Folder of the runs (else PLM_LAB_HOME, else data/runs).")
    return main_parser
