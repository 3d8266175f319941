#!/usr/bin/env python3
"""How few runs `assay audit --stop-when-decided` needs to convict four targets that leak (audit_targets.c).

    benchmarks/compare/few_runs.py build/release/bin/assay [--seeds 20] [--apt CHECKOUT]

The audit gets the pair, 1 and 0, and confidence 0.95. Prints a table in Markdown: mean and median, over the
seeds that convict, of the runs on both inputs together until a bet convicts (`runs.certified` of the report).
The audit also makes runs for its checks, and completes its last block of runs; "all runs" is the mean with
them. The last column is the least mean of any test that surely convicts at level 0.05
(docs/proofs/forecast_bets.md). Real numbers are rounded to multiples of 1e-9, because the low bits of doubles
would convict by themselves.

The bets on the coin have a part of alpha, about a quarter here, because the rest pays for the bets on the event,
for the other bounds and for the checks. So these figures are above those of the bets alone at 0.05
(tests/statistical/coin_bets_test.cpp).

CHECKOUT is a working copy of martindunsche/sequential_fdp_auditing, the sequential test APT. Its column has the
mean of the stopping times that its authors stored, at level 0.05, twice because they count runs on one input.
APT audits no-privacy at the levels in the names of these files, which the rows here round.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from audit_targets import build

ROUNDED = ["--round-outputs", "1e-9"]
BUDGET = 60_000  # runs; no audit here has needed more than 9,000
SWEEP = "nondp_gaussian_auditor_sweep/stops_burn50_{}NONDP.csv"
# target, macros, claim, options, the least mean of any test, APT's file below experiments_log/results
ROWS = [
    ("gauss", [], "mu=0.5", ROUNDED, 107, "gaussian/stops_burn50_0.5.csv"),
    ("gauss", [], "mu=0.8", ROUNDED, 655, "gaussian/stops_burn50_0.8.csv"),
    ("laplace-pair", [], "eps=0.5", ROUNDED, 153, None),
    ("laplace-pair", [], "eps=0.8", ROUNDED, 1035, None),
    ("rare-event", [], "eps=1", [], 1303, None),
    ("no-privacy", ["LEVEL=0.21"], "eps=0.21,delta=1e-5", ROUNDED, 44, SWEEP.format("0.2148275862")),
    ("no-privacy", ["LEVEL=0.42"], "eps=0.42,delta=1e-5", ROUNDED, 59, SWEEP.format("0.4196551724")),
    ("no-privacy", ["LEVEL=0.62"], "eps=0.62,delta=1e-5", ROUNDED, 76, SWEEP.format("0.6244827586")),
    ("no-privacy", ["LEVEL=0.83"], "eps=0.83,delta=1e-5", ROUNDED, 97, SWEEP.format("0.8293103448")),
]


def audit(assay, plugin, pair, claim, options, seed):
    """The verdict, its reason and the numbers of runs."""
    run = subprocess.run(
        [assay, "audit", "--plugin", plugin, *"--kind mechanism --inputs 1 --outputs 1".split(),
         "--input", pair[0], "--neighbour", pair[1], "--claim", claim, "--confidence", "0.95", "--method", "events",
         "--stop-when-decided", "--runs", str(BUDGET), *options, "--seed", str(seed), "--format", "json"],
        capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):  # an answer, inconclusive or not
        raise SystemExit(run.stderr)
    report = json.loads(run.stdout)
    return report["verdict"], report["reason"], report["runs"]


def mean_of_apt(results, name):
    """The mean number of runs on both inputs, as text; with a sign if some trials end without a conviction."""
    if name is None:
        return ""
    with open(results / name, newline="") as file:
        trials = list(csv.DictReader(file))
    mean = 2 * statistics.mean(float(trial["stopped_at_n"]) for trial in trials)
    return ("" if all(trial["reason"].startswith("violation") for trial in trials) else "> ") + f"{mean:,.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay", help="the command")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--apt", metavar="CHECKOUT", help="compare with the stored results of this working copy")
    parser.add_argument("--verbose", action="store_true", help="print the verdict and the runs, seed by seed")
    args = parser.parse_args()
    results = pathlib.Path(args.apt or "") / "experiments_log" / "results"
    missing = [name for *_, name in ROWS if name is not None and not (results / name).is_file()]
    skipped = None
    if args.apt is None:
        skipped = "--apt CHECKOUT is not given"
    elif missing:
        skipped = f"{results / missing[0]} does not exist"
    columns = ["target", "claim", "mean", "median", "convicted", "all runs", *([] if skipped else ["APT, mean"]),
               "least of any test"]
    with tempfile.TemporaryDirectory() as folder:
        pair = [os.path.join(folder, "base"), os.path.join(folder, "neighbour")]
        for path, value in zip(pair, ("1", "0")):
            pathlib.Path(path).write_text(value + "\n")
        print("| " + " | ".join(columns) + " |")
        print("|---" * len(columns) + "|")
        for name, macros, claim, options, least, stored in ROWS:
            plugin = build(folder, name, *macros)
            found = [audit(os.path.abspath(args.assay), plugin, pair, claim, options, seed)
                     for seed in range(1, args.seeds + 1)]
            if args.verbose:
                for verdict, reason, runs in found:
                    print(f"{verdict}: {reason}; {runs}")
            needed = [runs["certified"] for verdict, _, runs in found if verdict == "Violated"]
            figures = [f"{figure(needed):,.0f}" if needed else "" for figure in (statistics.mean, statistics.median)]
            cells = [name, claim, *figures, f"{len(needed)} of {len(found)}",
                     f"{statistics.mean(runs['all'] for _, _, runs in found):,.0f}",
                     *([] if skipped else [mean_of_apt(results, stored)]), f"{least:,}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    if skipped:
        print(f"\nThe comparison with APT is skipped: {skipped}.")


if __name__ == "__main__":
    main()
