#!/usr/bin/env python3
"""Writes normal_tables.hpp (needs mpmath): python3 make_normal_tables.py

mills: G(t) = (x + 4) Q(x)/phi(x) at t = 4/(x + 4), t in [0, 1] cut into 64 equal cells; in each a
       polynomial in u = 64 t - cell - 1/2, |u| <= 1/2, that interpolates at Chebyshev points.
centre: C(s) = Q^{-1}(1/2 - d)/d at s = d^2, s in [0, 1/16], one polynomial in v = 32 s - 1, |v| <= 1.
The script prints the largest relative error of each, measured between the nodes.
"""
import os

from mpmath import mp, mpf

mp.prec = 240
SHIFT = 4
CELLS = 64
MILLS_DEGREE = 7
CENTRE_DEGREE = 14


def mills(x):
    """Q(x)/phi(x), x >= 0, and 1/x where x is infinite for all purposes."""
    if x > 60:  # asymptotic series, its smallest term is far below the working precision
        total, term, k = mpf(1), mpf(1), 1
        while abs(term) > mpf(2) ** -230:
            term *= -(2 * k - 1) / x**2
            total += term
            k += 1
        return total / x
    return mp.sqrt(mp.pi / 2) * mp.erfc(x / mp.sqrt(2)) * mp.exp(x * x / 2)


def scaled_mills(t):
    if t == 0:
        return mpf(1)
    x = SHIFT / t - SHIFT
    return (x + SHIFT) * mills(x)


def centre(s):
    if s == 0:
        return mp.sqrt(2 * mp.pi)
    d = mp.sqrt(s)
    return mp.sqrt(2) * mp.erfinv(2 * d) / d


def interpolate(function, degree, half_width):
    """Monomial coefficients of the interpolant at Chebyshev points of [-half_width, half_width]."""
    n = degree + 1
    nodes = [half_width * mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    # Newton's divided differences, expanded into powers.
    table = [function(x) for x in nodes]
    for level in range(1, n):
        for k in range(n - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    poly = [mpf(0)] * n
    for k in range(n - 1, -1, -1):
        poly = [(poly[i - 1] if i else mpf(0)) - nodes[k] * poly[i] for i in range(n)]
        poly[0] += table[k]
    return [float(c) for c in poly]


def worst(function, poly, half_width, samples=24):
    error = mpf(0)
    for k in range(samples + 1):
        x = half_width * (mpf(2 * k) / samples - 1)
        exact = function(x)
        error = max(error, abs(mp.polyval([mpf(c) for c in reversed(poly)], x) / exact - 1))
    return error


def main():
    lines = [
        "// Tables of normal.cpp, written by make_normal_tables.py.",
        "#pragma once",
        "",
        "namespace assay::detail {",
        "",
        "// clang-format off",
        "// (x + 4) Q(x)/phi(x) in powers of u = 64 t - cell - 1/2, t = 4/(x + 4).",
        "alignas(64) inline constexpr double kMillsTable[%d][%d] = {" % (CELLS, MILLS_DEGREE + 1),
    ]
    error = mpf(0)
    for cell in range(CELLS):
        def local(u, cell=cell):
            return scaled_mills((u + cell + mpf(1) / 2) / CELLS)
        poly = interpolate(local, MILLS_DEGREE, mpf(1) / 2)
        error = max(error, worst(local, poly, mpf(1) / 2))
        lines.append("    {%s}," % ", ".join(c.hex() for c in poly))
    print("mills: relative error", mp.nstr(error, 3))

    def local_centre(v):
        return centre((v + 1) / 32)
    poly = interpolate(local_centre, CENTRE_DEGREE, mpf(1))
    print("centre: relative error", mp.nstr(worst(local_centre, poly, mpf(1), 200), 3))
    lines += ["};", "", "// Q^{-1}(1/2 - d)/d in powers of v = 32 d^2 - 1.",
              "inline constexpr double kCentreTable[%d] = {" % (CENTRE_DEGREE + 1)]
    lines += ["    %s," % c.hex() for c in poly]
    lines += ["};", "// clang-format on", "", "}  // namespace assay::detail", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "normal_tables.hpp")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines))


if __name__ == "__main__":
    main()
