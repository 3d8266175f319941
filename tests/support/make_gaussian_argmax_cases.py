#!/usr/bin/env python3
"""Writes the reference values of the Gaussian argmax probability.

    python3 tests/support/make_gaussian_argmax_cases.py > tests/support/gaussian_argmax_cases.txt

One case a line, numbers as hexadecimal doubles:
    N k changed changed_mean log_p log_p_low log_q log_q_low mean_1..mean_N scale_1..scale_N
log P = log_p + log_p_low on the state given, log_q likewise with the mean of arm `changed` replaced.
Integrated in 45 digits by Gauss-Legendre panels between m_j + s_j {0, 1.5, 3, 5, 8, 12}, the mode and
mode + w {1, 2, 4, 7, 10, 14}, both ways; each panel is integrated with two rules and the values must
agree within 1e-28 of the whole. Takes some minutes. Needs mpmath.
"""
import functools
import math
import multiprocessing
import random

import mpmath as mp

mp.mp.dps = 45


@functools.lru_cache(None)
def legendre(n):
    nodes, weights = [], []
    for i in range(n):
        x = -mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (n + mp.mpf(1) / 2))
        for _ in range(12):  # Newton
            slope = n * (x * mp.legendre(n, x) - mp.legendre(n - 1, x)) / (x * x - 1)
            x -= mp.legendre(n, x) / slope
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope**2))
    return nodes, weights


def cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def log_slope(x, means, scales, k):
    total = -(x - means[k]) / scales[k] ** 2
    for j, (m, s) in enumerate(zip(means, scales)):
        if j != k:
            z = (x - m) / s
            total += mp.npdf(z) / cdf(z) / s
    return total


def log_probability(means, scales, k):
    means, scales = [mp.mpf(m) for m in means], [mp.mpf(s) for s in scales]
    low, high = means[k], max(means) + sum(scales[k] ** 2 / s for s in scales) + scales[k]
    for _ in range(120):
        middle = (low + high) / 2
        if log_slope(middle, means, scales, k) > 0:
            low = middle
        else:
            high = middle
        if high - low < min(scales) / 1000:
            break
    mode = (low + high) / 2
    step = min(scales) / 100
    bend = (log_slope(mode + step, means, scales, k) - log_slope(mode - step, means, scales, k)) / (2 * step)
    width = 1 / mp.sqrt(-bend)

    def f(x):
        value = mp.npdf((x - means[k]) / scales[k]) / scales[k]
        for j, (m, s) in enumerate(zip(means, scales)):
            if j != k:
                value *= cdf((x - m) / s)
        return value

    peak = f(mode)
    left, right = mode - width, mode + width
    while f(left) > peak * mp.mpf(10) ** -34:
        left -= width
    while f(right) > peak * mp.mpf(10) ** -34:
        right += width
    edges = {left, right, mode}
    # Of many arms none has an edge of its own: panels are halved until their two rules agree.
    for m, s in zip(means, scales) if len(means) <= 16 else ():
        edges |= {m + s * e for e in (-12, -8, -5, -3, -1.5, 0, 1.5, 3, 5, 8, 12)}
    edges |= {mode + width * e for e in (-14, -10, -7, -4, -2, -1, 1, 2, 4, 7, 10, 14)}
    edges = sorted(e for e in edges if left <= e <= right)
    merged = [edges[0]]
    for e in edges[1:-1]:
        if e - merged[-1] > min(scales) / 50:
            merged.append(e)
    merged.append(edges[-1])

    def rule(a, b, n):
        nodes, weights = legendre(n)
        half, middle = (b - a) / 2, (a + b) / 2
        return half * mp.fsum(w * f(middle + half * x) for x, w in zip(nodes, weights))

    def panel(a, b, scale, depth=0):
        coarse, fine = rule(a, b, 24), rule(a, b, 32)
        if abs(coarse - fine) <= scale * mp.mpf(10) ** -29:
            return fine
        assert depth < 30
        middle = (a + b) / 2
        return panel(a, middle, scale, depth + 1) + panel(middle, b, scale, depth + 1)

    scale = peak * width
    return mp.log(mp.fsum(panel(a, b, scale) for a, b in zip(merged, merged[1:])))


