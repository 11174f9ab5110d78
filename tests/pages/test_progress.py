"""What the run's page says about the remaining time, and its log on demand."""

import time

import pandas as pd
import pytest

from pages.parts import run_log, run_view
from pages.parts.client import Lab
from plm_engine.series import Series
from plm_engine.store import RunInfo, Status, Store
from tests.pages.conftest import open_page, page_text
from tests.pages.replay_story import write_story


def running(rounds: int, learned: int, minutes: float | None = None) -> tuple[RunInfo, Series]:
    """A run that learns five rows of a hundred each second, and has just ended a round."""
    config = {"max_minutes": minutes}
    run = RunInfo("0" * 12, Status.RUNNING, "", 0.0, started=time.time() - rounds, config=config)
    table = pd.DataFrame({"at_s": [k + 1.0 for k in range(rounds)], "n_learned": [5 * k for k in range(rounds)]})
    table["n_learned"] += learned - int(table["n_learned"].iloc[-1]) if rounds else 0
    picked = dict.fromkeys(range(1, rounds), (1, 2, 3, 4, 5))
    return run, Series(n_train=100, n_learned=learned, round=max(0, rounds - 1), rounds=table, picked=picked)


@pytest.mark.parametrize(
    ("rounds", "learned", "minutes", "said"),
    [
        (0, 0, None, "not known yet"),
        (2, 10, None, "not known yet"),
        (10, 100, None, "ends now"),
        (10, 50, 11 / 60, "at most"),
        (10, 50, None, " to "),
    ],
)
def test_the_remaining_time_is_a_range_or_a_word(rounds, learned, minutes, said):
    assert said in run_view._remaining(*running(rounds, learned, minutes))


def test_the_log_is_shown_on_demand_and_comes_whole_as_a_file(app, home):
    run_id = write_story(Store(home))
    open_page(app, "train", run=run_id)
    assert "crammed row 2" not in page_text(app)
    app.toggle(key=f"log:{run_id}").set_value(True).run()
    shown = "\n".join(code.value for code in app.code)
    assert "round 1    crammed row 2: 3 hidden nodes added" in shown
    assert "crammed row 2" in run_log.whole(Lab(home), run_id).decode()
