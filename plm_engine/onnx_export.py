"""A run's network as an ONNX model: drivers in their own units in, forecasts in the target's unit out."""

from __future__ import annotations

import numpy as np

from plm_engine.errors import RunError
from plm_engine.predict import Model

OPSET = 17


def onnx_bytes(model: Model) -> bytes:
    """Return the model as ONNX, scaling included.

    Parameters
    ----------
    model : Model
        From :func:`plm_engine.predict.load_model`.

    Returns
    -------
    bytes
        A graph from ``drivers`` (n, m) to ``forecast`` (n,), both float64; the drivers' names and the target's are in
        the metadata.

    Raises
    ------
    RunError
        If the network learned changes against the latest price: its forecast needs more than the drivers.
    """
    if model.about.get("predict", "level") != "level":
        raise RunError("This network learned changes against the latest price, which ONNX does not get: no export.")
    import onnx  # only here: heavy, and needed by nothing else
    from onnx import TensorProto, helper, numpy_helper

    mean, spread = np.asarray(model.scaler.x_mean), np.asarray(model.scaler.x_spread)
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread != 0)
    constants = {
        "mean": mean,
        "inverse_spread": inverse,
        "W": model.hidden_weight.T,
        "b": model.hidden_bias,
        "w_out": model.output_weight,
        "w_0": np.asarray(model.output_bias),
        "y_spread": np.asarray(float(model.scaler.y_spread)),
        "y_mean": np.asarray(float(model.scaler.y_mean)),
    }
    steps = [
        ("Sub", ("drivers", "mean"), "centred"),
        ("Mul", ("centred", "inverse_spread"), "scaled"),
        ("MatMul", ("scaled", "W"), "weighted"),
        ("Add", ("weighted", "b"), "shifted"),
        ("Relu", ("shifted",), "hidden"),
        ("MatMul", ("hidden", "w_out"), "summed"),
        ("Add", ("summed", "w_0"), "learned"),
        ("Mul", ("learned", "y_spread"), "spread_out"),
        ("Add", ("spread_out", "y_mean"), "forecast"),
    ]
    graph = helper.make_graph(
        [helper.make_node(kind, list(given), [result]) for kind, given, result in steps],
        "plm",
        [helper.make_tensor_value_info("drivers", TensorProto.DOUBLE, ["n", len(mean)])],
        [helper.make_tensor_value_info("forecast", TensorProto.DOUBLE, ["n"])],
        [numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float64), n) for n, value in constants.items()],
    )
    made = helper.make_model(graph, producer_name="plm-lab", opset_imports=[helper.make_opsetid("", OPSET)])
    made.ir_version = 8  # what older runtimes still read
    helper.set_model_props(made, {"features": "\n".join(model.features), "target": model.target})
    onnx.checker.check_model(made)
    content: bytes = made.SerializeToString()
    return content
