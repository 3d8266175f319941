#!/usr/bin/env python3
"""Fits the coefficients of mechanisms/noisy_max/internal/gaussian_argmax_tables.hpp.

    python3 mechanisms/noisy_max/internal/make_gaussian_argmax_tables.py > mechanisms/noisy_max/internal/gaussian_argmax_tables.hpp

R(t) = Phi(-t) exp(t^2/2), t >= 0, by rational functions P_n/Q_{n+1} with Q(0) = 1, and exp(r) on
|r| <= log(2)/2 by polynomials with constant term 1. Both are near-minimax in relative error: weighted
least squares in 50 digits with Lawson's reweighting; the error printed is that of the coefficients
after rounding to double, measured on a grid ten times finer, in exact arithmetic. Needs mpmath.
"""
import mpmath as mp

mp.mp.dps = 50


def scaled_tail(t):
    """R(t), by Laplace's continued fraction where erfc would need many digits."""
    if t < 40:
        return mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / 2
    x = mp.mpf(t)
    for k in range(120, 0, -1):
        x = t + k / x
    return 1 / (mp.sqrt(2 * mp.pi) * x)


def least_squares(rows, rhs):
    a, b = mp.matrix(rows), mp.matrix(rhs)
    return list(mp.lu_solve(a.T * a, a.T * b))


def lawson(solve_and_errors, count, rounds=14):
    weights, best = [mp.mpf(1)] * count, None
    for step in range(rounds):
        coefficients, errors = solve_and_errors(weights)
        worst = max(errors)
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        if step > 2:
            weights = [w * (e / worst + mp.mpf("1e-3")) for w, e in zip(weights, errors)]
            mean = sum(weights) / count
            weights = [w / mean for w in weights]
    return best[1]


def compactified(count):
    """Points of [0, inf): Chebyshev points of (t - 3)/(t + 3)."""
    points = [mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    return [3 * (1 + u) / (1 - u) for u in points]


def horner(coefficients, x):
    value = mp.mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def fit_tail(n):
    count = 3 * (2 * n + 2)
    points = compactified(count)
    values = [scaled_tail(t) for t in points]
    basis = [[t**i / (t + 3) ** (n + 1) for i in range(n + 2)] for t in points]
    linearised = [mp.mpf(1)] * count  # 1/Q of the previous round

    def solve(weights):
        rows, rhs = [], []
        for b, r, w, d in zip(basis, values, weights, linearised):
            s = d * mp.sqrt(w) / r
            rows.append([s * b[i] for i in range(n + 1)] +
                        [-s * r * b[i] for i in range(1, n + 2)])
            rhs.append(s * r * b[0])
        solution = least_squares(rows, rhs)
        p, q = solution[:n + 1], [mp.mpf(1)] + solution[n + 1:]
        errors = []
        for k, (b, r) in enumerate(zip(basis, values)):
            bottom = mp.fdot(q, b)
            linearised[k] = 1 / abs(bottom)
            errors.append(abs(mp.fdot(p, b[:n + 1]) / bottom / r - 1))
        return (p, q), errors

    p, q = lawson(solve, count)
    p, q = [float(c) for c in p], [float(c) for c in q]
    assert min(p) > 0 and min(q) > 0  # no cancellation in either
    fine = compactified(10 * count)
    error = max(abs(horner(p, t) / horner(q, t) / scaled_tail(t) - 1) for t in fine)
    return p, q, error


def fit_exp(n):
    half = mp.log(2) / 2 * mp.mpf("1.0001")
    count = 4 * n
    points = [half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]

    def solve(weights):
        rows = [[mp.sqrt(w) * x**i / mp.exp(x) for i in range(1, n + 1)]
                for x, w in zip(points, weights)]
        rhs = [mp.sqrt(w) * (1 - mp.exp(-x)) for x, w in zip(points, weights)]
        c = [mp.mpf(1)] + least_squares(rows, rhs)
        return c, [abs(horner(c, x) / mp.exp(x) - 1) for x in points]

    c = [float(x) for x in lawson(solve, count)]
    fine = [half * mp.cos(mp.pi * i / (10 * count)) for i in range(10 * count + 1)]
    return c, max(abs(horner(c, x) / mp.exp(x) - 1) for x in fine)


def emit(name, values):
    print(f"inline constexpr double {name}[] = {{")
    for v in values:
        print(f"    {float(v).hex()},")
    print("};")


print("""// Written by mechanisms/noisy_max/internal/make_gaussian_argmax_tables.py; do not edit.
//
// R(t) = Phi(-t) exp(t^2/2) ~ top(t)/bottom(t), t >= 0; exp(r) ~ poly(r), |r| <= log(2)/2; lowest power first.
// Each error is the largest relative error of the function with these coefficients in exact arithmetic.
#pragma once

// clang-format off
namespace assay::detail {
""")
for label, tail, exp in (("Sampling", 7, 8), ("Exact", 10, 11)):
    p, q, error = fit_tail(tail)
    print(f"// R, relative error {mp.nstr(error, 3)}")
    emit(f"kTailTop{label}", p)
    emit(f"kTailBottom{label}", q)
    c, error = fit_exp(exp)
    print(f"// exp, relative error {mp.nstr(error, 3)}")
    emit(f"kExp{label}", c)
    print()
print("}  // namespace assay::detail\n// clang-format on")
