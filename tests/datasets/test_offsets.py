"""Times with offsets from UTC: days stay days over summer time, and an hour that comes twice is no duplicate."""

import datetime as dt

import pytest

from plm_engine.datasets.offsets import offset_of
from plm_engine.datasets.read import read_bytes


@pytest.mark.parametrize(
    ("cell", "minutes"),
    [("2021-01-04 10:00Z", 0), ("2021-01-04T10:00:00.5+05:30", 330), ("2021-01-04 10:00-0300", -180)],
)
def test_an_offset_is_what_stands_behind_the_time(cell, minutes):
    assert offset_of(cell) == dt.timedelta(minutes=minutes)


@pytest.mark.parametrize("cell", ["2021-01-04", "2021-01-04 10:00", "10-11-12", None, 3.0])
def test_dates_without_an_offset_have_none(cell):
    assert offset_of(cell) is None


def read(*times: str):
    table = read_bytes(("time,y\n" + "".join(f"{time},{k}\n" for k, time in enumerate(times))).encode())
    return table.frame["time"].tolist(), {f.kind: f.sentence for f in table.findings}


def test_days_stay_days_where_summer_time_begins():
    days, said = read("2021-03-27T00:00+01:00", "2021-03-28T00:00+01:00", "2021-03-29T00:00+02:00")
    assert [day.strftime("%m-%d %H:%M") for day in days] == ["03-27 00:00", "03-28 00:00", "03-29 00:00"]
    assert "+01:00 and +02:00: they are read as the clock on the wall" in said["offsets"]


def test_an_hour_that_comes_twice_is_told_apart_in_utc():
    times, said = read("2021-10-31T01:30+02:00", "2021-10-31T02:30+02:00", "2021-10-31T02:30+01:00")
    aware = [dt.datetime.fromisoformat(f"2021-10-31T{text}") for text in ("01:30+02:00", "02:30+02:00", "02:30+01:00")]
    assert times == [moment.astimezone(dt.UTC).replace(tzinfo=None) for moment in aware]
    assert "all put to UTC" in said["offsets"]


def test_one_offset_for_all_is_nothing_to_say():
    times, said = read("2021-01-04T00:00Z", "2021-01-05T00:00Z")
    assert (times[1], said) == (dt.datetime(2021, 1, 5), {})
