#!/usr/bin/env python3
"""Writes noisy_max_cases.txt and grouped_noisy_max_cases.txt: the law of report noisy max, and of
groups with random scores, in high precision (mpmath).

    python3 tests/support/make_noisy_max_cases.py > tests/support/noisy_max_cases.txt
    python3 tests/support/make_noisy_max_cases.py grouped \\
        > tests/support/grouped_noisy_max_cases.txt

Nothing here is how mechanisms/noisy_max/noisy_max_distribution.cpp computes: exponential and Laplace noise by
expanding the products into powers of e^-x and integrating every term exactly, discrete Laplace by
summing over all integers, Gaussian by adaptive quadrature, Gumbel by its softmax. A line reads

    noise scale n score_1 .. score_n log_p_1 .. log_p_n

with scores as exact doubles (hexadecimal) and logarithms of 20 digits.

Groups: the integral in 50 digits by Gauss-Legendre panels between the scores, every score evaluated
at every node (mechanisms/numerics has recurrences, and trapezoids for Gumbel noise). A line reads

    noise scale g, then for each group: count n score_1 .. score_n weight_1 .. weight_n,
    then m, and for m of the groups: its index, log_p of one member

with weights that are exact doubles of sum 1. Takes some minutes, most for 1000 different scores.
"""
import random
import sys
from fractions import Fraction
from math import ceil, comb

from mpmath import erfc, exp, expm1, inf, log, mp, mpf, pi, quad, sqrt
from mpmath.calculus.quadrature import GaussLegendre


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


def group(count, scores, weights=(1.0,)):
    assert sum(Fraction(w) for w in weights) == 1
    return count, list(scores), list(weights)


def resampled(count, n, sixteenths, unit=1.0, offset=0.0):
    """Scores -(offset + unit Bin(n, sixteenths/16))."""
    weights = [Fraction(comb(n, k) * sixteenths ** k * (16 - sixteenths) ** (n - k), 16 ** n)
               for k in range(n + 1)]
    assert all(Fraction(float(w)) == w for w in weights)
    return group(count, [-(offset + unit * k) for k in range(n + 1)], [float(w) for w in weights])


class NodeOfGroup:
    """cdf and b times the density of one group's score at a node."""

    def __init__(self, noise, b, scores, weights):
        self.noise = noise
        self.atoms = [(mpf(v), exp(mpf(v) / b), exp(-mpf(v) / b), mpf(w))
                      for v, w in zip(scores, weights)]

    def at(self, x, fall, rise):  # fall = e^(-x/b)
        cdf, density = mpf(0), mpf(0)
        for v, up, down, w in self.atoms:
            if self.noise == "gumbel":
                power = fall * up
                f = w * exp(-power)
                cdf += f
                density += f * power
            elif x >= v:
                s = w * fall * up
                s = s / 2 if self.noise == "laplace" else s
                cdf += w - s
                density += s
            elif self.noise == "laplace":
                s = w * rise * down / 2
                cdf += s
                density += s
        return cdf, density


