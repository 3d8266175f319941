#!/usr/bin/env python3
"""What black-box audits certify of seven targets that leak (audit_targets.c), by several builds of assay.

    benchmarks/compare/audit_targets.py build/release/bin/assay [ANOTHER ...] [--seeds 11]

Every build plays as often. Prints a table in Markdown: the median over seeds of the certified eps, with
the least and the largest, and how many of the seeds convict.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = {  # options of `assay audit`
    "count": "--kind mechanism --inputs 1 --outputs 24 --claim eps=1 --samples 10000 --round-outputs 1e-6",
    "rare": "--arms 3 --horizon 12 --claim eps=0.5 --samples 10000",
    "max": "--kind mechanism --inputs 5 --outputs 8 --claim eps=1 --samples 10000",
    "bits": "--kind mechanism --inputs 2 --outputs 2 --claim eps=1 --samples 4000",
    "race": "--arms 2 --horizon 20 --claim eps=0.5 --samples 10000",
    "signs": "--kind mechanism --inputs 1 --outputs 20 --claim eps=1 --samples 500000",
    "gauss": "--kind mechanism --inputs 1 --outputs 1 --claim eps=1,delta=1e-5 --confidence 0.95 --samples 10000 "
             "--round-outputs 1e-6",
}


def build(folder, name, *macros):
    """The plug-in of this target, built in the folder."""
    include = pathlib.Path(folder) / "include"
    if not include.exists():
        include.mkdir()
        (include / "assay").symlink_to(HERE.parent.parent)
    plugin = os.path.join(folder, "-".join([name, *macros]) + ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", f'-DTARGET="{name}"', *(f"-D{macro}" for macro in macros),
                    "-I", str(include), "-o", plugin, str(HERE / "audit_targets.c"), "-lm"], check=True)
    return plugin


def audit(assay, plugin, name, seed):
    """The certified eps, the verdict and its reason."""
    run = subprocess.run(
        [assay, "audit", "--plugin", plugin, *TARGETS[name].split(), "--seed", str(seed), "--format", "json"],
        capture_output=True, text=True)
    if run.returncode > 1:
        raise SystemExit(run.stderr)
    report = json.loads(run.stdout)
    eps = next(q for q in report["quantities"] if q["kind"] == "epsilon-at-delta")
    return eps["lower"]["value"], report["verdict"], report["reason"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay", nargs="+", help="the command, one build or several")
    parser.add_argument("--seeds", type=int, default=11)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--verbose", action="store_true", help="say what was certified, seed by seed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("| target | " + " | ".join(f"build {i + 1} | convicted" for i in range(len(args.assay))) + " |")
        print("|---" * (1 + 2 * len(args.assay)) + "|")
        for name in args.targets.split(","):
            plugin = build(folder, name)
            cells = []
            for assay in args.assay:
                found = [audit(os.path.abspath(assay), plugin, name, seed) for seed in range(1, args.seeds + 1)]
                if args.verbose:
                    for lower, verdict, reason in found:
                        print(f"{lower:.3f} {verdict}: {reason}")
                lowers = [lower for lower, _, _ in found]
                cells.append(f"{statistics.median(lowers):.3f} ({min(lowers):.3f} to {max(lowers):.3f})")
                cells.append(f"{sum(verdict == 'Violated' for _, verdict, _ in found)} of {len(found)}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
