"""Make the two-driver teaching set: ``python data/make_two_drivers.py`` writes ``two_drivers.csv``.

Invented harvests: 160 fields, two drivers, one smooth hill, and four fields with a story of their own (a flood, a
blight) that no smooth hill explains.  Two drivers can be drawn as a map, so what the network has learned can be seen.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).parent / "two_drivers.csv"
SEED = 7
N_ROWS = 160
#: rain (mm) and warmth (°C) of the best field, how far the hill reaches, height and foot of the hill (t/ha)
BEST, REACH, HEIGHT, FOOT = (620.0, 19.0), (210.0, 4.5), 6.0, 1.5
#: fields with a story: position in the file -> by how much (t/ha) the harvest misses the hill
ODD = {23: -2.6, 61: 2.2, 98: -2.9, 117: 2.0}


def harvest(rain: np.ndarray, warmth: np.ndarray) -> np.ndarray:
    """Return the smooth part of the harvest in t/ha."""
    away = ((rain - BEST[0]) / REACH[0]) ** 2 + ((warmth - BEST[1]) / REACH[1]) ** 2
    return FOOT + HEIGHT * np.exp(-away)


def make() -> list[tuple[float, float, float]]:
    """Return the rows: rain, warmth, harvest."""
    generator = np.random.default_rng(SEED)
    rain = generator.uniform(200, 1000, N_ROWS)
    warmth = generator.uniform(8, 28, N_ROWS)
    values = harvest(rain, warmth) + generator.normal(0, 0.12, N_ROWS)
    for row, miss in ODD.items():
        values[row] = max(0.2, values[row] + miss)
    return [(round(r, 0), round(w, 1), round(v, 2)) for r, w, v in zip(rain, warmth, values, strict=True)]


if __name__ == "__main__":
    lines = ["rain_mm,warmth_c,harvest_t_per_ha", *(f"{r:.0f},{w:.1f},{v:.2f}" for r, w, v in make())]
    OUTPUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