def thompson_state(rng, n):
    counts = [int(10 ** rng.uniform(0, 3)) - 1 for _ in range(n)]
    c = rng.choice([1.0, 1.0, 2.0, 10.0])
    means = [sum(rng.random() < p for _ in range(count)) / (count + 1)
             for count, p in zip(counts, [rng.random() for _ in range(n)])]
    return means, [math.sqrt(c / (count + 1)) for count in counts]


def states():
    rng = random.Random(20240607)
    for n in (2, 3, 4, 5, 5, 5, 7, 10):  # realistic
        for _ in range(14):
            means, scales = thompson_state(rng, n)
            yield means, scales, rng.randrange(n)
    for n in (2, 3, 5, 10):  # scale ratios to 1000, means near and far, ties
        for ratio in (1, 10, 1000):
            for spread in (0, 1e-9, 0.3, 3, 12):
                scales = [ratio ** -rng.random() for _ in range(n)]
                scales[rng.randrange(n)] = 1.0
                scales[rng.randrange(n)] = 1.0 / ratio
                means = [spread * rng.uniform(-1, 1) for _ in range(n)]
                yield means, scales, rng.randrange(n)
    for n in (2, 3, 5, 8):  # small probabilities, to 1e-250
        for depth in (4, 8, 12, 18, 24, 30, 33.5):
            scales = [10 ** rng.uniform(-1, 0.5) for _ in range(n)]
            means = [rng.uniform(0, 1) for _ in range(n)]
            k = rng.randrange(n)
            best = max((j for j in range(n) if j != k), key=lambda j: means[j])
            means[k] = means[best] - depth * math.hypot(scales[k], scales[best])
            yield means, scales, k
    for n in (2, 3, 6):  # probabilities near 1, to 1 - 1e-12
        for depth in (1, 2, 4, 5.5, 7):
            scales = [10 ** rng.uniform(-1, 0) for _ in range(n)]
            means = [rng.uniform(0, 1) for _ in range(n)]
            k = rng.randrange(n)
            means[k] = max(m + depth * math.hypot(scales[k], s) for m, s in zip(means, scales))
            yield means, scales, k
    for spread in (0.0, 0.5, 3.0):  # many arms
        means = [spread * rng.random() for _ in range(64)]
        scales = [10 ** rng.uniform(-1, 0) for _ in range(64)]
        yield means, scales, rng.randrange(64)
    for n in (2, 3, 5):  # below the range of a double, to log P = -1e5
        for depth in (45, 150, 445):
            scales = [10 ** rng.uniform(-1, 0.5) for _ in range(n)]
            means = [rng.uniform(0, 1) for _ in range(n)]
            k = rng.randrange(n)
            means[k] = max(m - depth * math.hypot(scales[k], s) for m, s in zip(means, scales))
            yield means, scales, k


def split(value):
    high = float(value)
    return high.hex(), float(value - mp.mpf(high)).hex()


def line(task):
    index, (means, scales, k) = task
    rng = random.Random(index)
    n = len(means)
    changed = rng.randrange(n) if index % 3 else k
    changed_mean = means[changed] + rng.choice([-1, 1]) * min(1.0, scales[changed] ** 2)
    other = list(means)
    other[changed] = changed_mean
    numbers = [changed_mean.hex(), *split(log_probability(means, scales, k)),
               *split(log_probability(other, scales, k)), *(float(x).hex() for x in means + scales)]
    return " ".join([str(n), str(k), str(changed), *numbers])


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        for text in pool.imap(line, enumerate(states()), chunksize=1):
            print(text, flush=True)
