#!/usr/bin/env python3
"""The levels of programs.toml once more, by quadrature and enumeration where the programs argue by closed forms.

For each program, leaking and sound: what some pair of neighbours attains on some event, and what none exceeds.
`levels.py` compares them with the table, to a part in a thousand, and exits 1 where they differ.
"""
import itertools
import math
import sys
import tomllib
from math import comb, exp, inf, log, sqrt
from pathlib import Path


def simpson(f, low, high, steps=4000):
    h = (high - low) / steps
    inner = sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps))
    return h / 3 * (f(low) + inner + f(high))


def density(x, scale):
    return exp(-abs(x) / scale) / (2 * scale)


def below(x, scale):
    return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def integral(f, corners, scale, width=60):
    """Of f against what decays like Laplace noise, smooth but at the corners."""
    ends = sorted({min(corners) - width * scale, *corners, max(corners) + width * scale})
    return sum(simpson(f, a, b) for a, b in zip(ends, ends[1:]))


def ratio(p, q):
    return log(p / q) if q > 0 else inf


def exceeds(x, scale):
    """P(difference of two Laplace variables > x), given the one."""
    return integral(lambda u: density(u, scale) * below(u - x, scale), (0.0, x), scale)


def elimination(sound):
    largest = 0.0
    for pulls in (4, 8, 16):
        scale = 1.0 if sound or pulls < 16 else 0.1
        threshold = pulls * sqrt(log(64) / (2 * pulls))
        steps = [exceeds(threshold + pulls - k, scale) for k in range(0, 2 * pulls + 1)
                 if threshold + pulls - k < 60 * scale or k < 2]
        if scale == 1.0:
            largest = max(largest, *(log(b / a) for a, b in zip(steps, steps[1:])))
    if not sound:  # probabilities of e^-217, times e^x
        def log_tail(x):  # x in scales; given one variable u, the other is above x + u
            return -x + log(integral(lambda u: density(u, 1.0) * (exp(-u) / 2 if u > -x else
                                                                  exp(x) * (1 - exp(x + u) / 2)), (-x, 0.0), 1.0))
        x = (16 + 16 * sqrt(log(64) / 32)) / 0.1
        largest = max(largest, log_tail(x - 10) - log_tail(x))
    return largest, largest


def tree_ucb(sound):
    levels, pulls = (64).bit_length(), 48
    scale = float(levels)
    # Which nodes are released, and what each reward weighs in them.
    weight = [0.0] * pulls
    nodes = []
    for t in range(pulls):
        level, holds = 0, {t: 1.0}
        while nodes and nodes[-1][0] == level:
            left = nodes.pop()[1]
            right = holds if sound else left
            holds = {i: left.get(i, 0.0) + right.get(i, 0.0) for i in {*left, *right}}
            level += 1
        nodes.append((level, holds))
        for i, w in holds.items():
            weight[i] += w
    shift = 1.0 if sound else 16.0
    return log(0.5 / exceeds(shift, scale)), max(weight) / scale


def federated_ucb(sound):
    if not sound:
        # The first client is paid 1 four times, or three times, and nothing else: are the arms played out of turn?
        out_of_turn = [1.0 if ones >= 4 else 0.0 for ones in (4, 3)]
        return ratio(*out_of_turn), inf
    return log(exceeds(3.0, 1.0) / exceeds(4.0, 1.0)), 1.0


def polya_thompson(sound):
    parties, rounds = 8, 16
    a = exp(-0.25) if sound else 1 - exp(-0.25)

    def law(ones):
        """Of the count that is used, between 0 and 8."""
        out = [0.0] * (parties + 1)
        for k in range(-400, 401):
            out[min(max(ones + k, 0), parties)] += (1 - a) / (1 + a) * a ** abs(k)
        return out

    def wins(m, n):
        """P(Beta(1 + m, 9 - m) > Beta(1 + n, 9 - n)); the second's law is a binomial tail."""
        return simpson(
            lambda x: (parties + 1) * comb(parties, m) * x ** m * (1 - x) ** (parties - m) *
            sum(comb(parties + 1, j) * x ** j * (1 - x) ** (parties + 1 - j) for j in range(n + 1, parties + 2)),
            0.0, 1.0, 200)

    table = [[wins(m, n) for n in range(parties + 1)] for m in range(parties + 1)]

    def times(first, second):
        p, q = law(first), law(second)
        return [sum(p[m] * q[n] * comb(rounds, c) * table[m][n] ** c * (1 - table[m][n]) ** (rounds - c)
                    for m in range(parties + 1) for n in range(parties + 1)) for c in range(rounds + 1)]

    largest = 0.0
    for second in (0, 4, 8):
        laws = [times(first, second) for first in range(parties + 1)]
        for old, new in zip(laws, laws[1:]):
            largest = max(largest, *(abs(log(x / y)) for x, y in zip(old, new)))
    return largest, -log(a)


