"""Figures of cases until detection, where some were never detected: those are censored at the budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

CURVE_AT = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 20_000, 30_000, 100_000, 200_000)


def median(times: Sequence[int | None]) -> float:
    """None is never. Of an even number the lower middle, so that no mean of a number and never is made up: it is the
    least number of cases within which half of the seeds detect."""
    ordered = sorted(math.inf if time is None else time for time in times)
    return ordered[(len(ordered) - 1) // 2] if ordered else math.inf


def curve(times: Iterable[int | None], budget: int) -> list[tuple[int, float]]:
    """The share that survives so many cases. All are censored at the same budget, so that Kaplan and Meier's estimate is
    the plain share."""
    known = list(times)
    points = [at for at in CURVE_AT if at < budget] + [budget]
    return [(at, sum(1 for time in known if time is None or time > at) / len(known)) for at in points] if known else []


def restricted_mean(times: Iterable[int | None], budget: int) -> float:
    """The mean of what was survived, no one counted beyond the budget."""
    known = [budget if time is None else min(time, budget) for time in times]
    return sum(known) / len(known) if known else 0.0
