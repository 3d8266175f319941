#!/usr/bin/env python3
"""Computes the Gauss-Legendre rules of mechanisms/numerics/internal/legendre_tables.hpp in 50 digits.

    python3 mechanisms/numerics/internal/make_legendre_tables.py > mechanisms/numerics/internal/legendre_tables.hpp

Needs mpmath.
"""
import mpmath as mp

mp.mp.dps = 50


def legendre(n):
    nodes, weights = [], []
    for i in range(n):
        x = -mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (n + mp.mpf(1) / 2))
        for _ in range(12):  # Newton
            slope = n * (x * mp.legendre(n, x) - mp.legendre(n - 1, x)) / (x * x - 1)
            x -= mp.legendre(n, x) / slope
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope**2))
    assert abs(mp.fdot(weights, [mp.exp(x) for x in nodes]) - mp.e + 1 / mp.e) < mp.mpf(10) ** -25
    return nodes, weights


def emit(name, values):
    print(f"inline constexpr double {name}[] = {{")
    for v in values:
        print(f"    {float(v).hex()},")
    print("};")


print("""// Written by mechanisms/numerics/internal/make_legendre_tables.py; do not edit.
#pragma once

// clang-format off
namespace assay::detail {
""")
for n in (16, 24):
    nodes, weights = legendre(n)
    print(f"// Gauss-Legendre rule with {n} points on [-1, 1]")
    emit(f"kLegendreNode{n}", nodes)
    emit(f"kLegendreWeight{n}", weights)
    print()
print("}  // namespace assay::detail\n// clang-format on")