def grouped(noise, b, groups, wanted, degree):
    scale = mpf(b)
    kinks = sorted({v for _, scores, _ in groups for v in scores})
    members = sum(count for count, _, _ in groups)
    # Panels of half a scale up to where almost all scores lie below, then of four.
    middle = mpf(kinks[-1]) + scale * (2 + log(mpf(members)))
    edges = [mpf(v) for v in kinks] + [middle]
    if noise == "exponential":
        support = max(min(scores) for _, scores, _ in groups)
        edges = [x for x in edges if x >= support]
    elif noise == "gumbel":
        edges.insert(0, edges[0] - scale * 6)
    stretches = [(low, high, scale / 2) for low, high in zip(edges, edges[1:])]
    stretches.append((middle, middle + 120 * scale, scale * 4))
    rule = GaussLegendre(mp).calc_nodes(degree, mp.prec)
    laws = [NodeOfGroup(noise, scale, scores, weights) for _, scores, weights in groups]
    sums = [mpf(0)] * len(wanted)
    below = mpf(1)  # all members lie below a node with this probability, which bounds the rest
    for low, high, width in reversed(stretches):
        panels = ceil((high - low) / width)
        half = (high - low) / (2 * panels)
        for panel in reversed(range(panels)):
            if below < mpf(10) ** -60 * min(sums):
                break
            below = mpf(1)
            for u, weight in rule:
                x = low + half * (2 * panel + 1 + u)
                fall = exp(-x / scale)
                rise = 1 / fall
                nodes = [law.at(x, fall, rise) for law in laws]
                product = mpf(1)
                for (count, _, _), (cdf, _) in zip(groups, nodes):
                    product *= cdf if count == 1 else cdf ** count
                below = min(below, product)
                if product == 0:
                    continue
                for i, g in enumerate(wanted):
                    sums[i] += half / scale * weight * product * nodes[g][1] / nodes[g][0]
    if noise == "laplace" and below >= mpf(10) ** -60 * min(sums):
        x = edges[0]  # below every score all cdfs are e^(x/b) times what they are there
        product = mpf(1)
        for (count, _, _), law in zip(groups, laws):
            product *= law.at(x, exp(-x / scale), exp(x / scale))[0] ** count
        sums = [p + product / members for p in sums]
    if len(wanted) == len(groups):
        total = sum(groups[g][0] * p for g, p in zip(wanted, sums))
        assert abs(total - 1) < mpf(10) ** -38, (noise, b, total)
    return sums


def write_groups(noise, b, groups, wanted=None, degree=5):
    mp.dps = 50
    wanted = list(range(len(groups))) if wanted is None else wanted
    fields = [noise, float(b).hex(), len(groups)]
    for count, scores, weights in groups:
        fields += [count, len(scores)] + [float(x).hex() for x in scores + weights]
    fields.append(len(wanted))
    for g, p in zip(wanted, grouped(noise, b, groups, wanted, degree)):
        fields += [g, mp.nstr(log(p), 20)]
    print(*fields, flush=True)


def main_grouped():
    draw = random.Random(2)
    for noise, many in (("laplace", 1000), ("exponential", 1000), ("gumbel", 10000)):
        # Fractional sums of losses, not resampled, around the change of panels at K = 12.
        for members in (2, 12, 13, many):
            rest = members - 1
            groups = [group(1, [-1.3]), group(rest - rest // 2, [-0.7])]
            if rest // 2:
                groups.append(group(rest // 2, [-2.9]))
            for b in (0.125, 2.0):
                write_groups(noise, b, groups)
        # Resampled losses, on whole numbers and off them.
        for b in (0.25, 1.0, 3.0, 40.0):
            write_groups(noise, b, [resampled(1, 12, 4), resampled(1, 12, 8),
                                    resampled(many - 2, 12, 12)])
        write_groups(noise, 2.0, [resampled(1, 8, 2), resampled(9, 8, 3),
                                  group(1, [-2.0])])
        for members in (1, many - 1):
            # The paper's example, 0.3 surely and 0.4 times a coin, with a coin of 13/16.
            write_groups(noise, 2.0, [group(1, [-0.3 * 8]), resampled(members, 8, 13, 0.4)])
            write_groups(noise, 0.2, [group(1, [-0.3 * 8]), resampled(members, 8, 13, 0.4)])
            write_groups(noise, 5.0, [resampled(1, 6, 5, 1.0, 0.25), resampled(1, 4, 9, 0.5, 0.1),
                                      resampled(members, 5, 11, 1.0, 0.7)])
        # Far behind, surely or but for a small weight; many million members.
        write_groups(noise, 1.0, [group(1, [0.0]), group(2, [-600.0])])
        small = 2.0 ** -50
        write_groups(noise, 1.0, [group(1, [0.0, -300.0], [small, 1.0 - small]), group(2, [-0.5]),
                                  group(1, [-320.0])])
        write_groups(noise, 2.0, [resampled(1, 10, 8), resampled(1, 10, 5),
                                  resampled(30_000_000, 10, 15)])
    # Experts that all differ.
    for noise, b in (("laplace", 4.0), ("exponential", 2.0)):
        groups = [group(1, [-draw.uniform(0.0, 127.0)]) for _ in range(1000)]
        write_groups(noise, b, groups, sorted(draw.sample(range(1000), 12)), degree=4)


def main():
    if sys.argv[1:] == ["grouped"]:
        main_grouped()
        return
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
