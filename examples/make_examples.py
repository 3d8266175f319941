#!/usr/bin/env python3
"""Writes rewards.csv and clicks.csv, the example inputs, into the folder of this script.

This is a simulation, not a measurement, of visits to a page that recommends a video. A visit has a headline
(A or B), a device, the fraction of the video that was watched (two decimals) and whether it was
watched to the end. It uses integer arithmetic only, from SplitMix64 with the seeds below, so every
machine writes the same bytes.
"""

from pathlib import Path

MASK = (1 << 64) - 1
REWARDS_SEED, CLICKS_SEED = 1, 2


def split_mix64(state):
    """The generator of Steele, Lea and Flood (OOPSLA 2014), 64 uniform bits a step."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def below(words, bound):
    return (next(words) * bound) >> 64


def watched_percent(words, percent_that_finish):
    """100 for the visitors who finish; the others leave at a percentage skewed towards 0."""
    if below(words, 100) < percent_that_finish:
        return 100
    return min(below(words, 100), below(words, 100))


def fraction(percent):
    return f"{percent // 100}.{percent % 100:02d}"


def rewards():
    words = split_mix64(REWARDS_SEED)
    return [fraction(watched_percent(words, 30)) for _ in range(50)]


def clicks():
    words = split_mix64(CLICKS_SEED)
    rows = ["visit,headline,device,watched,finished"]
    for visit in range(1, 101):
        headline = "AB"[below(words, 2)]
        device = ("phone", "tablet", "desktop")[below(words, 3)]
        percent = watched_percent(words, {"A": 25, "B": 40}[headline])
        rows.append(f"{visit},{headline},{device},{fraction(percent)},{int(percent == 100)}")
    return rows


if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    for name, lines in (("rewards.csv", rewards()), ("clicks.csv", clicks())):
        (folder / name).write_text("\n".join(lines) + "\n")
