"""Make the synthetic weekly copper sample: ``python data/make_sample.py`` writes ``copper_synthetic_weekly.csv``.

No row of the real table is in here, and none can be got back out: the constants below are summary statistics (means,
spreads, correlations, mean absolute changes) of the table of the thesis, and everything else is drawn from a seeded
generator.  What the sample shares with the real table: the 19 columns, their means and spreads, x2..x5 = y of 7, 6, 5
and 4 rows earlier, and how much the price moves in one week and in four (so the error of persistence).
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).parent / "copper_synthetic_weekly.csv"
SEED = 20240527
N_ROWS = 471
LONGEST_LAG = 7
FIRST_WEEK = dt.date(2012, 1, 2)

#: of y, CNY per tonne: mean, population standard deviation, mean absolute change over one and over four weeks
PRICE_MEAN, PRICE_SPREAD = 48_358.8, 6_177.4
CHANGE_1, CHANGE_4 = 606.6, 1_533.4

#: column -> mean, spread, correlation with the price seven weeks earlier (x2), loading on a second common factor (what
#: moves currencies and oil together), change per week relative to the spread, decimals, skew (0: none)
DRIVERS: dict[str, tuple[float, float, float, float, float, int, float]] = {
    "x1": (2.009, 0.654, 0.69, 0.62, 0.12, 2, 0.0),
    "x6": (6_384.0, 988.8, 0.96, 0.25, 0.13, 1, 0.0),
    "x7": (1_380.7, 209.5, 0.55, -0.12, 0.12, 2, 0.4),
    "x8": (19.73, 5.575, 0.70, 0.38, 0.12, 2, 0.5),
    "x9": (13_608.0, 3_025.3, 0.73, 0.31, 0.14, 1, 0.2),
    "x10": (1_843.5, 200.5, 0.75, -0.17, 0.21, 2, 0.2),
    "x11": (2_281.9, 447.1, 0.20, -0.72, 0.13, 2, 0.4),
    "x12": (275_790.0, 114_702.0, 0.20, 0.52, 0.14, 0, 0.5),
    "x13": (1.61, 0.781, 0.57, -0.34, 0.17, 1, 0.0),
    "x14": (2.27, 0.90, 0.25, -0.07, 0.22, 1, 0.0),
    "x15": (625.5, 96.5, -0.62, -0.69, 0.08, 2, 0.3),
    "x16": (3.104, 0.302, -0.62, -0.74, 0.06, 2, 0.0),
    "x17": (6.520, 0.320, -0.27, -0.84, 0.08, 2, 0.0),
    "x18": (1.195, 0.098, 0.66, 0.60, 0.12, 2, 0.0),
}
#: change per week of the price and of the second factor, relative to their spreads
PRICE_CHANGE, SECOND_CHANGE = 0.145, 0.09


def standardised(values: np.ndarray) -> np.ndarray:
    """Return values with mean 0 and population standard deviation 1."""
    return (values - values.mean()) / values.std()


def wanderer(generator: np.random.Generator, n: int, change: float) -> np.ndarray:
    """Return a standardised first-order autoregression that moves by ``change`` spreads a week."""
    stay = 1 - change**2 / 2
    shocks = generator.standard_normal(n + 200)
    values = np.empty(n + 200)
    values[0] = shocks[0]
    for t in range(1, len(values)):
        values[t] = stay * values[t - 1] + shocks[t]
    return standardised(values[200:])


def slow_swing(generator: np.random.Generator, n: int) -> np.ndarray:
    """Return a standardised sum of a few long waves: the cycles that take years."""
    weeks = np.arange(n)
    periods = generator.uniform(150, 600, size=4)
    phases = generator.uniform(0, 2 * np.pi, size=4)
    sizes = periods / periods.sum()
    return standardised(sum(s * np.sin(2 * np.pi * weeks / p + f) for s, p, f in zip(sizes, periods, phases)))


def price(generator: np.random.Generator) -> np.ndarray:
    """Return weekly prices, 7 weeks longer than the table, with the calibrated mean, spread and changes.

    Long waves plus a wanderer whose shocks persist a little (prices move further in four weeks than twice the move of
    one).  The shares are found by bisection, so that the changes over four weeks come out as calibrated.
    """
    n = N_ROWS + LONGEST_LAG
    swing = slow_swing(generator, n)
    raw = generator.standard_normal(n + 1)
    shocks = raw[1:] + 0.55 * raw[:-1]
    walk = np.empty(n)
    walk[0] = 0.0
    for t in range(1, n):
        walk[t] = 0.96 * walk[t - 1] + shocks[t]
    walk = standardised(walk)

    def scaled(share: float) -> np.ndarray:
        level = swing + share * walk
        rows = level[LONGEST_LAG:]
        return PRICE_MEAN + PRICE_SPREAD * (level - rows.mean()) / rows.std()

    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        rows = scaled(middle)
        too_small = np.abs(rows[7:] - rows[3:-4]).mean() < CHANGE_4
        low, high = (middle, high) if too_small else (low, middle)
    # prices are quoted in steps of 5 CNY
    return np.round(scaled(low) / 5) * 5


def driver(
    generator: np.random.Generator,
    known: np.ndarray,
    second: np.ndarray,
    constants: tuple[float, float, float, float, float, int, float],
) -> np.ndarray:
    """Return one driver: a mixture of the price known, the second factor and a wanderer of its own."""
    mean, spread, with_price, with_second, change, decimals, skew = constants
    rest = max(0.02, 1 - with_price**2 - with_second**2) ** 0.5
    # what the two common parts do not move is left to the driver's own wandering
    own_change = change**2 - (with_price * PRICE_CHANGE) ** 2 - (with_second * SECOND_CHANGE) ** 2
    own = wanderer(generator, N_ROWS, max(own_change, 0.03**2) ** 0.5 / rest)
    mixed = standardised(with_price * known + with_second * second + rest * own)
    if skew:
        # stocks and metal prices have rare highs and a floor that they never pass
        mixed = standardised(np.exp(skew * mixed))
    return np.round(mean + spread * mixed, decimals)


def make() -> str:
    """Return the synthetic table as CSV text."""
    generator = np.random.default_rng(SEED)
    prices = price(generator)
    columns: dict[str, np.ndarray] = {"y": prices[LONGEST_LAG:]}
    for name, lag in (("x2", 7), ("x3", 6), ("x4", 5), ("x5", 4)):
        columns[name] = prices[LONGEST_LAG - lag : len(prices) - lag]
    known = standardised(columns["x2"])
    second = wanderer(generator, N_ROWS, SECOND_CHANGE)
    second = standardised(second - known * (second * known).mean())
    for name, constants in DRIVERS.items():
        columns[name] = driver(generator, known, second, constants)
    names = [f"x{i}" for i in range(1, 19)] + ["y"]
    decimals_of = {name: values[5] for name, values in DRIVERS.items()}
    lines = ["date," + ",".join(names)]
    for t in range(N_ROWS):
        week = FIRST_WEEK + dt.timedelta(weeks=t)
        cells = [f"{columns[name][t]:.{decimals_of.get(name, 0)}f}" for name in names]
        lines.append(f"{week.isoformat()}," + ",".join(cells))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    OUTPUT.write_text(make(), encoding="utf-8", newline="\n")
    print(f"{OUTPUT}: {N_ROWS} synthetic rows")
