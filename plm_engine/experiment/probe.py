"""A short training of *single*, to estimate an experiment: ``python -m plm_engine.experiment.probe CONFIG SECONDS``."""

from __future__ import annotations

import json
import sys
from typing import Any

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.samples import load
from plm_engine.errors import PLMError
from plm_engine.learning.outcome import EndReason
from plm_engine.processes import die_with_parent
from plm_engine.training import train


def main(config: Config, seconds: float) -> dict[str, Any]:
    """Train for at most ``seconds`` and carry the time on to the end, by the share of rows learned."""
    data = prepare(load(config), config)
    config = config.replace(mode="single", workers=1, max_minutes=max(0.01, seconds / 60), horizon=data.horizon)
    result = train(
        data.x_train, data.y_train, config, latest=data.latest_train, features=data.features, target=data.target
    )
    last = result.history[-1]
    complete = result.reason is not EndReason.BUDGET_MINUTES
    # later rounds have more rows and nodes: time grows faster than the share learned
    share = 1.0 if complete else max(0.02, (last.n_learned / len(data.y_train)) ** 2)
    spent = result.seconds
    return {
        "total_s": spent["total"] / share,
        "organizing_s": spent["organizing"] / share,
        "steps": int(last.kept_steps / share),
        "complete": complete,
    }


if __name__ == "__main__":
    die_with_parent()
    try:
        answer = main(Config.from_mapping(json.loads(sys.argv[1])), float(sys.argv[2]))
    except PLMError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
