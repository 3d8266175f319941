"""Noise that the programs share."""
import random


def laplace(scale):
    return scale * (random.expovariate(1.0) - random.expovariate(1.0))
