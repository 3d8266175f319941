#!/usr/bin/env python3
"""Audits the programs of programs.toml and compares what `assay audit` says with what is true of them.

    audit_programs.py ASSAY                   the table; exits 1 where a verdict is wrong
    audit_programs.py ASSAY --only NAME       one row
    audit_programs.py ASSAY --seeds N         with seeds 1 to N; counts right verdicts
"""
import argparse
import json
import resource
import shlex
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def audit(assay, row, seed):
    """(whether all is as it should be, what was said, seconds of processor time)."""
    program = shlex.join([sys.executable, str(HERE / row["file"])] + ["--sound"] * row.get("sound", False))
    command = [assay, "audit", "--exec", program, *row["shape"].split(), "--claim", row["claim"], "--threads", "1",
               "--runs", str(row.get("plays", 40_000)), "--seed", str(seed), "--format", "json"]
    before = seconds_of_children()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = seconds_of_children() - before
    says = row.get("says", "") in run.stdout + run.stderr
    if run.returncode == 4:
        return says and row["verdict"] == "error", run.stderr.strip().splitlines()[-1], seconds
    if not run.stdout:
        return False, run.stderr.strip(), seconds
    report = json.loads(run.stdout)
    # A sound program is not refuted, whatever the strength that the runs of the table have.
    verdict = {"Weak": "NotRefuted"}.get(report["verdict"], report["verdict"])
    good = says and verdict == row["verdict"] and certified(report) <= row.get("at_most", float("inf"))
    return good, report["headline"], seconds


def certified(report):
    """The largest lower bound on eps at delta = 0."""
    return max(quantity["lower"]["value"] for quantity in report["quantities"]
               if quantity["kind"] == "epsilon-at-delta" and quantity["at"] == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    rows = tomllib.loads((HERE / "programs.toml").read_text())["program"]
    rows = [row for row in rows if options.only in (None, row["name"])]
    if not rows:
        parser.error(f"no program {options.only}")
    wrong = 0
    for row in rows:
        runs = [audit(options.assay, row, seed) for seed in range(1, options.seeds + 1)]
        right = sum(run[0] for run in runs)
        wrong += right < len(runs)
        seconds = [run[2] for run in runs]
        print(f"{row['name']:28} {right:3} of {len(runs)}  {statistics.median(seconds):6.1f} s (most {max(seconds):.1f})  "
              f"{runs[0][1]}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