def stopping(sound):
    # Rewards are 1 for arm 0 and 0 for arm 1, but for the first, which is 1 or 0.
    if not sound:
        stops = [next(n for n in range(1, 33) if n - missing > sqrt(2 * n * log(4 * n))) for missing in (0, 1)]
        return ratio(1.0, 1.0 * (stops[0] == stops[1])), inf
    # The plays that end with the first look.
    def ends(ahead):
        far = sqrt(2 * log(4))
        p = integral(lambda r: density(r, 4.0) * (1 - below(far + r - ahead, 8.0) * below(far + r + ahead, 8.0)),
                     (0.0, ahead - far, -ahead - far), 8.0)
        return p * (1 - below(-ahead, 2.0))
    return log(ends(1.0) / ends(0.0)), 0.5 + 0.5


def borda(sound):
    scale = 8.0 if sound else 1.0
    wins = range(4)
    moved = max(sum(abs(a - b) for a, b in zip(wins, other)) for other in itertools.permutations(wins))

    def first_second(means):
        """P(arm 0 is first, arm 1 second)."""
        corners = tuple(sorted(set(means)))

        def above(y):  # arm 0 above y
            return 1 - below(y - means[0], scale)
        return integral(lambda y: density(y - means[1], scale) * above(y) * below(y - means[2], scale) *
                        below(y - means[3], scale), corners, scale)
    return abs(log(first_second((12, 12, 12, 12)) / first_second((9, 11, 13, 15)))), moved / scale


def perturbed_leader(sound):
    # Expert 0 as far behind three others.
    def leads(behind):
        return integral(lambda u: density(u, 2.0) * below(u - behind, 2.0) ** 3, (0.0, behind), 2.0)
    if not sound:
        # In round 2 expert 0 loses 1 and the others nothing, or the reverse: it leads before, and not after.
        return ratio(leads(0.0) - leads(1.0), max(0.0, leads(0.0) - leads(-1.0))), inf
    # 40 or 38 behind.
    return log(leads(38.0) / leads(40.0)), 2 * 1.0 / 2.0


def noisy_mean(sound):
    if not sound:
        # The answer is the mean itself, of sums that differ by 1; else the noise is in the cell where that falls.
        def cell(low, high):
            return integral(lambda u: density(u, 2.0) * (below(high * (4 + u), 2.0) - below(low * (4 + u), 2.0))
                            if u > -4 else 0.0, (-4.0, 0.0), 2.0)
        level = ratio(exp(-4 / 2) / 2 + cell(-0.0005, 0.0005), cell(0.2495, 0.2505))
        return level, level
    # At least x = 1, given the count: the sum's noise above c - sum.
    def tail(total):
        return integral(lambda u: density(u, 2.0) * (1 - below(max(4 + u, 1.0) - total, 2.0)), (-4.0, -3.0, 0.0), 2.0)
    return log(tail(1.0) / tail(0.0)), 0.5


def noisy_max(sound):
    scale = 8.0 if sound else 4.0

    def largest(ahead):
        """P(number 0 is the largest of 8), so far ahead of the others."""
        return integral(lambda u: density(u, scale) * below(u + ahead, scale) ** 7, (0.0, -ahead), scale)
    return log(largest(-30 * scale + 2) / largest(-30 * scale)), 2.0 / scale


def first_fit(sound):
    d = 5
    scale = 2.0 * d if sound else 2.0

    def positive(mean):
        return 1 - below(-mean, scale)
    return d * log(positive(-5.0) / positive(-7.0)), d * 2 / scale


def main():
    table = tomllib.loads(Path(__file__).with_name("programs.toml").read_text())
    wrong = 0
    for row in table["program"]:
        if "at_most" not in row:
            continue
        least, most = globals()[row["file"].removesuffix(".py")](row.get("sound", False))
        good = all(math.isclose(row[key], value, rel_tol=1e-3) for key, value in (("at_least", least), ("at_most", most)))
        wrong += not good
        print(f"{row['name']:32} {least:8.4f} to {most:8.4f}   {'' if good else 'NOT what the table says'}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
