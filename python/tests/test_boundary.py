"""Whatever is passed, there is a result or an error that the documentation names."""

from __future__ import annotations

import warnings

import pytest
from boundary import run


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_odd_values_give_results_or_known_errors(start: int) -> None:
    with warnings.catch_warnings(action="ignore"):
        assert sum(run(seed) for seed in range(start, start + 20)) == 180
