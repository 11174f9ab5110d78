import pytest

from plm_engine.config import Config
from plm_engine.errors import ConfigError, UnavailableError
from plm_engine.experiment.plan import Contender, Plan, parse_contenders, trial_config
from plm_engine.experiment.start import estimate_from
from plm_engine.machine import Gpu, Machine


def machine(gpus: int = 0, gib: float = 16.0) -> Machine:
    return Machine("Linux", 2, 2, int(gib * 2**30), tuple(Gpu("G", 2**34) for _ in range(gpus)), "2")


def test_a_list_of_modes_is_read_with_its_counts():
    keys = [c.key for c in parse_contenders(["single", " batched", "ddp:3", "candidate_parallel"])]
    assert keys == ["single", "batched", "ddp:3", "candidate_parallel:2"]


@pytest.mark.parametrize("text", ["nix", "auto", "ddp:0", "ddp:2000", "single:2", "ddp:x", "", "../x:2", "ddp:2;rm"])
def test_a_mode_that_cannot_be_compared_is_refused_in_words(text):
    with pytest.raises(ConfigError, match="give"):
        Contender.parse(text)


def test_a_plan_survives_being_written_down():
    plan = Plan(parse_contenders(["single", "ddp:2"]), repeats=3, rows=(100, 200))
    assert Plan.from_mapping(plan.to_mapping()) == plan


@pytest.mark.parametrize(
    "wrong", [{"repeats": 0}, {"repeats": 101}, {"minutes": 0.0}, {"rows": (5,)}, {"hidden": (0,)}]
)
def test_a_plan_outside_its_limits_is_refused(wrong):
    with pytest.raises(ConfigError):
        Plan(parse_contenders(["single"]), **wrong)


def test_a_plan_with_nothing_or_something_twice_is_refused():
    with pytest.raises(ConfigError, match="nothing to compare"):
        Plan(())
    with pytest.raises(ConfigError, match="twice"):
        Plan(parse_contenders(["ddp:2", "ddp"]))


def test_what_the_machine_lacks_is_named():
    plan = Plan(parse_contenders(["single", "data_parallel:2"]))
    with pytest.raises(UnavailableError, match="needs 2 CUDA GPUs; none found"):
        plan.check(machine())
    plan.check(machine(gpus=2))
    with pytest.raises(UnavailableError, match="GiB"):
        Plan(parse_contenders(["single", "ddp:64"])).check(machine())


def test_the_order_is_random_within_each_repeat_and_the_same_for_the_same_seed():
    plan = Plan(parse_contenders(["single", "batched", "ddp:2"]), repeats=20)
    order = plan.order(1)
    assert order == plan.order(1)
    assert order != plan.order(2)
    blocks = [order[3 * r : 3 * r + 3] for r in range(20)]
    assert all({r for r, _ in block} == {i} and len({c for _, c in block}) == 3 for i, block in enumerate(blocks))
    assert len({tuple(c.key for _, c in block) for block in blocks}) > 1


def test_seeds_are_shared_by_all_modes_and_no_clock_ends_a_trial():
    config = Config(seed=5, max_minutes=0.2)
    a, b = (trial_config(config, Contender(*each), 2) for each in (("single", 1), ("ddp", 2)))
    assert a.seed == b.seed == 7
    assert a.max_minutes is None
    assert (b.mode, b.workers) == ("ddp", 2)


def test_the_estimate_grows_with_repeats_and_with_talking():
    def seconds(modes: str, repeats: int) -> float:
        plan = Plan(parse_contenders(modes.split(",")), repeats=repeats)
        return estimate_from(plan, total_s=2.0, organizing_s=1.0, steps=1000, complete=True).seconds

    assert seconds("single", 5) < seconds("single", 10) < seconds("single,batched", 10)
    assert seconds("candidate_parallel:2", 5) < seconds("ddp:2", 5)
