"""The same assertions over every mode, on 1, 2 and 3 processes of this machine (gloo)."""

import numpy as np
import pytest
import torch

from plm_engine import Config
from plm_engine.errors import UnavailableError
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.understanding import Understanding
from plm_engine.modes import MODES
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batched import BatchedStrategy
from plm_engine.parallel.candidate_parallel import EACH
from plm_engine.parallel.choose import make_strategies
from plm_engine.parallel.single import SingleStrategy
from tests.helpers import random_network, random_rows
from tests.parallel.ranks_program import RANKED, whole_run

EXACT = [name for name, mode in MODES.items() if mode.exact and mode.ranked]
# one rank is quick and tells the least; three ranks on two cores take a minute
COUNTS = [1, 2, pytest.param(3, marks=pytest.mark.slow)]


@pytest.mark.parametrize("ranks", COUNTS)
@pytest.mark.parametrize("mode", RANKED)
class TestRankedModes:
    def test_every_rank_has_the_same_result(self, ranks_report, mode, ranks):
        assert ranks_report(ranks)[mode]["same on all ranks"]

    def test_a_tuning_from_a_common_state_agrees_with_single(self, ranks_report, mode, ranks):
        report = ranks_report(ranks)
        for key, expected in report["single"].items():
            if not key.startswith("tuned"):
                continue
            got = report[mode].get(key)
            if "float64" in key:
                np.testing.assert_allclose(got["flat"], expected["flat"], rtol=0, atol=1e-9, err_msg=key)
                assert (got["kept"], got["outcome"]) == (expected["kept"], expected["outcome"]), key
            elif mode in EXACT:
                assert got == expected, key

    def test_a_whole_run_makes_the_same_decisions(self, ranks_report, mode, ranks):
        report = ranks_report(ranks)
        single = report["single"]["run all float64"]
        assert single["reason"] == "goal met"
        for scope in ("organizing", "all"):
            run = report[mode][f"run {scope} float64"]
            assert (run["picked"], run["nodes"]) == (single["picked"], single["nodes"])
            assert run["largest"] <= 0.9

    def test_candidates_come_back_in_order(self, ranks_report, mode, ranks):
        x, y = random_rows(200, 5)
        strategy, rule = SingleStrategy(), Understanding(1e-9, 20, StepSizes())
        alone = strategy.tune(random_network(5, 6, seed=0), strategy.place(x, y), rule)
        got = ranks_report(ranks)[mode]["candidates"]
        np.testing.assert_allclose(got["flat"], alone.flat().numpy(), atol=1e-9)
        assert got["n"] == (EACH * ranks if mode == "candidate_parallel" else 1)


@pytest.mark.parametrize("ranks", COUNTS)
@pytest.mark.parametrize("mode", EXACT)
def test_an_exact_mode_ends_with_the_bytes_of_single(ranks_report, mode, ranks):
    report = ranks_report(ranks)
    for name in ("float64", "float32"):
        assert report[mode][f"run all {name}"]["sha256"] == report["single"][f"run all {name}"]["sha256"]
    assert report[mode]["run organizing float64"]["sha256"] == report["single"]["run all float64"]["sha256"]


@pytest.mark.parametrize("p", [1, 2, 9])
@pytest.mark.parametrize("n", [7, 64, 471, 4501])
def test_a_batch_agrees_with_each_candidate_alone(n, p):
    x, y = random_rows(n, 5)
    networks = [random_network(5, p, seed=s) for s in range(8)]
    single, batched = SingleStrategy(), BatchedStrategy(AdamConstants())
    alone = [Understanding(1e-9, 50, StepSizes()) for _ in networks]
    together = [rule.again() for rule in alone]
    expected = single.tune_candidates(networks, single.place(x, y), alone)
    got = batched.tune_batch(networks, batched.place(x, y), together)
    for j, network in enumerate(expected):
        np.testing.assert_allclose(got[j].numpy(), network.flat().numpy(), rtol=0, atol=1e-9)
    assert [(r.kept, r.outcome) for r in together] == [(r.kept, r.outcome) for r in alone]


def test_a_batch_gives_up_what_comes_after_an_acceptance():
    x, y = random_rows(100, 3)
    networks = [random_network(3, 4, seed=s) for s in range(3)]
    met = (networks[1](x) - y).abs().max().item() + 1e-12
    rules = [Understanding(met if j == 1 else 1e-9, 50, StepSizes()) for j in range(3)]
    strategy = BatchedStrategy(AdamConstants())
    result = strategy.tune_candidates(networks, strategy.place(x, y), rules)
    assert [rule.met for rule in rules] == [False, True, False]
    assert rules[0].ended
    assert not rules[2].ended
    assert torch.equal(result[1].flat(), networks[1].flat())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_batched_run_ends_with_the_bytes_of_single(dtype):
    assert whole_run("batched", "all", dtype) == whole_run("single", "all", dtype)


def test_batched_copper_run_ends_with_the_bytes_of_single(copper_csv):
    from plm_engine import train

    table = np.genfromtxt(copper_csv, delimiter=",", skip_header=1)[:376]
    digests = {
        train(table[:, :-1], table[:, -1], Config(goal=4000, mode=mode)).network.sha256()
        for mode in ("single", "batched")
    }
    assert len(digests) == 1


@pytest.mark.skipif(torch.cuda.device_count() >= 2, reason="this machine has the GPUs")
def test_data_parallel_is_refused_in_words_without_two_gpus():
    with pytest.raises(UnavailableError, match="at least 2 CUDA GPUs"):
        make_strategies(Config(mode="data_parallel", workers=2))


def test_a_ranked_mode_is_refused_in_words_outside_torchrun(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(UnavailableError, match=r"torch\.distributed\.run"):
        make_strategies(Config(mode="ddp", workers=2))


needs_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs 2 CUDA GPUs")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")


@pytest.mark.gpu
@needs_gpus
@pytest.mark.parametrize("n", [64, 471])
def test_data_parallel_tuning_agrees_with_single(n):
    x, y = random_rows(n, 5)
    strategy, _ = make_strategies(Config(mode="data_parallel", workers=2))
    flats = []
    for each in (SingleStrategy(), strategy):
        rule = Understanding(1e-9, 50, StepSizes())
        network = random_network(5, 7).to(each.device)
        flats.append(each.tune(network, each.place(x, y), rule).flat().cpu().numpy())
    np.testing.assert_allclose(flats[1], flats[0], rtol=0, atol=1e-9)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("mode", ["single", "batched"])
def test_cuda_run_makes_the_decisions_of_the_cpu(mode):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(101, 3))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=101)
    from plm_engine import train

    runs = [train(x, y, Config(goal=0.6, pick=8, mode=mode, device=device)) for device in ("cpu", "cuda")]
    assert runs[0].network.node_ids == runs[1].network.node_ids
