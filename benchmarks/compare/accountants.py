#!/usr/bin/env python3
"""Certified intervals of pld_benchmark beside what other accountants print for the same releases.

    benchmarks/compare/accountants.py --dp-accounting CHECKOUT [--prv-accountant CHECKOUT]
                                      [--benchmark build/release/benchmarks/pld_benchmark]

CHECKOUT is a working copy of google/differential-privacy (its python/dp_accounting is imported) or of
microsoft/prv_accountant. Both need numpy and scipy, the first attrs and absl too. An accountant whose
path is not given is left out. Times are wall-clock seconds of one run in this process, or of
pld_benchmark's own measure.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

DELTA = 1e-5
PRV_COMPOSITIONS = 10_000  # a million take it longer than a quarter of an hour
# law, parameters, compositions, the name that pld_benchmark gives it
CASES = [
    ("gaussian", {"sigma": 10.0}, 10_000, "gaussian/sigma:10/compositions:10000"),
    ("gaussian", {"sigma": 50.0}, 1_000_000, "gaussian/sigma:50/compositions:1000000"),
    ("laplace", {"scale": 100.0}, 10_000, "laplace/scale:100/compositions:10000"),
    ("subsampled", {"sigma": 1.0, "sampling": 0.01}, 10_000,
     "subsampled_gaussian/add:0/compositions:10000"),
]


def assay(benchmark):
    """(text, seconds) by case: the certified interval."""
    wanted = "^(" + "|".join(name for *_, name in CASES) + ")$"
    run = subprocess.run([benchmark, "--benchmark_format=json", f"--benchmark_filter={wanted}"],
                         capture_output=True, text=True, check=True)
    rows = {row["name"]: row for row in json.loads(run.stdout)["benchmarks"]}
    return [(f"{rows[name]['lower']:.6f} to {rows[name]['upper']:.6f}",
             rows[name]["real_time"] / 1e3) for *_, name in CASES]


def timed(compute):
    start = time.perf_counter()
    try:
        text = compute()
    except Exception as problem:  # theirs: one accountant's failure is a line, not the end
        return f"{type(problem).__name__}: {problem}".splitlines()[0][:60], None
    return text, time.perf_counter() - start


def dp_accounting(checkout):
    """A function of a case to its bound, as text."""
    sys.path.insert(0, str(pathlib.Path(checkout) / "python" / "dp_accounting"))
    from dp_accounting.pld import privacy_loss_distribution as pld

    make = {
        "gaussian": lambda p: pld.from_gaussian_mechanism(p["sigma"]),
        "laplace": lambda p: pld.from_laplace_mechanism(p["scale"]),
        "subsampled": lambda p: pld.from_gaussian_mechanism(
            p["sigma"], sampling_prob=p["sampling"]),
    }
    return lambda law, p, n: "at most {:.6f}".format(
        make[law](p).self_compose(n).get_epsilon_for_delta(DELTA))


def prv_accountant(checkout):
    sys.path.insert(0, str(checkout))
    import prv_accountant as prv

    make = {
        "gaussian": lambda p: prv.GaussianMechanism(noise_multiplier=p["sigma"]),
        "laplace": lambda p: prv.LaplaceMechanism(mu=1.0 / p["scale"]),
        "subsampled": lambda p: prv.PoissonSubsampledGaussianMechanism(
            noise_multiplier=p["sigma"], sampling_probability=p["sampling"]),
    }

    def bounds(law, p, n):
        if n > PRV_COMPOSITIONS:
            raise OverflowError(f"not asked above {PRV_COMPOSITIONS:,} times")
        accountant = prv.PRVAccountant(prvs=make[law](p), max_self_compositions=n,
                                       eps_error=0.1, delta_error=DELTA * 1e-3)
        low, _, high = accountant.compute_epsilon(delta=DELTA, num_self_compositions=n)
        return f"{low:.6f} to {high:.6f}"

    return bounds


def print_row(name, text, seconds):
    time_text = "" if seconds is None else f"{seconds:9.3f} s"
    print(f"  {name:<16}{text:<32}{time_text}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dp-accounting", metavar="CHECKOUT")
    parser.add_argument("--prv-accountant", metavar="CHECKOUT")
    parser.add_argument("--benchmark", default="build/release/benchmarks/pld_benchmark")
    arguments = parser.parse_args()
    if not arguments.dp_accounting and not arguments.prv_accountant:
        print("skipped: no checkout given; see --help")
        return 0
    for path in (arguments.dp_accounting, arguments.prv_accountant, arguments.benchmark):
        if path and not pathlib.Path(path).exists():
            parser.error(f"there is no {path}")
    peers = {}
    if arguments.dp_accounting:
        peers["dp_accounting"] = dp_accounting(arguments.dp_accounting)
    if arguments.prv_accountant:
        peers["prv_accountant"] = prv_accountant(arguments.prv_accountant)
    for (law, parameters, count, _), ours in zip(CASES, assay(arguments.benchmark)):
        described = ", ".join(f"{key} = {value:g}" for key, value in parameters.items())
        print(f"{law}, {described}, {count:,} times: eps at delta = {DELTA:g}")
        print_row("assay", *ours)
        for name, compute in peers.items():
            print_row(name, *timed(lambda: compute(law, parameters, count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
