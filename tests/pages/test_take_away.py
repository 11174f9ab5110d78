"""What people take home of a run: one file with everything in it, and nothing of a name that a browser would run."""

import io
import re

import pandas as pd
import pytest

from pages.parts import client, take_away
from pages.parts.html_report import Report
from plm_engine.store import Store
from tests.pages.conftest import open_page
from tests.pages.replay_story import write_story
from tests.pages.test_train_page import write_run


@pytest.fixture
def lab(home) -> client.Lab:
    return client.Lab(home)


def test_a_report_holds_charts_replay_errors_and_the_command_line(lab, home):
    run_id = write_story(Store(home))
    Store(home).set_labels(run_id, name="<script>alert(1)</script>", note="A & B")
    html = take_away.run_report(lab, lab.run(run_id)).decode()
    assert len(re.findall(r"draw\(\{\"name\":\"chart\d\"", html)) >= 3
    assert "three nodes were added for it alone" in html
    assert "python -m plm_engine train --data=copper-sample --target=y" in html
    assert "<script>alert" not in html
    assert "A &amp; B" in html
    assert "export default" not in html


def test_nothing_in_a_report_is_fetched_from_elsewhere(lab, home):
    html = take_away.run_report(lab, lab.run(write_story(Store(home)))).decode()
    own = re.sub(r"<script>.*?</script>", "", html, count=1, flags=re.S)  # all but Plotly's own script
    assert len(own) < len(html) / 2
    assert not re.findall(r"(?:src|href)\s*=|url\(|import\s", own)


def test_a_column_cannot_end_the_script_it_stands_in():
    report = Report("t", "l")
    report.chart({"data": [{"name": "</script><img src=x>"}], "layout": {}}, "alt")
    assert "</script><img" not in report.html().decode()


def test_a_comparison_is_one_file_too(lab, home):
    store = Store(home)
    runs = {name: lab.run(write_run(store)) for name in ("One", "Two")}
    html = take_away.comparison_report(lab, runs, "One").decode()
    assert html.count("python -m plm_engine train") == 2
    assert len(re.findall(r"draw\(\{\"name\":\"chart\d\"", html)) == 5


def test_predictions_as_a_workbook_cannot_be_run(lab, home):
    run_id = write_run(Store(home))
    (lab.store.run_dir(run_id) / "predictions.csv").write_text("data_row,date,predicted\n1,=1+1,2.5\n")
    frame = pd.read_excel(io.BytesIO(take_away.predictions_xlsx(lab, lab.run(run_id))))
    assert frame["date"].tolist() == ["'=1+1"]
    assert frame["predicted"].tolist() == [2.5]


def test_the_menu_shows_once_there_is_a_network(app, home):
    run_id = write_run(Store(home))
    open_page(app, "train", run=run_id)
    assert not app.code
    (Store(home).run_dir(run_id) / "model.safetensors").write_bytes(b"x")
    app.run()
    assert "python -m plm_engine train --data=copper-sample --target=y" in [code.value for code in app.code]
