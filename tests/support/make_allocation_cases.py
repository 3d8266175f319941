#!/usr/bin/env python3
"""Writes reference values of the privacy loss of random allocation.

    python3 tests/support/make_allocation_cases.py > tests/support/allocation_cases.txt

Lines: kind, scale of the noise, batches t, delta, eps for remove, eps for add. With S the sum of t likelihood ratios x under
R and phi(w) = E e^(-w x),
    E (K - S)+ = (1/pi) integral over y > 0 of Re e^(w K) phi(w)^t/w^2,   w = c + i y
remove: delta = E (S - K)+/t at K = t e^eps;  add: delta = e^eps E (K - S)+/t at K = t e^-eps.
Needs mpmath; takes some minutes.
"""
import mpmath as mp

mp.mp.dps = 25


def gauss(low, high, panels, degree=5):
    """Nodes and weights on equal panels."""
    rule = mp.calculus.quadrature.GaussLegendre(mp.mp).calc_nodes(degree, 100)
    width = (high - low) / panels
    for k in range(panels):
        middle = low + (k + mp.mpf(1) / 2) * width
        for x, weight in rule:
            yield middle + x * width / 2, weight * width / 2


def gaussian(sigma):
    """Values of x, and their masses under R: the trapezoidal rule, whose error falls faster than any power."""
    inverse_step = int(mp.ceil(180 / sigma**1.5))
    for k in range(-11 * inverse_step, 11 * inverse_step + 1):
        z = mp.mpf(k) / inverse_step
        yield mp.exp(z / sigma - 1 / (2 * sigma**2)), mp.npdf(z) / inverse_step


def laplace(b):
    yield mp.exp(-1 / b), mp.mpf(1) / 2
    yield mp.exp(1 / b), mp.exp(-1 / b) / 2
    for z, weight in gauss(mp.mpf(0), mp.mpf(1), 4):
        yield mp.exp((2 * z - 1) / b), weight * mp.exp(-z / b) / (2 * b)


def cases(kind, scale, t, deltas):
    points = list({"gaussian": gaussian, "laplace": laplace}[kind](scale))
    mean = mp.fsum(x * m for x, m in points)
    assert abs(mp.fsum(m for _, m in points) - 1) < mp.mpf(10) ** -20, "masses"
    assert abs(mean - 1) < mp.mpf(10) ** -20, "mean"
    spread = mp.sqrt(t * mp.fsum((x - 1) ** 2 * m for x, m in points))
    c = mp.mpf(1) / (4 * spread)
    nodes = []
    low = mp.mpf(0)
    while True:  # panels of 2/spread until phi^t is nothing
        largest = 0
        for y, weight in gauss(low, low + 2 / spread, 1):
            w = mp.mpc(c, y)
            power = mp.fsum(m * mp.exp(-w * x) for x, m in points) ** t
            largest = max(largest, abs(power))
            nodes.append((w, weight * power / w**2))
        low += 2 / spread
        if largest < mp.mpf(10) ** -21:
            break

    def put(k):
        return mp.fsum(mp.re(mp.exp(w * k) * f) for w, f in nodes) / mp.pi

    def solve(profile, delta):
        high = mp.mpf(1) / 10  # step by step: at far larger K the integrand is too large
        while profile(high) > delta:
            high += mp.mpf(1) / 10
        low = high - mp.mpf(1) / 10
        for _ in range(45):
            middle = (low + high) / 2
            if profile(middle) > delta:
                low = middle
            else:
                high = middle
        return low

    for delta in deltas:
        remove = solve(lambda eps: (put(t * mp.exp(eps)) + t - t * mp.exp(eps)) / t, mp.mpf(delta))
        add = solve(lambda eps: mp.exp(eps) * put(t * mp.exp(-eps)) / t, mp.mpf(delta))
        print(kind, mp.nstr(scale, 5), t, delta, mp.nstr(remove, 12), mp.nstr(add, 12), flush=True)


cases("laplace", mp.mpf(1), 100, ["1e-6", "1e-10"])
cases("laplace", mp.mpf(3), 50, ["1e-8"])
cases("gaussian", mp.mpf(2), 100, ["1e-6", "1e-10"])
cases("gaussian", mp.mpf(1), 100, ["1e-4", "1e-6"])
