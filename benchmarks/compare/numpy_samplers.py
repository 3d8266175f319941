"""Draws per second of NumPy's Generator (PCG64), for samplers_benchmark to print beside ours.

Where NumPy is not installed it prints one line that says so.
"""

import sys
import time

try:
    import numpy
except ImportError:
    sys.exit(print("numpy: skipped, python3-numpy is not installed"))

DRAWS = 4096
SCALE = 10.0


def rate(draw):
    """The best of five, each of at least 50 ms."""
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        calls = 0
        while time.perf_counter() - start < 0.05:
            draw()
            calls += 1
        best = max(best, calls * DRAWS / (time.perf_counter() - start))
    return best


def main():
    random = numpy.random.default_rng(1)
    p = 1.0 - numpy.exp(-1.0 / SCALE)
    samplers = {
        "gaussian": lambda: random.normal(0.0, SCALE, DRAWS),
        "laplace": lambda: random.laplace(0.0, SCALE, DRAWS),
        "exponential": lambda: random.exponential(SCALE, DRAWS),
        "gumbel": lambda: random.gumbel(0.0, SCALE, DRAWS),
        "discrete_laplace": lambda: random.geometric(p, DRAWS) - random.geometric(p, DRAWS),
    }
    for name, draw in samplers.items():
        print(f"numpy {numpy.__version__} {name:18s} {rate(draw) / 1e6:8.1f} M/s")


main()
