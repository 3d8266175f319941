#!/usr/bin/env python3
"""Writes gaussian_table.cpp (needs mpmath): python3 make_gaussian_table.py

A random 64-bit number at distance k from the nearer end of its range gives the tail probability
q = (2k + 1) 2^-65. Octave by octave of k from 2^47 to 2^63, each octave in 32 equal cells, the table has
Q^{-1}(q) as a polynomial of degree 6 in t = end - (2k + 1), the distance from the cell's upper end,
that interpolates at Chebyshev points. The last cell ends at q = 1/2, where Q^{-1} = 0: there
Q^{-1}(q)/t is interpolated, so that relative accuracy holds to the centre. One cell is added after it,
equal to it, for the k that round up to 2^63 as doubles. Prints the largest relative error.
"""
import os

from mpmath import mp, mpf

mp.prec = 160
FIRST_OCTAVE, LAST_OCTAVE = 47, 62
CELLS = 32
DEGREE = 6


def quantile(q):
    """x >= 0 with Q(x) = q."""
    if q > mpf(1) / 8:
        return mp.sqrt(2) * mp.erfinv(1 - 2 * q)
    target = mp.log(q)
    y = mp.sqrt(-2 * target)
    x = y - (mp.log(y) + mp.log(2 * mp.pi) / 2) / y
    for _ in range(20):  # Newton in log space
        tail = mp.erfc(x / mp.sqrt(2)) / 2
        step = (mp.log(tail) - target) * tail * mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2)
        x += step
        if abs(step) < mpf(2) ** -140:
            return x
    raise ArithmeticError("no convergence")


def interpolate(function, count):
    """Monomial coefficients of the interpolant at `count` Chebyshev points of [0, 1]."""
    nodes = [(1 + mp.cos(mp.pi * (2 * k + 1) / (2 * count))) / 2 for k in range(count)]
    table = [function(x) for x in nodes]
    for level in range(1, count):
        for k in range(count - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    poly = [mpf(0)] * count
    for k in range(count - 1, -1, -1):
        poly = [(poly[i - 1] if i else mpf(0)) - nodes[k] * poly[i] for i in range(count)]
        poly[0] += table[k]
    return poly


def cell_row(octave, index):
    width = mpf(2) ** (octave + 1) / CELLS  # in units of 2k + 1
    end = mpf(2) ** (octave + 1) + width * (index + 1)

    def value(t):
        return quantile((end - t * width) / mpf(2) ** 65)

    if end == mpf(2) ** 64:
        poly = [mpf(0)] + interpolate(lambda t: value(t) / t, DEGREE)
    else:
        poly = interpolate(value, DEGREE + 1)
    poly = [float(c / width**power) for power, c in enumerate(poly)]
    error = mpf(0)
    for k in range(1, 16):
        t = mpf(k) / 15
        error = max(error, abs(mp.polyval([mpf(c) for c in reversed(poly)], t * width) / value(t) - 1))
    return poly, int(end) % 2**64, error


def main():
    rows, worst = [], mpf(0)
    for octave in range(FIRST_OCTAVE, LAST_OCTAVE + 1):
        for index in range(CELLS):
            poly, end, error = cell_row(octave, index)
            worst = max(worst, error)
            rows.append("    {{%s}, 0x%xu}," % (", ".join(c.hex() for c in poly), end))
    rows.append(rows[-1])
    lines = [
        "// Table of gaussian_from_word, written by make_gaussian_table.py.",
        '#include "assay/mechanisms/noise/gaussian_word.hpp"',
        "",
        "namespace assay::detail {",
        "",
        "// clang-format off",
        "const GaussianCell kGaussianTable[kGaussianCells] = {",
    ]
    lines += rows + ["};", "// clang-format on", "", "}  // namespace assay::detail", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gaussian_table.cpp")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines))
    print("cells:", len(rows), "largest relative error:", mp.nstr(worst, 3))


if __name__ == "__main__":
    main()
