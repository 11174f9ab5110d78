"""The revised Pupil Learning Mechanism (RPLM): a two-layer network that grows and shrinks while it learns.

Three lines::

    from plm_engine import Config, train
    result = train(x, y, Config(goal=4000))
    result.predict(x_new)

Importing this package loads neither torch nor pandas; the names below load what they need when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Config": "plm_engine.config",
    "train": "plm_engine.training",
    "TrainResult": "plm_engine.training",
    "TwoLayerNetwork": "plm_engine.network",
    "load_model": "plm_engine.predict",
}
__all__ = ["Config", "TrainResult", "TwoLayerNetwork", "__version__", "load_model", "train"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
