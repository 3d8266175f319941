"""A simulated service that an auditor can query but not start: a noisy count of the records that are set.

The noise is two-sided geometric, P(k) proportional to e^(-EPSILON |k|). The count is EPSILON-differentially private
for one replaced record. It is a whole number, so no low bit of a double leaks more.
"""
import math

EPSILON = 0.5


def geometric(rng):
    return math.floor(rng.expovariate(EPSILON))


def noisy_count(records, rng):
    return sum(records) + geometric(rng) - geometric(rng)
