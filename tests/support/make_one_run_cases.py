#!/usr/bin/env python3
"""Writes the reference values of one-run audits.

    python3 tests/support/make_one_run_cases.py > tests/support/one_run_cases.txt

Two kinds of lines, in 40 digits, printed as doubles:
    eps m r v eps delta p published    the tight p-value, and the published one, by exact binomial sums
    mu m r v alpha mu                  where the recursion for mu-GDP ends at exactly r/m
Needs mpmath; takes ten seconds.
"""
import mpmath as mp

mp.mp.dps = 40


def pmf(k, n, q):
    return mp.binomial(n, k) * q**k * (1 - q) ** (n - k)


def p_values(m, r, v, eps, delta):
    q = 1 / (1 + mp.exp(-mp.mpf(eps)))
    points = [pmf(k, r, q) for k in range(r + 1)]
    beta = mp.fsum(points[v:])
    tight = beta + m * mp.mpf(delta) * beta * (1 - beta) / (v * points[v])
    window, largest = mp.mpf(0), mp.mpf(0)
    for i in range(1, v + 1):
        window += points[v - i]
        largest = max(largest, window / i)
    return min(tight, 1), min(beta + 2 * m * mp.mpf(delta) * largest, 1)


def shifted(x, mu):
    return mp.ncdf(mp.sqrt(2) * mp.erfinv(2 * x - 1) - mu)


def recursion_end(m, r, v, alpha, mu):
    """R + H at the end, or as soon as it is above r/m."""
    right, wrong = alpha * v / m, alpha * (r - v) / m
    for i in range(v - 1, -1, -1):
        new = max(wrong, shifted(right, mu))
        right += mp.mpf(i) / (r - i) * (new - wrong)
        wrong = new
        if right + wrong > mp.mpf(r) / m:
            break
    return right + wrong


def critical_mu(m, r, v, alpha):
    low, high = mp.mpf(0), mp.mpf(8)
    for _ in range(45):
        middle = (low + high) / 2
        if recursion_end(m, r, v, mp.mpf(alpha), middle) > mp.mpf(r) / m:
            low = middle
        else:
            high = middle
    return low


def main():
    for m, r, v in [(1, 1, 1), (5, 5, 4), (10, 3, 3), (100, 100, 62), (100, 20, 19), (1000, 100, 75),
                    (1000, 1000, 731), (5000, 1510, 1439), (2000, 2000, 1000)]:
        for eps in (0.0, 0.25, 1.0, 2.5, 6.0):
            for delta in (0.0, 1e-6, 1e-3):
                tight, published = p_values(m, r, v, eps, delta)
                if tight > mp.mpf("1e-290"):  # doubles
                    print("eps", m, r, v, eps, delta, mp.nstr(tight, 17), mp.nstr(published, 17))
    for m, r, v in [(1, 1, 1), (2, 2, 2), (10, 10, 9), (20, 5, 5), (100, 100, 70), (100, 20, 18),
                    (1000, 50, 47)]:
        for alpha in (0.05, 0.001):
            print("mu", m, r, v, alpha, mp.nstr(critical_mu(m, r, v, alpha), 17))


if __name__ == "__main__":
    main()
