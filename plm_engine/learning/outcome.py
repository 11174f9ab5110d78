"""How tunings, rounds and runs end: every ending is a member with a sentence for people."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How one weight tuning ended."""

    GOAL_MET = "goal met"
    UNDESIRED_ATTRACTOR = "undesired attractor"
    EPOCH_BOUND = "epoch bound"
    LEFT_GOAL = "would leave the goal"
    STOPPED = "stopped"

    @property
    def sentence(self) -> str:
        """Say it in words."""
        return _OUTCOME[self]


_OUTCOME = {
    Outcome.GOAL_MET: "Every picked row is within the goal.",
    Outcome.UNDESIRED_ATTRACTOR: "Tuning stalled: no step size lowered the loss any more.",
    Outcome.EPOCH_BOUND: "Tuning used up its steps before every picked row was within the goal.",
    Outcome.LEFT_GOAL: "A further step would have pushed a learned row out of the goal.",
    Outcome.STOPPED: "The time budget was used up, or the run was asked to end.",
}


class EndReason(StrEnum):
    """Why a run ended."""

    GOAL_MET = "goal met"
    BUDGET_MINUTES = "budget reached: minutes"
    BUDGET_NODES = "budget reached: nodes"
    BUDGET_ROUNDS = "budget reached: rounds"
    NO_GAP = "rows too close together"
    ROUNDING = "rounding coarser than the goal"
    STOPPED = "stopped"

    @property
    def sentence(self) -> str:
        """Say it in words."""
        return _END[self]


_END = {
    EndReason.GOAL_MET: "Every training row is within the learning goal.",
    EndReason.BUDGET_MINUTES: "The time budget (--max-minutes) was used up; the network so far is usable.",
    EndReason.BUDGET_NODES: "The next rows would have needed more hidden nodes than --max-nodes allows; the network so "
    "far is usable.",
    EndReason.BUDGET_ROUNDS: "The budget of rounds (--max-rounds) was used up; the network so far is usable.",
    EndReason.NO_GAP: "Some rows lie too close together to be told apart; the network so far is usable.",
    EndReason.ROUNDING: "Rounding errors are larger than the learning goal; the network so far is usable.",
    EndReason.STOPPED: "The run was stopped on request; the network so far is usable.",
}
