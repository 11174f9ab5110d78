"""The Data page: picking, uploading, roles, and one sentence for whatever is wrong with a file."""

import pytest

from tests.pages.conftest import messages, open_page, page_text


def upload(app, name: str, content: bytes):
    open_page(app, "data")
    app.file_uploader[0].upload(name, content).run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def test_a_first_visit_shows_the_synthetic_sample_and_says_that_it_is_synthetic(app):
    open_page(app, "data")
    assert app.title[0].value == "Data"
    assert "synthetic" in app.header[0].value
    assert {metric.label: metric.value for metric in app.metric}["Rows read"] == "471"
    assert app.query_params["data"] == "copper-sample"


def test_the_copper_table_gets_its_roles_and_horizon_by_itself(app, copper_csv):
    upload(app, "copper.csv", copper_csv.read_bytes())
    chosen = {box.label.split(":")[0]: box.value for box in app.selectbox}
    assert chosen["Target"] == "y"
    assert chosen["Latest price known"] == "x5"
    assert app.number_input(key=next(n.key for n in app.number_input if "horizon" in n.key)).value == 4
    assert "373 training rows, 95 test rows, 3 rows left out" in page_text(app)


def test_an_upload_is_kept_under_its_content_and_not_under_its_name(app, home, cases_dir):
    content = (cases_dir / "00_control_clean_18x.csv").read_bytes()
    upload(app, "../../evil.csv", content)
    stored = sorted(path.name for path in (home / "uploads").iterdir() if path.suffix != ".json")
    import hashlib

    assert stored == [hashlib.sha256(content).hexdigest()]
    assert "evil.csv" in app.header[0].value.replace("\\", "")
    assert ".." not in app.header[0].value.replace("\\", "")
    assert app.query_params["data"] == f"upload:{stored[0]}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("22_empty_file.csv", "empty"),
        ("31_zip_renamed.csv", "ZIP archive, not a table"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_sentence_and_not_kept(app, home, cases_dir, name, said):
    upload(app, name, (cases_dir / name).read_bytes())
    assert said in messages(app)
    assert len(app.error) == 1
    kept = home / "uploads"
    assert not kept.exists() or not list(kept.iterdir())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("06_thousands_separator.csv", "rejected: data rows 17, 33"),
        ("14_duplicate_column_names.csv", "x2"),
        ("15_missing_codes.csv", "-999"),
        ("17_constant_column.csv", "x2"),
        ("18_target_leak.csv", "x3"),
        ("19_contradictory_duplicates.csv", "equal drivers"),
        ("20_single_row.csv", "row"),
        ("21_header_only.csv", "4 columns, 0 rows"),
        ("23_one_column.csv", "No driver columns left"),
        ("25_wide_2000x5.csv", "drivers"),
        ("26_huge_magnitudes.csv", "x2"),
        ("28_unsorted_dates.csv", "more than once"),
        ("29_newest_first_market.csv", "oldest first"),
        ("33_nul_bytes.csv", "unreadable"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_on_the_page(app, cases_dir, name, said):
    upload(app, name, (cases_dir / name).read_bytes())
    radios = "\n".join(radio.label for radio in app.radio)
    assert said in (page_text(app) + "\n" + radios).replace("\\", "")
    assert "Traceback" not in page_text(app)


def test_a_table_without_rows_is_said_once(app, cases_dir):
    upload(app, "21_header_only.csv", (cases_dir / "21_header_only.csv").read_bytes())
    assert len(app.error) == 1


def test_a_clean_table_raises_no_alarm(app, cases_dir):
    upload(app, "00_control_clean_18x.csv", (cases_dir / "00_control_clean_18x.csv").read_bytes())
    assert messages(app) == ""


def test_a_question_about_dates_that_occur_twice_can_be_answered(app, cases_dir):
    upload(app, "28_unsorted_dates.csv", (cases_dir / "28_unsorted_dates.csv").read_bytes())
    assert app.error
    question = next(radio for radio in app.radio if "more than once" in radio.label)
    question.set_value("last").run()
    assert not app.error
    assert app.query_params["duplicate_dates"] == "last"


def test_the_decimal_mark_can_be_changed(app, cases_dir):
    upload(app, "01.csv", (cases_dir / "01_semicolon_decimal_comma.csv").read_bytes())
    box = next(box for box in app.selectbox if box.label == "Decimal mark")
    assert "comma" in box.options[0]
    box.set_value(".").run()
    assert app.query_params["decimal"] == "."
    assert not app.exception


def test_the_choice_survives_a_change_of_page(app):
    open_page(app, "data")
    app.selectbox[0].set_value("diabetes").run()
    app.switch_page("pages/views/runs.py").run()
    app.switch_page("pages/views/train.py").run()
    assert "Diabetes" in page_text(app)


def test_the_choice_comes_back_from_the_address_in_a_new_session(app):
    open_page(app, "data", data="diabetes", test_rows="42")
    assert "Diabetes" in app.header[0].value
    assert "400 training rows, 42 test rows" in page_text(app)


@pytest.mark.parametrize("data", ["/etc/passwd", "upload:../../x", "nosuch", "upload:" + "0" * 64])
def test_a_link_cannot_name_a_file_of_the_server(app, data):
    open_page(app, "data", data=data)
    assert len(app.error) == 1
