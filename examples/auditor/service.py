"""Stands for a service that an auditor can ask, but not start: how many of the records are set, with noise.

The noise is two-sided geometric, P(k) proportional to e^(-EPSILON |k|): EPSILON-differentially private, for one
record replaced. It is a whole number, so that no low bit of a double tells more.
"""
import math

EPSILON = 0.5


def geometric(rng):
    return math.floor(rng.expovariate(EPSILON))


def noisy_count(records, rng):
    return sum(records) + geometric(rng) - geometric(rng)
