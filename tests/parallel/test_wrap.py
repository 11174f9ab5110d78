"""The parallel layer without RPLM: the README's example, and agreement with torch's own Adam."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from plm_engine.errors import ConfigError
from plm_engine.parallel.wrap import Parallel

PROJECT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
import torch
from torch import nn
from plm_engine.parallel.wrap import MODES, Parallel
from plm_engine.processes import leave
torch.set_num_threads(1)
found = {}
torch.distributed.init_process_group("gloo")
for mode in MODES:
    torch.manual_seed(0)
    x = torch.randn(101, 3, dtype=torch.float64)
    y = torch.sin(2 * x[:, 0])
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1)).double()
    with Parallel(model, x, y, mode) as parallel:
        for _ in range(50):
            parallel.step(0.01)
    found[mode] = [v for p in model.parameters() for v in p.flatten().tolist()]
if torch.distributed.get_rank() == 0:
    open(sys.argv[1], "w").write(json.dumps(found))
torch.distributed.destroy_process_group()
leave(0)  # see there: with DDP over gloo the usual end is aborted now and then
"""


def torchrun(ranks: int, *words: str) -> str:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_example_gives_the_same_bits_on_one_and_two_processes():
    said = [torchrun(ranks, "tests/parallel/own_network.py") for ranks in (1, 2)]
    errors = [re.search(r"mean squared error (\S+) on (\d) processes", text) for text in said]
    assert [e[2] for e in errors] == ["1", "2"]
    assert errors[0][1] == errors[1][1]
    assert 0 < float(errors[0][1]) < 0.1


def test_every_mode_takes_the_steps_of_torchs_adam(tmp_path):
    program, out = tmp_path / "program.py", tmp_path / "out.json"
    program.write_text(PROGRAM)
    torchrun(2, str(program), str(out))
    torch.manual_seed(0)
    x = torch.randn(101, 3, dtype=torch.float64)
    y = torch.sin(2 * x[:, 0])
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1)).double()
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(50):
        adam.zero_grad()
        ((model(x)[:, 0] - y) ** 2).mean().backward()
        adam.step()
    expected = [v for p in model.parameters() for v in p.flatten().tolist()]
    found = json.loads(out.read_text())
    assert set(found) == {"row_parallel", "ddp", "model_parallel"}
    for mode, weights in found.items():
        assert weights == pytest.approx(expected, abs=1e-9), mode


@pytest.mark.parametrize(
    "model",
    [
        nn.Linear(3, 1),
        nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1)),
        nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2)),
        nn.Sequential(nn.Linear(3, 2, bias=False), nn.ReLU(), nn.Linear(2, 1)),
    ],
)
def test_another_form_of_network_is_refused_in_words(model):
    with pytest.raises(ConfigError, match=r"Only nn\.Sequential"):
        Parallel(model, torch.zeros(4, 3), torch.zeros(4))


def test_another_mode_is_refused_in_words():
    with pytest.raises(ConfigError, match="'batched' cannot wrap"):
        Parallel(nn.Sequential(), torch.zeros(4, 3), torch.zeros(4), "batched")
