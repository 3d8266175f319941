#!/usr/bin/env python3
"""Which planted leaks an audit finds: several hundred small programs (planted_leaks.c), each with one fault.

    benchmarks/compare/planted_leaks.py ASSAY                   audits all and prints the tables
    benchmarks/compare/planted_leaks.py ASSAY --only REGEX      those with such a name
    benchmarks/compare/planted_leaks.py --list [--only REGEX]   names, levels and commands; audits nothing
    benchmarks/compare/planted_leaks.py --check                 compares every level with an exact enumeration,
                                                                and every program with its distribution
    benchmarks/compare/planted_leaks.py --from FILE ...         prints the tables of stored outcomes

Every audit has the claim eps = 1, the default budget, one thread and no pair. A leak is found if the audit refutes
the claim, which is false for each of them. Its level is the largest log-ratio of two probabilities on neighbouring
inputs: it is derived at the place that plants the leak, and --check computes it again, on the stated worst pair and on
random ones. --write FILE stores the outcomes as lines of JSON. Of them or of new audits, --missed prints the leaks that
are not found, and --paste writes the tables into docs/benchmarks.md, and the shares that reports state into
auditors/methods/black_box/planted_shares.cpp.

Needs cc. An interrupt ends the audits that run and prints the tables of those that are done.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import ctypes
import dataclasses
import io
import itertools
import json
import math
import os
import pathlib
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from math import exp, inf, log

HERE = pathlib.Path(__file__).resolve().parent
BASE = 0.5  # eps of a row by a body without a fault
CLAIM = 1.0

# ---- the kinds of input


@dataclasses.dataclass(frozen=True)
class Family:
    """The shape of the input, and how its rows hold the numbers v from which all leaks arise."""
    kind: str
    options: str
    rows: int
    slots: int  # actions or numbers of an output
    columns: int = 1
    used: tuple = (0,)  # the columns that leaks use in turn
    binary: bool = False  # whether v is 0 or 1
    arms: int = 0
    domain: tuple = (0.0, 1.0)

    @property
    def seen(self):
        """Rows that a slot answers."""
        return min(self.rows, self.slots - 1)


FAMILIES = {
    "bandit": Family("bandit", "--kind bandit --arms 3 --horizon 24", 24, 24, arms=3),
    "best-arm": Family("best-arm", "--kind best-arm --arms 3 --horizon 12", 12, 13, 3, (0, 2), arms=3),
    "dueling": Family("dueling", "--kind dueling --arms 3 --horizon 12", 12, 12, 9, (1, 5), binary=True, arms=3),
    "experts": Family("experts", "--kind experts --arms 3 --horizon 12", 12, 12, 3, (0, 2), arms=3),
    "contextual": Family("contextual", "--kind contextual --arms 3 --dimension 2 --horizon 12", 12, 12, 9, (0, 3, 1, 6),
                         arms=3),
    "values": Family("mechanism", "--kind mechanism --inputs 12 --outputs 13 --domain 0:1", 12, 13),
    "integers": Family("mechanism", "--kind mechanism --inputs 12 --outputs 13 --domain 0:100", 12, 13,
                       domain=(0.0, 100.0)),
    "records": Family("mechanism", "--kind mechanism --inputs 12 --outputs 1 --domain 0:1 --neighbours add-remove", 12, 1),
    "answers": Family("mechanism", "--kind mechanism --inputs 5 --outputs 6 --neighbours all --round-outputs 0.001", 5, 6),
}
NAMES_OF_KINDS = {  # as the sentence of a report has them
    "bandit": "bandits", "best-arm": "best-arm policies", "dueling": "dueling policies", "experts": "experts policies",
    "contextual": "contextual policies", "mechanism": "mechanisms"}


def counts_alone(family):
    """The same family with the noisy count as the only number of an output."""
    if family.kind != "mechanism":
        return family
    rows = 40 if "--domain 0:100" in family.options else family.rows
    options = re.sub("--inputs 12 --outputs 13", f"--inputs {rows} --outputs 1", family.options)
    return dataclasses.replace(family, options=options, rows=rows, slots=1)


# ---- the leaks


@dataclasses.dataclass
class Leak:
    name: str
    family: str
    shape: Family
    fault: str  # of the C source
    kind: str  # of leak, as in the table
    size: float  # the derived level
    position: str
    body: str
    column: int
    macros: dict
    witness: tuple  # the numbers v of the worst pair

    def defines(self):
        low, high = self.shape.domain
        if self.shape.kind == "contextual" and self.column >= self.shape.arms:
            low, high = -1.0, 1.0  # an entry of a context
        macros = {"BODY": self.body, "FAULT": self.fault, "COLUMN": self.column, "LOW": low, "HIGH": high, **self.macros}
        text = {key: "INFINITY" if value == inf else str(value) for key, value in macros.items()}
        return [f"-D{key}={value}" for key, value in text.items()]

    def table(self, v):
        """The input whose numbers are v, as a flat list."""
        shape, low, high = self.shape, *self.shape.domain
        if shape.kind == "mechanism":
            return [low + x * (high - low) for x in v] + [math.nan] * (shape.rows - len(v))
        out = []
        for x in v:
            row = [0.0] * shape.columns
            if shape.kind == "dueling":
                for i, j in itertools.combinations(range(shape.arms), 2):
                    row[i * shape.arms + j] = 1.0
                i, j = divmod(self.column, shape.arms)
                row[i * shape.arms + j], row[j * shape.arms + i] = x, 1.0 - x
            else:
                row[self.column] = 2 * x - 1 if shape.kind == "contextual" and self.column >= shape.arms else x
            out += row
        return out

    def words(self, assay, plugin, seed):
        return [assay, "audit", "--plugin", plugin, *self.shape.options.split(), "--claim", f"eps={CLAIM:g}", "--threads",
                "1", "--seed", str(seed), "--format", "json"]


class Planter:
    """Collects the leaks of a family."""

    def __init__(self, leaks, name):
        self.leaks, self.name, self.family = leaks, name, FAMILIES[name]
        self.turn = 0

    def add(self, kind, fault, size, position, witness, body="RESPOND", shape=None, **macros):
        shape = shape or self.family
        column = self.family.used[self.turn % len(self.family.used)]
        self.turn += 1
        parts = [self.name, kind, position, f"{size:g}", body.lower()]
        name = "/".join(part.replace(" ", "-") for part in parts)
        assert name not in {leak.name for leak in self.leaks}, name
        self.leaks.append(Leak(name, self.name, shape, fault, kind, size, position, body, column,
                               {key.upper(): value for key, value in macros.items()}, witness))


def one_turned(rows, at, others=0.0, low=0.0, high=1.0):
    """Two inputs whose row `at` is `low` and `high`; the others are this number, or the numbers of a list."""
    base = list(others) if isinstance(others, list) else [others] * rows
    base[at] = low
    other = list(base)
    other[at] = high
    return base, other


def plant_responses(plant):
    """Leaks of the body that answers every row by itself.

    An answer alone has the level BASE for its row, attained between v = 0 and 1, where its log-odds are -BASE and
    BASE: log of P(1) on one over P(1) on the other is BASE. Answers are independent, so that levels of those to one row
    add up.
    """
    family = plant.family
    rows, seen = family.rows, family.seen
    middle, other = seen // 2, seen * 3 // 10
    places = {"first": 0, "middle": middle, "last": seen - 1, "random": other}

    # Every answer with eps = size: size.
    for size in (1.5, 2.0, 4.0):
        plant.add("too little noise", "NOISE", size, "all", one_turned(rows, middle), level=size)
    # One row, or three, with eps = size: size for these rows, BASE for others.
    for place, size in (("first", 1.5), ("first", 4.0), ("middle", 2.0), ("middle", inf), ("last", 2.0), ("last", inf),
                        ("random", 2.0), ("random", 4.0)):
        at = places[place]
        plant.add("a position", "POSITION", size, place, one_turned(rows, at), level=size, rows=f"{1 << at}ull")
    several = sum(1 << places[place] for place in ("first", "middle", "last"))
    plant.add("a position", "POSITION", 2.0, "several", one_turned(rows, middle), level=2.0, rows=f"{several}ull")

    # A special value, or a range of them, has the answer FAR with the probability that the farthest ordinary value has
    # times e^-size: size. For the other answer the ratio is at most 1 / (1 - P(FAR)) = 1 + e^BASE, of log 0.97.
    values = [("low", 0.0, 0.0, 1, 2.0), ("high", 1.0, 1.0, 0, 4.0)]
    if not family.binary:
        values += [("middle", 0.5, 0.5, 1, 2.0), ("middle", 0.5, 0.5, 1, inf), ("uncommon", 0.37, 0.37, 1, 4.0),
                   ("uncommon", 0.37, 0.37, 1, inf), ("no hundredth", 0.314159, 0.314159, 1, inf)]
    for place, least, most, far, size in values:
        plant.add("a value", "VALUE", size, place, one_turned(rows, middle, low=float(far), high=least), level=size,
                  least=least, most=most, far=far)
    if not family.binary:
        ranges = [("above 0.5", 0.5000001, 1.0, 0, 2.0), ("above 0.9", 0.9000001, 1.0, 0, 4.0),
                  ("above 0.99", 0.9900001, 1.0, 0, inf), ("0.6 to 0.7", 0.6, 0.7, 1, 2.0),
                  ("0.2 to 0.25", 0.2, 0.25, 1, 4.0)]
        for place, least, most, far, size in ranges:
            plant.add("a range of values", "VALUE", size, place, one_turned(rows, middle, low=float(far), high=most),
                      level=size, least=least, most=most, far=far)

    # The last slot answers a question about the rows with eps = size - BASE. A row that changes the answer, other than
    # the last one (whose own slot this is), has its own answer with BASE: size.
    half = [1.0 if 0 < i <= seen // 2 else 0.0 for i in range(rows)]
    questions = [("entries together", "EQUAL", "first and last", inf, 0.0), ("entries together", "EQUAL", "two", 4.0, 0.0),
                 ("entries together", "BOTH", "first and last", 2.0, 1.0),
                 ("entries together", "BOTH", "two", 4.0, 1.0),
                 ("entries together", "ABOVE_HALF", "sum above half", 2.0, half),
                 ("entries together", "ABOVE_HALF", "sum above half", inf, half),
                 ("entries together", "ALL_ONES", "all", 4.0, 1.0), ("entries together", "PARITY", "parity", 2.0, 0.0),
                 ("order", "SORTED", "sorted", 2.0, 0.0), ("order", "SORTED", "sorted", 4.0, 0.0),
                 ("order", "RUN", "four in a row", 4.0, [float(0 < i < 4) for i in range(rows)])]
    if not family.binary:
        apart = [(i + 1) / (rows + 2) for i in range(rows)]
        apart[1] = 1.0
        questions += [("entries together", "DUPLICATES", "duplicates", size, apart) for size in (2.0, inf)]
    for kind, test, place, size, others in questions:
        first, second = (other, seen - 2) if place == "two" else (0, seen - 1)
        position = f"{test.lower().replace('_', ' ')}, {place}" if test in ("EQUAL", "BOTH") else place
        plant.add(kind, "FLAG", size, position, one_turned(rows, first, others), level=size - BASE, test=test,
                  row=first, other=second)

    # Slot `other` answers an earlier row again, with eps = size - BASE: size.
    for place, slot, size in (("first", seen, 2.0), ("first", seen, inf), ("first", seen // 2, 2.0),
                              ("middle", seen - 1, 4.0)):
        at = places[place]
        plant.add("a later round", "LATE", size, f"{place} in round {slot + 1}", one_turned(rows, at), level=size - BASE,
                  row=at, other=slot)
    # A row is answered size / BASE times, each time with BASE: size.
    for place, size in (("first", 1.5), ("first", 2.0), ("first", 4.0), ("middle", 2.0), ("last", 1.5)):
        times = round(size / BASE)
        at = seen - times if place == "last" else places[place]
        plant.add("memory", "ECHO", size, place, one_turned(rows, at), row=at, other=times)
    # All k later slots answer one row with eps = size / k: size.
    for place, size in (("first", 2.0), ("first", 4.0), ("middle", 4.0)):
        at = places[place]
        plant.add("memory", "SPREAD", size, f"{place}, all later", one_turned(rows, at), row=at, level=size)
    # A third action of the last slot has probability `rate` for v >= 1/2, and this times e^(BASE - size) below: with
    # the row's own answer, size.
    for place, at, rate, size in (("first", 0, 0.02, 4.0), ("middle", middle, 0.05, 2.0), ("last", seen - 2, 0.02, inf),
                                  ("middle", middle, 0.004, inf), ("first", 0, 0.2, 1.5)):
        plant.add("a rare event", "RARE", size, f"{place}, rate {rate:g}", one_turned(rows, at), row=at, rate=rate,
                  level=size - BASE)

    # A run stops after the answer to a row with the probability of randomised response with eps = size - BASE; a run
    # that goes on shows as much: size.
    stops = dataclasses.replace(family, options=family.options + " --stops")
    last = seen - 3
    for place, at, size in (("first", 0, 2.0), ("first", 0, inf), ("middle", middle, 4.0), ("last", last, 2.0)):
        plant.add("the time of stopping", "STOP", size, place, one_turned(rows, at), shape=stops, row=at, level=size - BASE)
    # It stops, without noise, when the ones reach a number.
    cut = seen // 3
    some = [float(0 < i < cut) for i in range(rows)]
    plant.add("the time of stopping", "STOP_AT_COUNT", inf, "at a count", one_turned(rows, 0, some), shape=stops, cut=cut)
    # It fails with probability `rate` at v = 1, and times e^-size at 0: size. That no run failed has a ratio of at most
    # 1 / (1 - rate), of log 0.36, and BASE with the row's own answer.
    for place, rate, size in (("first", 0.3, 2.0), ("middle", 0.02, 4.0), ("last", 0.3, inf), ("first", 0.3, 1.5)):
        at = places[place]
        plant.add("a failure", "FAIL", size, f"{place}, rate {rate:g}", one_turned(rows, at), row=at, rate=rate, level=size)
    # It fails with probability `rate` only if a row has a value; or only if all rows are equal.
    if not family.binary:
        plant.add("a failure", "FAIL_AT_VALUE", inf, "at 0.5", one_turned(rows, middle, high=0.5), rate=0.1, least=0.5,
                  most=0.5)
    plant.add("a failure", "FAIL_IF_EQUAL", inf, "all equal", one_turned(rows, middle), rate=0.5)
    # Two answers from one uniform number: equal rows cannot have different answers.
    for place, at in (("first", 0), ("last", seen - 2)):
        plant.add("shared noise", "SHARED", inf, place, one_turned(rows, at), row=at)
    # The noise is computed from the input and 6 bits: 64 outputs on each input, most of them on no other.
    plant.add("shared noise", "HASHED", inf, "seeded by the data", one_turned(rows, middle))


def plant_counts(plant):
    """Leaks of the noisy count.

    Discrete Laplace noise has P(at least k) = a e^(-eps k) for k >= 0, so that a count that moves by w units moves this
    tail by e^(eps w), and no probability by more: eps w.
    """
    family = counts_alone(plant.family)
    mechanism = family.kind == "mechanism"
    counted = family.rows if mechanism else family.slots // 2
    rows = family.rows
    middle = counted // 2

    def add(kind, fault, size, position, witness, total, **macros):
        if not mechanism:
            macros["cut"] = math.floor(total / 2)
        plant.add(kind, fault, size, position, witness, body="COUNT", shape=family, **macros)

    adds = "add-remove" in family.options

    def turned(at, low=0.0, high=1.0, others=0.0):
        pair = one_turned(rows, at, others, low, high)
        return ([v for i, v in enumerate(pair[0]) if i != at], pair[1]) if adds else pair

    # Noise with eps = size for a count that moves by 1: size.
    for size in (1.5, 2.0, 4.0):
        add("too little noise", "NOISE", size, "all", turned(middle), counted, level=size)
    # A row that counts size / BASE times; the noise has BASE: size.
    if not adds:
        for place, at, size in (("first", 0, 4.0), ("middle", middle, 2.0), ("last", counted - 1, 2.0), ("last", counted - 1, 1.5)):
            # CUT is at least size / BASE, that both counts are in one tail.
            add("a position", "POSITION", size, place, turned(at), max(counted - 1, size / BASE) + size / BASE, level=size,
                rows=f"{1 << at}ull")
    # A value, or a range of values, that counts size / BASE times, against 0 for others: size.
    if not family.binary:
        values = [("a value", "low", 0.0, 0.0, 2.0), ("a value", "high", 1.0, 1.0, 4.0), ("a value", "middle", 0.5, 0.5, 2.0),
                  ("a value", "uncommon", 0.37, 0.37, 4.0), ("a range of values", "above 0.9", 0.9000001, 1.0, 4.0),
                  ("a range of values", "0.6 to 0.7", 0.6, 0.7, 2.0)]
        some = [0.8 if 2 * i < counted else 0.2 for i in range(rows)]  # that the count is about CUT
        for kind, place, least, most, size in values:
            add(kind, "VALUE", size, place, turned(middle, low=0.2, high=most, others=some), counted, level=size,
                least=least, most=most)
        # The number of different values moves by 1: size with this eps.
        for size in (2.0, 4.0):
            add("entries together", "DISTINCT", size, "distinct values", turned(middle, others=0.0), counted // 3,
                level=size)
    # The number of changes from row to row moves by 2: size with eps = size / 2.
    if not adds:
        for size in (2.0, 4.0):
            add("order", "CHANGES", size, "changes", turned(middle), 2, level=size)
    else:
        add("a failure", "FAIL_AT_VALUE", inf, "at 0.5", turned(middle, high=0.5), 0, rate=0.1, least=0.5, most=0.5)
        add("a failure", "FAIL_IF_EQUAL", inf, "all equal", turned(middle), 0, rate=0.5)


def plant_answers(plant):
    """Leaks of numbers with Laplace noise, where every value may move by 1: the sum of all eps, attained in a corner."""
    rows = plant.family.rows
    per_value = BASE / rows
    pair = [0.0] * rows, [1.0] * rows
    for size in (1.5, 2.0, 4.0):
        plant.add("too little noise", "NOISE", size, "all", pair, body="ANSWERS", base=per_value, level=size / rows)
    for place, at in (("first", 0), ("middle", rows // 2), ("last", rows - 1)):
        for size in (1.5, 2.0, 4.0):
            plant.add("a position", "POSITION", size, place, pair, body="ANSWERS", base=per_value,
                      level=size - BASE + per_value, rows=f"{1 << at}ull")
    # The last number says by randomised response with eps = size - BASE whether the sum is positive.
    for size in (2.0, 4.0, inf):
        plant.add("entries together", "FLAG", size, "sum above 0", pair, body="ANSWERS", base=per_value, level=size - BASE)


def planted():
    leaks = []
    for name, family in FAMILIES.items():
        plant = Planter(leaks, name)
        if name == "answers":
            plant_answers(plant)
            continue
        if name != "records":
            plant_responses(plant)
        plant_counts(plant)
    return leaks


# ---- exact distributions: independent parts of an output, each as {outcome: probability}


def one(v, eps):
    least = 1 / (1 + exp(eps)) if eps != inf else 0.0
    return least + v * (1 - 2 * least)


def coin(p):
    return {1: p, 0: 1 - p}


def at_least(k, eps):
    """P(discrete Laplace noise >= k)."""
    if k < 1:
        return 1 - at_least(1 - k, eps)
    return exp(-eps * k) / (1 + exp(-eps))


def laplace_below(x, eps):
    return exp(eps * x) / 2 if x < 0 else 1 - exp(-eps * x) / 2


def has_flag(leak, v, seen):
    v, test = v[:seen], leak.macros["TEST"]
    row, other = leak.macros["ROW"], leak.macros["OTHER"]
    ones = [x >= 0.5 for x in v]
    return {"EQUAL": lambda: v[row] == v[other], "BOTH": lambda: ones[row] and ones[other],
            "DUPLICATES": lambda: len(set(v)) < len(v), "ABOVE_HALF": lambda: 2 * sum(ones) > len(v),
            "ALL_ONES": lambda: all(ones), "PARITY": lambda: sum(ones) % 2 == 1,
            "SORTED": lambda: list(v) == sorted(v),
            "RUN": lambda: any(all(ones[i:i + 4]) for i in range(len(v) - 3))}[test]()


def distribution(leak, v):
    """The parts of the output on the input v. A run that stops or fails shows less than all of them."""
    return {"RESPOND": of_responses, "COUNT": of_count, "ANSWERS": of_answers}[leak.body](leak, v)


def of_responses(leak, v):
    m, fault, last = leak.macros, leak.fault, leak.shape.slots - 1
    rows = lambda i: int(m["ROWS"].rstrip("ul")) >> i & 1
    p = [one(v[i], BASE) for i in range(last)]
    for i in range(last):
        if fault == "NOISE" or fault == "POSITION" and rows(i):
            p[i] = one(v[i], m["LEVEL"])
        if fault == "VALUE" and m["LEAST"] <= v[i] <= m["MOST"]:
            far = one(1.0, BASE) * exp(-m["LEVEL"])
            p[i] = far if m["FAR"] else 1 - far
        if fault == "ECHO" and m["ROW"] <= i < m["ROW"] + m["OTHER"]:
            p[i] = one(v[m["ROW"]], BASE)
        if fault == "SPREAD" and i >= m["ROW"]:
            p[i] = one(v[m["ROW"]], m["LEVEL"] / (last - m["ROW"]))
        if fault == "LATE" and i + 1 == m["OTHER"]:
            p[i] = one(v[m["ROW"]], m["LEVEL"])
        if fault == "FLAG" and i + 1 == last:
            p[i] = one(has_flag(leak, v, last), m["LEVEL"])
    parts = [coin(x) for x in p]
    if fault == "RARE":
        rare = m["RATE"] * (1.0 if v[m["ROW"]] >= 0.5 else exp(-m["LEVEL"]))
        parts[-1] = {2: rare, **{out: (1 - rare) * chance for out, chance in parts[-1].items()}}
    if fault == "SHARED":
        a, b = p[m["ROW"]], p[m["ROW"] + 1]
        parts[m["ROW"]] = {(1, 1): min(a, b), (1, 0): max(a - b, 0.0), (0, 1): max(b - a, 0.0), (0, 0): 1 - max(a, b)}
        parts[m["ROW"] + 1] = {None: 1.0}
    if fault == "STOP":
        parts.append(coin(one(v[m["ROW"]], m["LEVEL"])))
    if fault == "STOP_AT_COUNT":
        parts.append({end_of(leak, v): 1.0})
    failure = failure_of(leak, v)
    if failure is not None:
        at = m.get("ROW", 0)
        parts[at] = {"failed": failure, **{out: (1 - failure) * chance for out, chance in parts[at].items()}}
    return parts


def end_of(leak, v):
    ones = 0
    for i, x in enumerate(v):
        ones += x >= 0.5
        if ones == leak.macros["CUT"] and i + 2 < leak.shape.slots - (leak.shape.kind == "best-arm"):
            return i + 2
    return leak.shape.slots


def failure_of(leak, v):
    m = leak.macros
    if leak.fault == "FAIL":
        return m["RATE"] * (exp(-m["LEVEL"]) + v[m["ROW"]] * (1 - exp(-m["LEVEL"])))
    if leak.fault == "FAIL_AT_VALUE":
        seen = v if leak.body == "COUNT" else v[:leak.shape.slots - 1]
        return m["RATE"] if any(m["LEAST"] <= x <= m["MOST"] for x in seen) else 0.0
    if leak.fault == "FAIL_IF_EQUAL":
        return m["RATE"] if len(set(v)) == 1 else 0.0
    return None


def statistic(leak, v):
    m, fault = leak.macros, leak.fault
    ones = [x >= 0.5 for x in v]
    if fault == "CHANGES":
        return sum(a != b for a, b in zip(ones, ones[1:]))
    if fault == "DISTINCT":
        return len(set(v))
    if fault == "VALUE":
        return sum(m["LEVEL"] / BASE if m["LEAST"] <= x <= m["MOST"] else y for x, y in zip(v, ones))
    if fault == "POSITION":
        return sum(y * (m["LEVEL"] / BASE if int(m["ROWS"].rstrip("ul")) >> i & 1 else 1) for i, y in enumerate(ones))
    return sum(ones)


def of_count(leak, v):
    fault, m = leak.fault, leak.macros
    eps = m["LEVEL"] if fault in ("NOISE", "DISTINCT") else m["LEVEL"] / 2 if fault == "CHANGES" else BASE
    mechanism = leak.shape.kind == "mechanism"
    count = round(statistic(leak, v if mechanism else v[:leak.shape.slots // 2]))
    if mechanism:
        part = {k: at_least(abs(k - count), eps) * (1 - exp(-eps)) for k in range(-60, 420)}
        part = {"below": at_least(count + 61, eps), **part, "above": at_least(420 - count, eps)}
    else:
        above = m["CUT"] + 1 - count
        part = {1: at_least(above, eps), 0: at_least(1 - above, eps)}
    failure = failure_of(leak, v)
    if failure is not None:
        part = {"failed": failure, **{out: (1 - failure) * chance for out, chance in part.items()}}
    return [part]


def of_answers(leak, v):
    m, parts = leak.macros, []
    for i, x in enumerate(v):
        special = leak.fault == "NOISE" or leak.fault == "POSITION" and int(m["ROWS"].rstrip("ul")) >> i & 1
        eps = m["LEVEL"] if special else m["BASE"]
        ends = [laplace_below(t - x, eps) for t in (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0)]
        parts.append({t: b - a for t, (a, b) in enumerate(zip([0.0, *ends], [*ends, 1.0]))})
    if leak.fault == "FLAG":
        parts.append(coin(one(sum(v) > 0, m["LEVEL"])))
    return parts


def loss(leak, v, w):
    """The largest log-ratio of two probabilities on the inputs v and w: parts are independent, so that theirs add up."""
    def largest(p, q):
        ratios = [0.0]
        for out in {*p, *q}:
            a, b = p.get(out, 0.0), q.get(out, 0.0)
            if a > 1e-15 or b > 1e-15:
                ratios.append(log(a / b) if a > 0 and b > 0 else inf if a > 0 else -inf)
        return max(ratios)

    parts = list(zip(distribution(leak, v), distribution(leak, w)))
    return max(sum(largest(p, q) for p, q in parts), sum(largest(q, p) for p, q in parts))


# ---- the check

OUTPUTS = 4_000  # of each program on each input, in the check


def random_pairs(leak, rng, count):
    """Neighbours, of the values at which programs behave in another way."""
    shape = leak.shape
    values = [0.0, 1.0] if shape.binary else [0.0, 0.2, 0.37, 0.5, 0.65, 0.7, 0.95, 1.0]
    for _ in range(count):
        few = values if rng.random() < 0.5 else rng.sample(values, 2)
        v = [rng.choice(few) for _ in range(shape.rows)]
        w = list(v)
        if leak.body == "ANSWERS":
            w = [x + rng.choice((-1.0, 0.0, 1.0)) for x in v]
        elif "add-remove" in shape.options:
            del w[rng.randrange(shape.rows)]
        else:
            w[rng.randrange(shape.rows)] = rng.choice(values)
        yield v, w


class Shape(ctypes.Structure):
    """assay_shape_v1"""
    _fields_ = ([("kind", ctypes.c_char_p)] +
                [(name, ctypes.c_int64) for name in ("arms", "horizon", "dimension", "inputs", "outputs", "rows", "columns",
                                                     "width", "stops", "numbers", "estimates")] +
                [("domain", ctypes.c_char_p), ("neighbours", ctypes.c_char_p)])


class Policy(ctypes.Structure):
    """assay_policy_v1"""
    _fields_ = [("abi", ctypes.c_uint32), ("name", ctypes.c_char_p), ("seeded", ctypes.c_int),
                ("create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Shape), ctypes.c_char_p, ctypes.c_size_t)),
                ("play", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double),
                                          ctypes.POINTER(ctypes.c_uint64), ctypes.c_int64, ctypes.POINTER(ctypes.c_double),
                                          ctypes.c_char_p, ctypes.c_size_t)),
                ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


def outputs_of(leak, plugin, v, seeds):
    """The outputs of the program on the input v: the slots that it shows, or None for a failure."""
    shape = leak.shape
    mechanism, best = shape.kind == "mechanism", shape.kind == "best-arm"
    stops = "--stops" in shape.options
    width = shape.slots * (2 if shape.kind == "dueling" else 1) + stops
    about = Shape(shape.kind.encode(), shape.arms, 0 if mechanism else shape.rows, 0, shape.rows if mechanism else 0,
                  shape.slots if mechanism else 0, 1 if mechanism else shape.rows, shape.rows if mechanism else shape.columns,
                  width, stops, 0, 0, None, None)
    library = ctypes.CDLL(plugin)
    library.assay_policy_v1_get.restype = ctypes.POINTER(Policy)
    policy = library.assay_policy_v1_get().contents
    instance = policy.create(ctypes.byref(about), None, 0)
    table = leak.table(v)
    numbers = (ctypes.c_double * len(table))(*table)
    error, found, seeds = ctypes.create_string_buffer(256), [], list(seeds)
    step = 1 if leak.fault.startswith("FAIL") else len(seeds)
    out = (ctypes.c_double * (step * width))()
    for first in range(0, len(seeds), step):
        few = (ctypes.c_uint64 * step)(*seeds[first:first + step])
        if policy.play(instance, numbers, few, step, out, error, 256) != 0:
            found.append(None)
            continue
        for run in range(step):
            numbers_of = out[run * width:(run + 1) * width]
            slots = numbers_of[:width - stops:2 if shape.kind == "dueling" else 1]
            end = int(numbers_of[-1]) if stops else shape.slots
            found.append((tuple(slots), end + best if stops and end == shape.slots - best else end))
    policy.destroy(instance)
    return found


def observed(leak, outputs, at):
    """The outcome of part `at` of each output that shows it."""
    m, slots = leak.macros, leak.shape.slots
    for run in outputs:
        failing = leak.fault.startswith("FAIL") and at == (m.get("ROW", 0) if leak.body == "RESPOND" else 0)
        if run is None:
            if failing:
                yield "failed"
            continue
        out, end = run
        if leak.fault in ("STOP", "STOP_AT_COUNT") and at == slots - 1:
            yield int(end < slots) if leak.fault == "STOP" else end
        elif leak.body == "COUNT":
            if leak.shape.kind == "mechanism":
                yield int(out[0]) if -60 <= out[0] < 420 else "below" if out[0] < 0 else "above"
            else:
                yield int(out[-1])
        elif leak.body == "ANSWERS":
            yield int(out[at]) if at == leak.shape.rows else sum(out[at] >= t for t in (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0))
        elif leak.fault == "SHARED" and at in (m["ROW"], m["ROW"] + 1):
            yield (int(out[at + 1]), int(out[at + 2])) if at == m["ROW"] else None
        else:
            yield int(out[at + 1])


def check(leak, plugin, pairs=200):
    """The faults of the derived level, and of the program against its distribution, as sentences."""
    wrong, rng = [], random.Random(leak.name)
    v, w = leak.witness
    assert len(v) == leak.shape.rows or len(w) == leak.shape.rows
    if leak.fault == "HASHED":  # 64 seeds are all there are
        seen, other = (set(outputs_of(leak, plugin, x, range(64))) for x in (v, w))
        again = set(outputs_of(leak, plugin, v, range(64, 128)))
        return [] if seen - other and seen == again else ["its outputs on two inputs do not differ"]
    attained = loss(leak, v, w)
    if attained != leak.size and not abs(attained - leak.size) < 1e-9:
        wrong.append(f"the worst pair attains {attained}")
    for x, y in random_pairs(leak, rng, pairs):
        if loss(leak, x, y) > leak.size + 1e-9:
            wrong.append(f"a pair attains {loss(leak, x, y)}: {x}, {y}")
            break
    for x in (v, w):
        outputs = outputs_of(leak, plugin, x, [rng.getrandbits(53) for _ in range(OUTPUTS)])
        for at, part in enumerate(distribution(leak, x)):
            seen = collections.Counter(observed(leak, outputs, at))
            total = sum(seen.values())
            for out in {*part, *seen}:
                p = part.get(out, 0.0)
                # Bernstein, at 1e-9 for one outcome: with 1e6 of them a right program fails once in a thousand checks.
                allowed = math.sqrt(2 * total * p * (1 - p) * 21.4) + 14.3 if 0 < p < 1 else 0.0
                if abs(seen[out] - total * p) > allowed + 1e-6:
                    wrong.append(f"part {at} is {out} in {seen[out]} of {total} runs, its probability is {p:.4g}")
    return wrong


# ---- audits and tables


class Interrupted(Exception):
    pass


class Audits:
    """Runs commands, and ends those that run when asked to stop."""

    def __init__(self):
        self.stopped = False
        self.children = set()

    def run(self, words):
        if self.stopped:
            raise Interrupted
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.children.add(child)
        try:
            out, error = child.communicate()
        finally:
            self.children.discard(child)
        if self.stopped:
            raise Interrupted
        return child.returncode, out, error

    def stop(self):
        self.stopped = True
        for child in list(self.children):
            child.send_signal(signal.SIGTERM)


def build(folder, leak):
    include = pathlib.Path(folder) / "include"
    if not include.exists():
        include.mkdir()
        (include / "assay").symlink_to(HERE.parent.parent)
    plugin = os.path.join(folder, leak.name.replace("/", ",").replace(" ", "-") + ".so")
    words = ["cc", "-shared", "-fPIC", "-O2", *leak.defines(), "-I", str(include), "-o", plugin,
             str(HERE / "planted_leaks.c"), "-lm"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit("planted_leaks.py needs a C compiler: cc is not in PATH") from None
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(words)}\n{done.stderr}")
    return plugin


def write_pair(leak, path):
    """The files of the worst pair."""
    paths = [path + ".base", path + ".neighbour"]
    columns = leak.shape.rows if leak.shape.kind == "mechanism" else leak.shape.columns
    for name, v in zip(paths, leak.witness):
        table = [repr(number) for number in leak.table(v) if not math.isnan(number)]
        lines = [",".join(table[i:i + columns]) for i in range(0, len(table), columns)]
        pathlib.Path(name).write_text("\n".join(lines) + "\n")
    return paths


def audit(audits, assay, folder, leak, seed, give_pair):
    """One outcome."""
    plugin = build(folder, leak)
    words, pair = leak.words(assay, plugin, seed), []
    if give_pair:
        pair = write_pair(leak, plugin)
        words += ["--input", pair[0], "--neighbour", pair[1]]
    status, out, error = audits.run(words)
    for path in [plugin, *pair]:
        os.unlink(path)
    outcome = {"name": leak.name, "seed": seed, "size": "inf" if leak.size == inf else leak.size}
    if status in (0, 1, 3):
        report = json.loads(out)
        eps = next(q for q in report["quantities"] if q["kind"] == "epsilon-at-delta" and q["at"] == 0)
        return {**outcome, "verdict": report["verdict"], "lower": eps["lower"]["value"], "reason": report["reason"]}
    if status == 4:  # the audit says that the program failed
        return {**outcome, "verdict": "error", "lower": 0.0, "reason": error.strip()}
    raise SystemExit(f"{shlex.join(words)}\nexit status {status}: {error.strip()}")


def interval(found, of):
    """The exact 95% interval of Clopper and Pearson, as two fractions."""
    def tail(p, least):
        return sum(math.comb(of, k) * p**k * (1 - p)**(of - k) for k in range(least, of + 1))

    def solve(least, target):
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2
            low, high = (p, high) if tail(p, least) < target else (low, p)
        return low

    return (0.0 if found == 0 else solve(found, 0.025), 1.0 if found == of else solve(found + 1, 0.975))


def percent(x, up=False):
    """Rounded down, or up."""
    return f"{math.ceil(100 * x - 1e-6) if up else math.floor(100 * x + 1e-6)}%"


def cell(outcomes):
    if not outcomes:
        return ""
    found = sum(outcome["verdict"] == "Violated" for outcome in outcomes)
    return f"{found} of {len(outcomes)}"


def share(outcomes):
    """Seeds of one leak depend on each other, so the interval counts leaks: their number, and that found on average."""
    found = sum(outcome["verdict"] == "Violated" for outcome in outcomes)
    leaks = len({outcome["name"] for outcome in outcomes})
    of_leaks = found * leaks / len(outcomes)
    low, high = interval(math.floor(of_leaks), leaks)[0], interval(math.ceil(of_leaks), leaks)[1]
    return found / len(outcomes), f"{percent(found / len(outcomes))} ({percent(low)} to {percent(high, up=True)})"


def print_tables(leaks, outcomes):
    by_name = {leak.name: leak for leak in leaks}
    families = [name for name in FAMILIES if any(by_name[o["name"]].family == name for o in outcomes)]
    kinds = list(dict.fromkeys(leak.kind for leak in leaks))
    sizes = (1.5, 2.0, 4.0, inf)

    def rows_of(test):
        return [outcome for outcome in outcomes if test(by_name[outcome["name"]])]

    def table(title, groups, columns):
        print(f"\n| {title} | " + " | ".join(name for name, _ in columns) + " | found |")
        print("|---" * (len(columns) + 2) + "|")
        shares = []
        for name, is_in in groups:
            of_row = rows_of(is_in)
            if not of_row:
                continue
            shares.append((share(of_row)[0], name))
            cells = [cell(rows_of(lambda leak: is_in(leak) and column(leak))) for _, column in columns]
            print(f"| {name} | " + " | ".join(cells) + f" | {share(of_row)[1]} |")
        median = statistics.median(part for part, _ in shares)
        print(f"\nThe median of the rows is {percent(median)}, the worst is {min(shares)[1]} with {percent(min(shares)[0])}.")

    print(f"{len({o['name'] for o in outcomes})} leaks, {len(outcomes)} audits: {cell(outcomes)} found, "
          f"{share(outcomes)[1]}.")
    print("\n| leaks of at least twice the claim in | leaks | found | share |\n|---|---|---|---|")
    for kind, count, rows in large(leaks, outcomes):
        print(f"| {NAMES_OF_KINDS[kind]} | {count} | {cell(rows)} | {share(rows)[1]} |")
    family_columns = [(name, lambda leak, name=name: leak.family == name) for name in families]
    size_columns = [(f"eps = {size:g}", lambda leak, size=size: leak.size == size) for size in sizes]
    table("kind of leak", [(kind, lambda leak, kind=kind: leak.kind == kind) for kind in kinds], family_columns)
    table("kind of leak", [(kind, lambda leak, kind=kind: leak.kind == kind) for kind in kinds], size_columns)
    table("input", family_columns, size_columns)
    places = list(dict.fromkeys(f"{leak.kind}, {leak.position}" for leak in leaks))
    table("leak and place",
          [(place, lambda leak, place=place: f"{leak.kind}, {leak.position}" == place) for place in places], size_columns)


def print_missed(outcomes):
    for outcome in outcomes:
        if outcome["verdict"] != "Violated":
            print(f"{outcome['name']}, seed {outcome['seed']}: {outcome['verdict']}, at least {outcome['lower']:.3f}")


def large(leaks, outcomes):
    """By the kind of input: the outcomes of leaks of at least twice the claim."""
    by_name = {leak.name: leak for leak in leaks}
    for kind in NAMES_OF_KINDS:
        rows = [o for o in outcomes if by_name[o["name"]].shape.kind == kind and by_name[o["name"]].size >= 2 * CLAIM]
        if rows:
            yield kind, len({o["name"] for o in rows}), rows


def paste(leaks, outcomes):
    """Writes the tables into docs/benchmarks.md, and the shares into planted_shares.cpp."""
    root = HERE.parent.parent
    for path, printed, pattern in (
            (root / "docs" / "benchmarks.md", print_tables, "(<!-- planted_leaks.py --paste -->\n)(.*?)(\n<!-- end -->\n)"),
            (root / "auditors/methods/black_box/planted_shares.cpp", print_shares, "(= {{\n)(.*?\n)(}};\n)")):
        text, out = path.read_text(), io.StringIO()
        with contextlib.redirect_stdout(out):
            printed(leaks, outcomes)
        if not re.search(pattern, text, re.DOTALL):
            raise SystemExit(f"{path} has no place for the tables")
        path.write_text(re.sub(pattern, lambda match: match[1] + "\n" * path.name.endswith(".md") + out.getvalue() + match[3], text, flags=re.DOTALL))


def print_shares(leaks, outcomes):
    """The rows of planted_shares.cpp."""
    for kind, count, rows in large(leaks, outcomes):
        found = sum(outcome["verdict"] == "Violated" for outcome in rows)
        name = "".join(word.capitalize() for word in kind.split("-"))
        print(f'    {{InputKind::k{name}, "{NAMES_OF_KINDS[kind]}", {found}, {len(rows)}, {count}}},')


def run_audits(args, leaks):
    audits, outcomes, done, stop = Audits(), [], 0, False
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    assay = os.path.abspath(args.assay)
    if not os.access(assay, os.X_OK):
        raise SystemExit(f"{args.assay} is not a program; give the path of the command assay")
    jobs = [(leak, seed) for seed in range(args.first_seed, args.first_seed + args.seeds) for leak in leaks]
    stored = open(args.write, "w", encoding="utf-8") if args.write else None
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if leaks:
            os.unlink(build(folder, leaks[0]))  # makes the folder of the headers, before threads do
        waiting = [pool.submit(audit, audits, assay, folder, leak, seed, args.pair) for leak, seed in jobs]
        try:
            for future in waiting:
                outcome = future.result()
                outcomes.append(outcome)
                done += 1
                if stored:
                    print(json.dumps(outcome), file=stored, flush=True)
                if args.verbose:
                    print(f"{outcome['name']}: {outcome['verdict']}, {outcome['lower']:.3f}: {outcome['reason']}", flush=True)
                elif sys.stderr.isatty():
                    print(f"\r{done} of {len(jobs)} ", end="", file=sys.stderr, flush=True)
        except (KeyboardInterrupt, SystemExit) as reason:
            stop = True
            for future in waiting:
                future.cancel()
            audits.stop()
            if isinstance(reason, SystemExit):
                raise
    if sys.stderr.isatty() and not args.verbose:
        print("\r", end="", file=sys.stderr)
    if stored:
        stored.close()
    if stop:
        print(f"interrupted after {done} of {len(jobs)} audits", file=sys.stderr)
    return outcomes, stop


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay", nargs="?", help="the command")
    parser.add_argument("--seeds", type=int, default=1, help="audit each leak with so many seeds")
    parser.add_argument("--first-seed", type=int, default=1, metavar="SEED")
    parser.add_argument("--only", metavar="REGEX", default="", help="only leaks whose names contain this")
    parser.add_argument("--pair", action="store_true",
                        help="give each audit the worst pair, to see what the rest of it misses")
    parser.add_argument("--jobs", type=int, default=1, help="audits at a time")
    parser.add_argument("--write", metavar="FILE", help="store the outcomes")
    parser.add_argument("--from", dest="stored", metavar="FILE", nargs="+", help="print the tables of stored outcomes")
    parser.add_argument("--shares", action="store_true", help="print the rows of planted_shares.cpp instead of tables")
    parser.add_argument("--paste", action="store_true",
                        help="write the tables into docs/benchmarks.md and planted_shares.cpp; takes all leaks")
    parser.add_argument("--missed", action="store_true", help="print the leaks that are not found, instead of tables")
    parser.add_argument("--list", action="store_true", help="list the leaks, and audit nothing")
    parser.add_argument("--check", action="store_true", help="check levels and programs, and audit nothing")
    parser.add_argument("--verbose", action="store_true", help="print each outcome")
    args = parser.parse_args()
    everything = planted()
    try:
        leaks = [leak for leak in everything if re.search(args.only, leak.name)]
    except re.error as error:
        parser.error(f"--only {args.only} is no regular expression: {error}")
    if not leaks:
        parser.error(f"no leak has a name with {args.only}; --list lists all")
    if args.seeds < 1 or args.jobs < 1:
        parser.error("--seeds and --jobs must be at least 1")
    if args.list:
        for leak in leaks:
            print(f"{leak.name}: eps = {leak.size:g}\n    cc -shared -fPIC -O2 {shlex.join(leak.defines())} -I INCLUDE -o leak.so "
                  f"benchmarks/compare/planted_leaks.c -lm\n    {shlex.join(leak.words('assay', './leak.so', 1))}")
        return 0
    if args.check:
        bad = 0
        with tempfile.TemporaryDirectory() as folder:
            for leak in leaks:
                for sentence in check(leak, build(folder, leak)):
                    bad += 1
                    print(f"{leak.name}, eps = {leak.size:g}: {sentence}", flush=True)
        print(f"{len(leaks)} leaks, {bad} differences")
        return 1 if bad else 0
    stop = False
    if args.stored:
        try:
            outcomes = [json.loads(line) for path in args.stored for line in pathlib.Path(path).read_text().splitlines()]
        except (OSError, ValueError) as error:
            parser.error(f"--from: {error}")
        names = {leak.name for leak in leaks}
        outcomes = [outcome for outcome in outcomes if outcome["name"] in names]
    elif args.assay is None:
        parser.error("give the command assay, or --list, --check or --from")
    else:
        outcomes, stop = run_audits(args, leaks)
    if outcomes:
        if args.missed:
            print_missed(outcomes)
        elif args.paste and {outcome["name"] for outcome in outcomes} == {leak.name for leak in everything} and not stop:
            paste(everything, outcomes)
        elif args.paste:
            raise SystemExit("--paste needs the outcomes of all leaks")
        else:
            (print_shares if args.shares else print_tables)(everything, outcomes)
    return 130 if stop else 0


if __name__ == "__main__":
    sys.exit(main())
