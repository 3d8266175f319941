#!/usr/bin/env python3
"""Certified intervals of `assay account` beside what other accountants print for the same releases, as a table.

    benchmarks/compare/accountants.py --dp-accounting CHECKOUT [--prv-accountant CHECKOUT]
                                      [--random-allocation CHECKOUT] [--assay build/release/bin/assay] [--only WORDS]

CHECKOUT is a working copy of google/differential-privacy (its python/dp_accounting is imported), of
microsoft/prv_accountant, or of moshenfeld/random_allocation (which needs the first, numba, matplotlib and
pandas too). All need numpy and scipy, the first attrs and absl. An accountant whose path is not given is left
out. Times are wall-clock seconds of one run: of the whole command for Assay, and for the others without the
time to import them. A bound that contradicts a certified one is marked, and if it does by more than rounding
the exit status is 1. dp_accounting's lower bounds are those of its option pessimistic_estimate=False.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

DELTA = 1e-6
PRV_ERROR = 0.01  # requested of eps; half the width of its interval
ROUNDING = 1e-8  # relative; a contradiction by less is marked, and does not fail

CHAIN = """
[[step]]
mechanism = "gaussian"
sigma = 20.0
compose = 100
[[step]]
mechanism = "laplace"
scale = 30.0
compose = 50
[[step]]
mechanism = "gaussian"
sigma = 1.0
sampler = "poisson"
sampling = 0.005
compose = 500
"""


class Case:
    """Releases by name, their words for `assay account`, and functions that make them for the others."""

    def __init__(self, name, words, dp=None, count=1, rdp=None, prv=None, allocation=None,
                 one_by_one=False):
        self.name, self.words, self.count = name, words.split() + ["--delta", str(DELTA)], count
        self.dp, self.rdp, self.prv, self.allocation = dp, rdp, prv, allocation
        self.one_by_one = one_by_one  # where the count of RdpAccountant.compose() has no effect
        if count > 1:
            self.words += ["--compose", str(count)]


def response(eps, answers):
    """The probability of a random answer that has these log odds."""
    return answers / (math.exp(eps) + answers - 1)


def cases(chain):
    """dp(pld, options): a distribution of one release; options choose the upper or the lower rounding."""
    return [
        Case("Gaussian, sigma 10, 10,000 times", "gaussian --sigma 10",
             lambda pld, o: pld.from_gaussian_mechanism(10.0, **o), 10_000,
             prv=lambda prv: [(prv.GaussianMechanism(noise_multiplier=10.0), 10_000)]),
        Case("Laplace, b 100, 10,000 times", "laplace --scale 100",
             lambda pld, o: pld.from_laplace_mechanism(100.0, **o), 10_000,
             prv=lambda prv: [(prv.LaplaceMechanism(mu=0.01), 10_000)]),
        Case("Gaussian on integers, sigma 4, 100 times", "discrete-gaussian --sigma 4",
             lambda pld, o: pld.from_discrete_gaussian_mechanism(4.0, **o), 100),
        Case("Laplace on integers, b 10, 1,000 times", "discrete-laplace --scale 10",
             lambda pld, o: pld.from_discrete_laplace_mechanism(0.1, **o), 1_000),
        Case("randomised response, 10 answers, eps 0.5, 100 times",
             "randomized-response --epsilon 0.5 --answers 10",
             lambda pld, o: pld.from_randomized_response(
                 response(0.5, 10), 10, pessimistic_estimate=o.get("pessimistic_estimate", True)), 100),
        Case("any 0.1-DP mechanism, 200 times", "pure --epsilon 0.1",
             lambda pld, o: parameters(pld, o, 0.1, 0.0), 200,
             prv=lambda prv: [(prv.PureDPMechanism(eps=0.1), 200)]),
        Case("any (0.1, 1e-9)-DP mechanism, 100 times", "approximate --epsilon 0.1 --own-delta 1e-9",
             lambda pld, o: parameters(pld, o, 0.1, 1e-9), 100,
             prv=lambda prv: [(prv.ApproximateDPMechanism(epsilon=0.1, delta=1e-9), 100)]),
        Case("exponential mechanism, eps 0.5, 30 times", "exponential --epsilon 0.5",
             lambda pld, o: parameters(pld, o, 0.5, 0.0), 30,
             rdp=lambda dp: (dp.ExponentialMechanismDpEvent(0.5), "REPLACE_ONE"), one_by_one=True),
        Case("permute-and-flip, eps 0.2, 50 times", "permute-and-flip --epsilon 0.2",
             lambda pld, o: pld.from_laplace_mechanism(5.0, **o), 50),
        Case("Poisson 0.01, Gaussian, sigma 1, 1,000 times", "gaussian --sigma 1 --sampler poisson --sampling 0.01",
             lambda pld, o: pld.from_gaussian_mechanism(1.0, sampling_prob=0.01, **o), 1_000,
             prv=lambda prv: [(prv.PoissonSubsampledGaussianMechanism(
                 noise_multiplier=1.0, sampling_probability=0.01), 1_000)]),
        Case("the same, 10,000 times", "gaussian --sigma 1 --sampler poisson --sampling 0.01",
             lambda pld, o: pld.from_gaussian_mechanism(1.0, sampling_prob=0.01, **o), 10_000,
             prv=lambda prv: [(prv.PoissonSubsampledGaussianMechanism(
                 noise_multiplier=1.0, sampling_probability=0.01), 10_000)]),
        Case("Poisson 0.01, Gaussian, sigma 2, a record replaced, 1,000 times",
             "gaussian --sigma 2 --sampler poisson --sampling 0.01 --relation replace-one",
             lambda pld, o: pld.from_gaussian_mechanism(
                 2.0, sampling_prob=0.01, neighboring_relation=relation("REPLACE_ONE"), **o), 1_000),
        Case("Poisson 0.05, Laplace, b 2, 100 times", "laplace --scale 2 --sampler poisson --sampling 0.05",
             lambda pld, o: pld.from_laplace_mechanism(2.0, sampling_prob=0.05, **o), 100),
        Case("Poisson 0.02, Gaussian on integers, sigma 1.5, 500 times",
             "discrete-gaussian --sigma 1.5 --sampler poisson --sampling 0.02",
             lambda pld, o: pld.from_discrete_gaussian_mechanism(1.5, sampling_prob=0.02, **o), 500),
        Case("Poisson 0.05, Laplace on integers, b 2, 200 times",
             "discrete-laplace --scale 2 --sampler poisson --sampling 0.05",
             lambda pld, o: pld.from_discrete_laplace_mechanism(0.5, sampling_prob=0.05, **o), 200),
        Case("a group of 3 under Poisson 0.01, Gaussian, sigma 2, 1,000 times",
             "gaussian --sigma 2 --sampler poisson --sampling 0.01 --group 3",
             lambda pld, o: pld.from_mixture_gaussian_mechanism(
                 2.0, [0.0, 1.0, 2.0, 3.0],
                 [math.comb(3, k) * 0.01**k * 0.99**(3 - k) for k in range(4)], **o), 1_000),
        Case("truncated Poisson 0.05, at most 70 of 1,000, sigma 1, 100 times",
             "gaussian --sigma 1 --sampler truncated-poisson --records 1000 --sampling 0.05 --batch 70",
             lambda pld, o: truncated(pld, o, 1000, 0.05, 70, 1.0), 100),
        Case("truncated Poisson 0.01, at most 170 of 10,000, sigma 1, 1,000 times",
             "gaussian --sigma 1 --sampler truncated-poisson --records 10000 --sampling 0.01 --batch 170",
             lambda pld, o: truncated(pld, o, 10_000, 0.01, 170, 1.0), 1_000),
        Case("100 of 10,000 without replacement, sigma 1 to a distance of 1, replaced, 1,000 times",
             "gaussian --sigma 1 --sampler fixed-size --records 10000 --batch 100 --distance 1 "
             "--relation replace-one", count=1_000,
             rdp=lambda dp: (dp.SampledWithoutReplacementDpEvent(
                 10_000, 100, dp.GaussianDpEvent(1.0)), "REPLACE_ONE")),
        Case("a tree over 1,000 steps, sigma 10", "matrix-factorization --factor tree --steps 1000 --sigma 10",
             rdp=lambda dp: (dp.SingleEpochTreeAggregationDpEvent(10.0, 1000), "REPLACE_SPECIAL")),
        Case("rho 0.01 zCDP, 10 times", "zcdp --rho 0.01", count=10,
             rdp=lambda dp: (dp.ZCDpEvent(0.01), "ADD_OR_REMOVE_ONE")),
        Case("a chain: 100 Gaussian, 50 Laplace, 500 Poisson Gaussian releases", chain,
             lambda pld, o: pld.from_gaussian_mechanism(20.0, **o).self_compose(100).compose(
                 pld.from_laplace_mechanism(30.0, **o).self_compose(50)).compose(
                 pld.from_gaussian_mechanism(1.0, sampling_prob=0.005, **o).self_compose(500)),
             prv=lambda prv: [(prv.GaussianMechanism(noise_multiplier=20.0), 100),
                              (prv.LaplaceMechanism(mu=1.0 / 30.0), 50),
                              (prv.PoissonSubsampledGaussianMechanism(
                                  noise_multiplier=1.0, sampling_probability=0.005), 500)]),
        Case("one of 100 batches at random, sigma 1", "gaussian --sigma 1 --sampler random-allocation --batches 100",
             allocation=(1.0, 100, 1, 1)),
        Case("the same, ten passes", "gaussian --sigma 1 --sampler random-allocation --batches 100", count=10,
             allocation=(1.0, 100, 1, 10)),
        Case("two of 100 batches at random, sigma 1",
             "gaussian --sigma 1 --sampler random-allocation --batches 100 --participations 2",
             allocation=(1.0, 100, 2, 1)),
        Case("the best of 100 runs on average, each Poisson 0.01, Gaussian, sigma 1, 1,000 times",
             "repeat-and-select --gamma 0.01 --run gaussian --sigma 1 --sampler poisson --sampling 0.01 "
             "--run-compose 1000",
             rdp=lambda dp: (dp.dp_event.RepeatAndSelectDpEvent(dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(
                 0.01, dp.GaussianDpEvent(1.0)), 1_000), 100, 1), "ADD_OR_REMOVE_ONE")),
        Case("the best of a Poisson number of runs, 10 on average, of Gaussian noise, sigma 2",
             "repeat-and-select --repeats poisson --mean 10 --run gaussian --sigma 2",
             rdp=lambda dp: (dp.dp_event.RepeatAndSelectDpEvent(dp.GaussianDpEvent(2.0), 10, math.inf),
                             "ADD_OR_REMOVE_ONE")),
    ]


class NotOffered(Exception):
    pass


def relation(name):
    from dp_accounting import privacy_accountant
    return privacy_accountant.NeighboringRelation[name]


def parameters(pld, options, eps, delta):
    if options:
        raise NotOffered
    from dp_accounting.pld import common
    return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(eps, delta))


def truncated(pld, options, records, sampling, batch, sigma):
    if options:
        raise NotOffered
    return pld.from_truncated_subsampled_gaussian_mechanism(records, sampling, batch, sigma)


def timed(compute):
    """(value, seconds), with an error as text in place of the value."""
    start = time.perf_counter()
    try:
        value = compute()
    except NotOffered:
        return None, None
    except Exception as problem:  # theirs: one accountant's failure is an entry, not the end
        return f"{type(problem).__name__}: {problem}".splitlines()[0][:60], None
    return value, time.perf_counter() - start


def assay(binary, case):
    run = subprocess.run([binary, "account", *case.words, "--format", "json"],
                         capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)["answers"][0]
    return answer["lower"], answer["upper"], answer["exact"]


class DpAccounting:
    """Upper bounds by its privacy-loss distributions, or by Renyi divergences; lower ones where it rounds down."""

    name = "dp_accounting"

    def __init__(self, checkout):
        sys.path.insert(0, str(pathlib.Path(checkout) / "python" / "dp_accounting"))
        import dp_accounting
        from dp_accounting.pld import privacy_loss_distribution as pld
        from dp_accounting.rdp import RdpAccountant
        self.dp, self.pld, self.rdp = dp_accounting, pld, RdpAccountant

    def by_pld(self, case, options):
        return case.dp(self.pld, options).self_compose(case.count).get_epsilon_for_delta(DELTA)

    def by_rdp(self, case):
        event, neighbours = case.rdp(self.dp)
        accountant = self.rdp(neighboring_relation=relation(neighbours))
        if case.one_by_one:
            for _ in range(case.count):
                accountant.compose(event)
        else:
            accountant.compose(event, case.count)
        return accountant.get_epsilon(DELTA)

    def bounds(self, case):
        """(lower, upper, seconds for the upper one) of its best accounting."""
        found = []
        if case.dp:
            upper, seconds = timed(lambda: self.by_pld(case, {}))
            lower, _ = timed(lambda: self.by_pld(
                case, {"pessimistic_estimate": False, "use_connect_dots": False}))
            found.append((lower, upper, seconds))
        if case.rdp:
            upper, seconds = timed(lambda: self.by_rdp(case))
            found.append((None, upper, seconds))
        good = [one for one in found if one[2] is not None]
        return min(good, key=lambda one: one[1]) if good else (found or [None])[0]


class PrvAccountant:
    name = "prv_accountant"

    def __init__(self, checkout):
        sys.path.insert(0, str(checkout))
        import prv_accountant
        self.prv = prv_accountant

    def bounds(self, case):
        if not case.prv:
            return None

        def compute():
            parts = case.prv(self.prv)
            accountant = self.prv.PRVAccountant(
                prvs=[prv for prv, _ in parts], max_self_compositions=[n for _, n in parts],
                eps_error=PRV_ERROR, delta_error=DELTA * 1e-3)
            low, _, high = accountant.compute_epsilon(delta=DELTA,
                                                      num_self_compositions=[n for _, n in parts])
            return low, high
        value, seconds = timed(compute)
        return (None, value, None) if seconds is None else (*value, seconds)


class RandomAllocation:
    name = "random_allocation"

    def __init__(self, checkout):
        sys.path.insert(0, str(checkout))
        from random_allocation.comparisons import structs
        from random_allocation.random_allocation_scheme import combined
        self.structs, self.combined = structs, combined

    def bounds(self, case):
        if not case.allocation:
            return None
        sigma, steps, selected, passes = case.allocation
        given = self.structs.PrivacyParams(sigma=sigma, num_steps=steps, num_selected=selected,
                                           num_epochs=passes, epsilon=None, delta=DELTA)
        config = self.structs.SchemeConfig(allocation_direct_alpha_orders=list(range(2, 61)))
        upper, seconds = timed(lambda: float(self.combined.allocation_epsilon_combined(
            given, config, self.structs.Direction.BOTH)))
        return None, upper, seconds


def number(value):
    return value if isinstance(value, str) else f"{value:.6f}"


def theirs(bounds, certified):
    """The entry of another accountant, and whether it contradicts the certified interval."""
    if bounds is None:
        return "", False
    lower, upper, seconds = bounds
    if seconds is None:
        return str(upper), False
    least, most, _ = certified
    below = 0.0 if least is None else least - upper
    above = lower - most if isinstance(lower, float) else 0.0
    wrong = max(below, above)
    width = f", {upper - lower:.1e} wide" if isinstance(lower, float) else ""
    note = f", wrong by {wrong:.1e}" if wrong > 0.0 else ""
    return f"{number(upper)}{width}, {seconds:.2f} s{note}", wrong > ROUNDING * most


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dp-accounting", metavar="CHECKOUT")
    parser.add_argument("--prv-accountant", metavar="CHECKOUT")
    parser.add_argument("--random-allocation", metavar="CHECKOUT")
    parser.add_argument("--assay", default="build/release/bin/assay")
    parser.add_argument("--only", metavar="WORDS", default="", help="the cases whose names have these words")
    arguments = parser.parse_args()
    asked = [(arguments.dp_accounting, DpAccounting), (arguments.prv_accountant, PrvAccountant),
             (arguments.random_allocation, RandomAllocation)]
    if not any(path for path, _ in asked):
        print("skipped: no checkout given; see --help")
        return 0
    for path in (*(path for path, _ in asked), arguments.assay):
        if path and not pathlib.Path(path).exists():
            parser.error(f"there is no {path}")
    peers = [peer(path) for path, peer in asked if path]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        chain = pathlib.Path(folder) / "chain.toml"
        chain.write_text(CHAIN)
        print(f"eps at delta = {DELTA:g}; of the others the upper bound.")
        print("| releases | assay, certified | width | time |" +
              "".join(f" {peer.name} |" for peer in peers))
        print("|---" * (4 + len(peers)) + "|")
        for case in cases(str(chain)):
            if arguments.only not in case.name:
                continue
            certified, seconds = timed(lambda: assay(arguments.assay, case))
            if seconds is None:
                print(f"| {case.name} | {certified} |")
                wrong += 1
                continue
            low, high, exact = certified
            entry = f"at most {high:.6f}" if low is None else f"{low:.6f} to {high:.6f}"
            width = "" if low is None else f"{high - low:.1e}" + ("" if exact else ", two pairs")
            row = f"| {case.name} | {entry} | {width} | {seconds:.2f} s |"
            for peer in peers:
                text, contradicts = theirs(peer.bounds(case), certified)
                wrong += contradicts
                row += f" {text} |"
            print(row, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
