"""Numbers, durations and untrusted texts as people read them."""

import math

import pandas as pd
import pytest

from pages.parts import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (373, "373"),
        (4000.0, "4,000"),
        (3387.7712, "3,387.8"),
        (52121.852, "52,121.9"),
        (1.5, "1.5"),
        (0.00012345, "0.0001234"),
        (16_392_345_678.5, "16,390,000,000"),
        (1e200, "1e+200"),
        (-0.52, "-0.52"),
        ("not defined (3 zero targets)", r"not defined \(3 zero targets\)"),
    ],
)
def test_a_number_is_short_and_keeps_at_least_four_digits(value, text):
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.0, "0.0 s"),
        (0.0002, "< 1 ms"),
        (0.04, "40 ms"),
        (3.21, "3.2 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_a_duration_is_told_in_the_unit_that_fits(seconds, text):
    assert words.duration(seconds) == text


def test_a_table_shows_numbers_and_times_as_people_read_them_and_keeps_their_values():
    frame = pd.DataFrame({"Run": ["a", "b"], "Goal": [4000.0, None], "Nodes": [1234, 2], "Seconds": [72.0, None]})
    shown = words.spelled(frame, times=["Seconds"])
    html = shown.to_html()
    for text in ("4,000", "1,234", "1 min 12 s", "–"):
        assert f">{text}<" in html
    assert "nan" not in html
    assert shown.data["Goal"].iloc[0] == 4000.0


def test_a_setting_is_told_as_people_read_it():
    said = [words.setting(value) for value in (None, True, 12000, 1e-06, ["x1", "x2"], "lts", "")]
    assert said == ["–", "yes", "12,000", "1e-06", "x1, x2", "lts", "–"]


def test_markup_in_a_name_is_shown_and_not_obeyed():
    shown = words.plain("<b>x</b> [a](http://e) $y$ :red[z] `c`\n# h")
    assert shown.replace("\\", "") == "<b>x</b> [a](http://e) $y$ :red[z] `c` # h"
    for sign in "<[$`#:":
        assert f"\\{sign}" in shown


def test_an_option_of_the_command_line_is_named_in_words():
    assert words.plain("say so with --missing-codes=-999") == r"say so with ‘missing codes’=\-999"


def test_dates_are_the_time_axis_only_where_every_row_has_one():
    assert words.time_axis(("2021-01-04", "2021-01-11"), 2) == ["2021-01-04", "2021-01-11"]
    assert words.time_axis(("2021-01-04", ""), 2) == [1, 2]
    assert words.time_axis((), 2) == [1, 2]


def test_a_column_has_one_number_of_decimals_and_says_why_a_number_is_missing():
    assert words.aligned([1.584, 0.45391, -0.07553, None]) == ["1.584", "0.454", "-0.076", "–"]
    assert words.aligned([2597.61, 1483.6, 12]) == ["2,597.6", "1,483.6", "12.0"]
    assert words.aligned([105, 3, 0.0]) == ["105", "3", "0"]
    assert words.aligned([1e-7, 2e12]) == [words.number(1e-7), words.number(2e12)]
    assert words.aligned([None, "no test rows"]) == ["–", "no test rows"]


def test_both_ends_of_a_range_have_the_same_decimals_unless_one_is_whole():
    assert words.number_range((0.9136, 1.335)) == "0.914 to 1.335"
    assert words.number_range((964.51, 3836.25)) == "964.5 to 3,836.2"
    assert words.number_range((1200, 3400.5)) == "1,200 to 3,400.5"
    assert words.number_range(None) == "–"


def test_a_share_is_told_in_whole_per_cent():
    assert [words.percent(share) for share in (0.9, 1.0, 0.968)] == ["90 %", "100 %", "97 %"]
