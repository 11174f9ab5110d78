"""A network as ONNX forecasts what the app forecasts, in another program."""

import numpy as np
import pytest

from plm_engine.datasets.scale import Scaler
from plm_engine.errors import RunError
from plm_engine.onnx_export import onnx_bytes
from plm_engine.predict import Model

onnxruntime = pytest.importorskip("onnxruntime")


def model(**about) -> Model:
    generator = np.random.default_rng(5)
    x = generator.normal(50_000, 5_000, (40, 4))
    x[:, 2] = 7.0  # a constant driver is scaled to 0
    y = generator.normal(48_000, 6_000, 40)
    weights = (generator.normal(size=(30, 4)), generator.normal(size=30), generator.normal(size=30), 0.3)
    return Model(*weights, Scaler.fit(x, y), ("a", "b", "c", "d"), "y", about)


def test_forecasts_agree_to_a_millionth():
    made = model()
    x = np.random.default_rng(6).normal(50_000, 8_000, (200, 4))
    session = onnxruntime.InferenceSession(onnx_bytes(made), providers=["CPUExecutionProvider"])
    [forecast] = session.run(["forecast"], {"drivers": x})
    assert forecast.shape == (200,)
    np.testing.assert_allclose(forecast, made.predict(x), rtol=1e-12, atol=1e-6)
    assert session.get_modelmeta().custom_metadata_map == {"features": "a\nb\nc\nd", "target": "y"}


def test_a_network_that_learned_changes_is_refused_in_words():
    with pytest.raises(RunError, match="latest price"):
        onnx_bytes(model(predict="change", latest_price="a"))
