import numpy as np

from plm_engine.learning.picking import picking


def test_case_worked_by_hand():
    residuals = np.array([0.1, -0.9, 0.5, 2.0, -0.2, 0.7])
    picked = picking(residuals, goal=0.3, pick_size=2)
    assert picked.learned.tolist() == [0, 4]
    assert picked.new.tolist() == [2, 5]
    assert picked.rows.tolist() == [0, 2, 4, 5]


def test_ties_break_by_row_number_also_between_signs():
    picked = picking(np.array([3.0, -1.0, 1.0, -1.0, 1.0]), goal=0.5, pick_size=3)
    assert picked.new.tolist() == [1, 2, 3]


def test_a_row_exactly_at_the_goal_is_learned():
    assert picking(np.array([0.5, -0.5, 0.5000001]), goal=0.5, pick_size=1).learned.tolist() == [0, 1]


def test_learned_rows_stay_even_where_many_are_picked():
    residuals = np.linspace(-1, 1, 21)
    picked = picking(residuals, goal=0.25, pick_size=100)
    assert set(picked.learned) | set(picked.new) == set(range(21))
    assert set(np.flatnonzero(np.abs(residuals) <= 0.25)) == set(picked.learned)


def test_nothing_new_when_all_is_learned():
    assert len(picking(np.zeros(4), goal=0.1, pick_size=3).new) == 0


def test_what_is_not_a_number_is_picked_last():
    assert picking(np.array([np.nan, 5.0, 2.0]), goal=0.1, pick_size=2).new.tolist() == [2, 1]


def test_a_share_is_one_of_the_rows_not_learned_yet_and_at_least_one_row():
    residuals = np.arange(30.0)  # 20 rows are open
    picks = {
        share: picking(residuals, goal=9.5, pick_size=share).new.tolist() for share in (0.001, 0.05, 0.1, 0.11, 1.0)
    }
    assert picks[0.001] == picks[0.05] == [10]
    assert picks[0.1] == [10, 11]
    assert picks[0.11] == [10, 11, 12]
    assert picks[1.0] == list(range(10, 30))
    assert len(picking(np.zeros(4), goal=0.1, pick_size=0.5).new) == 0
