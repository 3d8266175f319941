#!/usr/bin/env python3
"""Writes portable_math_tables.hpp (needs mpmath): python3 make_portable_math_tables.py

exp: 2^(j/128) as the sum of two doubles, j in [0, 128).
log: the mantissa range [0.70703125, 1.4140625) is cut where the leading 7 mantissa bits change. Each
     cell has a reciprocal `inverse` of at most 10 bits near 1/centre (exactly 1 in the two cells that
     touch 1), and -log(inverse) = log_high + log_low, log_high a multiple of 2^-42.
"""
import os
import struct

from mpmath import mp, mpf

mp.prec = 200
CELLS = 128
LOG_OFFSET = 0x3FE6A00000000000  # the bits of 0.70703125, a multiple of 2^45


def bits_to_double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def split(value):
    high = float(value)
    return high, float(value - mpf(high))


def log_cell(index):
    low_bits = LOG_OFFSET + (index << 45)
    # The cells are indexed by bits 45..51 of (bits - offset), in order from the offset.
    low, high = mpf(bits_to_double(low_bits)), mpf(bits_to_double(low_bits + (1 << 45)))
    inverse = mpf(1)
    if not (low == 1 or high == 1):
        inverse = mp.nint(2 / (low + high) * 512) / 512
    for edge in (low, high):
        assert abs(edge * inverse - 1) <= mpf(2) ** -7 * mpf("1.0001"), index
    log_value = -mp.log(inverse)
    log_high = mp.nint(log_value * mpf(2) ** 42) / mpf(2) ** 42
    return float(inverse), float(log_high), float(log_value - log_high)


def main():
    lines = [
        "// Tables of portable_math.cpp, written by make_portable_math_tables.py.",
        "#pragma once",
        "",
        "namespace assay::detail {",
        "",
        "struct ExpCell {",
        "  double high;  // 2^(j/128), rounded to nearest",
        "  double low;   // the rest",
        "};",
        "",
        "struct LogCell {",
        "  double inverse;   // about 1/centre of the cell, at most 10 bits",
        "  double log_high;  // -log(inverse), rounded to a multiple of 2^-42",
        "  double log_low;   // the rest",
        "};",
        "",
        "// clang-format off",
        "inline constexpr ExpCell kExpTable[%d] = {" % CELLS,
    ]
    for j in range(CELLS):
        high, low = split(mpf(2) ** (mpf(j) / CELLS))
        lines.append("    {%s, %s}," % (high.hex(), low.hex()))
    lines += ["};", "", "inline constexpr LogCell kLogTable[%d] = {" % CELLS]
    for i in range(CELLS):
        lines.append("    {%s, %s, %s}," % tuple(v.hex() for v in log_cell(i)))
    lines += ["};", "// clang-format on", "", "}  // namespace assay::detail", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "portable_math_tables.hpp")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines))

    print("exp: ln2/128 high, low and 128/ln2:")
    step = mp.log(2) / CELLS
    high = mp.nint(step * mpf(2) ** 42) / mpf(2) ** 42
    print(" ", float(high).hex(), float(step - high).hex(), float(1 / step).hex())
    print("log: ln2 high (a multiple of 2^-42), low:")
    high = mp.nint(mp.log(2) * mpf(2) ** 42) / mpf(2) ** 42
    print(" ", float(high).hex(), float(mp.log(2) - high).hex())


if __name__ == "__main__":
    main()
