#!/usr/bin/env python3
"""Writes noisy_max_cases.txt: the law of report noisy max in high precision (mpmath).

    python3 tests/support/make_noisy_max_cases.py > tests/support/noisy_max_cases.txt

Nothing here is how mechanisms/release/noisy_max_law.cpp computes: exponential and Laplace noise by
expanding the products into powers of e^-x and integrating every term exactly, discrete Laplace by
summing over all integers, Gaussian by adaptive quadrature, Gumbel by its softmax. A line reads

    noise scale n score_1 .. score_n log_p_1 .. log_p_n

with scores as exact doubles (hexadecimal) and logarithms of 20 digits.
"""
import random
from fractions import Fraction

from mpmath import erfc, exp, expm1, inf, log, mp, mpf, pi, quad, sqrt


def times(poly, constant, slope):
    """poly (coefficients of powers of s) times (constant + slope s)."""
    out = [mpf(0)] * (len(poly) + 1)
    for k, c in enumerate(poly):
        out[k] += c * constant
        out[k + 1] += c * slope
    return out


def exponential(b, q):
    top = max(q)
    w = [exp((mpf(x) - mpf(top)) / mpf(b)) for x in q]
    result = []
    for i in range(len(q)):
        poly = [mpf(1)]
        for j in range(len(q)):
            if j != i:
                poly = times(poly, mpf(1), -w[j])
        result.append(w[i] * sum(c / (k + 1) for k, c in enumerate(poly)))
    return result


def laplace(b, q):
    a = [mpf(x) / mpf(b) for x in q]
    edges = sorted(set(a))
    bounds = [-inf] + edges + [inf]
    result = [mpf(0)] * len(a)
    for low, high in zip(bounds, bounds[1:]):
        # With s = e^-(x - r): above its score F = 1 - s e^(a - r)/2, below it F = e^(r - a)/(2 s).
        r = high if low == -inf else low
        for i in range(len(a)):
            poly, power = [mpf(1)], 0
            for j in range(len(a)):
                below = a[j] >= high
                if j == i:
                    factor = exp(r - a[j]) / 2 if below else exp(a[j] - r) / 2
                    poly = [c * factor for c in poly]
                    power += -1 if below else 1
                elif below:
                    poly = [c * exp(r - a[j]) / 2 for c in poly]
                    power -= 1
                else:
                    poly = times(poly, mpf(1), -exp(a[j] - r) / 2)
            for k, c in enumerate(poly):
                m = k + power  # integral of s^m dx, dx = -ds/s
                if m == 0:
                    result[i] += c * (high - low) if low != -inf and high != inf else 0
                else:
                    near = mpf(0) if low == -inf else exp(-m * (low - r))
                    far = mpf(0) if high == inf else exp(-m * (high - r))
                    result[i] += c * (near - far) / m
    return result


def discrete_laplace(b, q):
    scale = mpf(b)
    decay = exp(-1 / scale)

    def pmf(k):
        return -expm1(-1 / scale) / (1 + decay) * exp(-abs(k) / scale)

    def cdf(k):
        return exp(k / scale) / (1 + decay) if k < 0 else 1 - exp(-(k + 1) / scale) / (1 + decay)

    exact = [Fraction(x) for x in q]
    spread = int(max(q) - min(q)) + 1
    reach = int(75 * float(b)) + 3
    result = []
    for i in range(len(q)):
        total = mpf(0)
        for k in range(-reach - spread, reach + spread + 1):
            term = pmf(k)
            for j in range(len(q)):
                if j == i:
                    continue
                gap = k + exact[i] - exact[j]
                most = -((-gap.numerator) // gap.denominator) - 1 if j < i else \
                    gap.numerator // gap.denominator
                term *= cdf(most)
            total += term
        result.append(total)
    return result


def gaussian(b, q):
    a = [mpf(x) / mpf(b) for x in q]

    def tail(x):
        return erfc(x / sqrt(mpf(2))) / 2

    result = []
    for i in range(len(a)):
        def integrand(x, i=i):
            value = exp(-(x - a[i]) ** 2 / 2) / sqrt(2 * pi)
            for j in range(len(a)):
                if j != i:
                    value *= tail(a[j] - x)
            return value
        # quad stops at an absolute error: in units of the largest value, over what matters.
        points = [min(a) - 14 + mpf(k) / 2 for k in range(2 * int(max(a) - min(a)) + 57)]
        values = [integrand(x) for x in points]
        most = max(values)
        points = [x for x, value in zip(points, values) if value > most * mpf(10) ** -30]
        result.append(most * quad(lambda x: integrand(x) / most, points))
    return result


def gumbel(b, q):
    w = [exp((mpf(x) - mpf(max(q))) / mpf(b)) for x in q]
    return [x / sum(w) for x in w]


LAWS = {"laplace": laplace, "exponential": exponential, "gumbel": gumbel, "gaussian": gaussian,
        "discrete-laplace": discrete_laplace}


def write(noise, b, q, digits):
    mp.dps = digits
    probabilities = LAWS[noise](b, q)
    total = sum(probabilities)
    assert abs(total - 1) < mpf(10) ** -22, (noise, b, q, total)
    texts = [mp.nstr(log(p), 20) for p in probabilities]
    print(noise, float(b).hex(), len(q), *[float(x).hex() for x in q], *texts)


def main():
    draw = random.Random(1)
    shapes = [
        [0.0], [1.0, 1.0], [0.0, 1.0], [3.0, 0.0, 3.0, 1.0], [0.0] * 12,
        [5.0, 5.0, 5.0, 0.0, 0.0, -1.0], [0.0, -300.0], [0.0, 0.0, -200.0, -250.0],
        [0.25, 0.75, -0.5, 0.25, 1.0], [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0],
        [-100.0, -40.0, -40.5, 0.0, -90.0],
    ]
    for q in shapes:
        for b in (1.0, 0.5, 3.0):
            for noise in ("laplace", "exponential", "gumbel"):
                write(noise, b, q, 400)
    for n in (10, 12, 25, 40):
        for spread in (1.0, 10.0, 60.0):
            q = [round(draw.uniform(-spread, 0.0), 3) for _ in range(n)]
            write("laplace", 1.0, q, 400)
            write("exponential", 1.0, q, 300)
    q = [draw.uniform(-12.0, 0.0) for _ in range(300)]
    write("exponential", 2.0, q, 400)
    write("laplace", 1.0, [0.0] + [-650.0 - k for k in range(5)], 700)
    for q in ([0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0] * 6,
              [0.5, 0.0, 0.25, 0.5, -0.5], [-3.0, -1.5, 0.0, -30.0], [-1e-20, 0.0, -1.0, -1e-21]):
        for b in (1.0, 0.05, 0.001, 4.0):
            write("discrete-laplace", b, q, 3500 if b < 0.01 else 400)
    write("discrete-laplace", 200.0, [0.0, -150.0, 20.0, -4000.0], 60)
    write("discrete-laplace", 60.0, [0.0] * 5 + [-1.0] * 3 + [30.0, 31.5, 300.0], 60)
    for q in ([0.0, 0.0], [0.0, -1.0, 2.0], [0.0, -25.0, -18.0], [0.0, 0.0, 0.0, -40.0, -3.0]):
        write("gaussian", 1.5, q, 35)


if __name__ == "__main__":
    main()
