#!/usr/bin/env python3
"""Certified intervals of `assay account` for random settings, checked against computations that share no code with it.

    benchmarks/compare/random_accounts.py [COUNT [SEED]] [--dp-accounting CHECKOUT] [--assay build/release/bin/assay]

A setting is drawn from mechanisms, samplers, groups, numbers of releases and delta. Its interval must hold the truth:
  contour      delta at both ends by an integral of the moment-generating function along a line, which has a closed
               form or is a sum over outputs; of losses on a lattice along one period
  closed form  the normal distribution for Gaussian noise
  dp_accounting (with CHECKOUT, a working copy of google/differential-privacy) its upper and lower roundings, which
               also hold the truth: neither may contradict the interval
Settings that none of these covers are counted as unchecked. Needs numpy; CHECKOUT needs scipy, attrs and absl too. The
exit status is 1 if an interval is wrong.
"""
import argparse
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np

TOLERANCE = 1e-7  # relative, of a delta by a contour
PEER_TOLERANCE = 1e-11  # of a delta by dp_accounting, whose transforms round masses by parts of the total
PEER_DELTA = 1e-9  # which is asked at this delta and above
SECONDS = 10  # for one check


# ---- settings -------------------------------------------------------------------------------------

def spread(rng, low, high):
    return low * (high / low) ** rng.random()


def draw_noise(rng):
    kind = rng.choice(["gaussian", "laplace", "discrete-gaussian", "discrete-laplace"])
    return kind, float(f"{spread(rng, 0.4, 30):.4g}")


def draw(rng):
    """A setting as a dictionary of parameters; keys are the options of `assay account`."""
    kind = rng.random()
    one = {"compose": int(spread(rng, 1, 20_000)) if rng.random() < 0.8 else 1,
           "delta": float(f"{10 ** rng.uniform(-12, -3):.3g}")}
    if kind < 0.35:
        name, scale = draw_noise(rng)
        one.update(mechanism=name, **{"sigma" if "gaussian" in name else "scale": scale})
        if rng.random() < 0.4:
            one["group"] = rng.choice([2, 3, 5, 20])
    elif kind < 0.45:
        one.update(mechanism="randomized-response", epsilon=float(f"{spread(rng, 0.01, 6):.4g}"),
                   answers=rng.choice([2, 3, 10, 1000]))
    elif kind < 0.55:
        one.update(mechanism="pure", epsilon=float(f"{spread(rng, 0.01, 4):.4g}"))
        if rng.random() < 0.5:
            one["group"] = rng.choice([2, 3, 5, 20])
    elif kind < 0.6:
        one.update(mechanism="gdp", mu=float(f"{spread(rng, 0.01, 4):.4g}"))
    elif kind < 0.65:
        one.update(mechanism="approximate", epsilon=float(f"{spread(rng, 0.01, 4):.4g}"),
                   own_delta=float(f"{spread(rng, 1e-12, 1e-4):.3g}"))
    elif kind < 0.7:
        n = rng.choice([2, 3, 5, 12])
        pair = []
        for _ in range(2):
            weights = [1 + int(1000 * rng.random()) for _ in range(n)]
            pair.append([w / sum(weights) for w in weights])
        one.update(mechanism="finite-pair", p=pair[0], q=pair[1])
    else:
        name, scale = draw_noise(rng)
        one.update(mechanism=name, **{"sigma" if "gaussian" in name else "scale": scale})
        one["sampler"] = rng.choice(["poisson", "poisson", "truncated-poisson", "fixed-size", "random-allocation"])
        records = int(spread(rng, 100, 1e6))
        if one["sampler"] == "poisson":
            one["sampling"] = float(f"{spread(rng, 1e-5, 0.5):.3g}")
            if name == "gaussian" and rng.random() < 0.3:
                one["group"] = rng.choice([2, 3, 5])
        elif one["sampler"] == "fixed-size":
            one.update(records=records, batch=max(1, int(records * spread(rng, 1e-3, 0.5))))
        elif one["sampler"] == "truncated-poisson":
            q = float(f"{spread(rng, 1e-3, 0.3):.3g}")
            one.update(sampling=q, records=records,
                       batch=max(1, min(records, int(records * q * rng.uniform(1, 1.6)))))
        else:
            one["batches"] = int(spread(rng, 2, 10_000))
        if rng.random() < 0.3 and one.get("group", 1) == 1:
            one["relation"] = "replace-one"
    return one


def words(one):
    found = ["account", one["mechanism"]]
    for key, value in one.items():
        if key == "mechanism":
            continue
        text = ",".join(repr(x) for x in value) if isinstance(value, list) else str(value)
        found += ["--" + key.replace("_", "-"), text]
    return found


# ---- contours -------------------------------------------------------------------------------------

class Losses:
    """The losses of one release under P: values and masses, on a lattice or as nodes of a quadrature.

    Quadratures resolve e^(i y L) for y up to most_y.
    """

    def __init__(self, losses, masses, lattice=0.0, infinite=0.0, most_y=math.inf):
        losses, masses = np.asarray(losses, float), np.asarray(masses, float)
        self.losses, self.masses = losses[masses > 0.0], masses[masses > 0.0]
        self.log_masses = np.log(self.masses)
        self.lattice, self.infinite, self.most_y = lattice, infinite, most_y

    def log_moment(self, w):
        """log E[e^(w L)], along an array of complex w."""
        w = np.atleast_1d(np.asarray(w, complex))
        shift = float(np.max(self.losses * np.real(w[0]) + self.log_masses))
        total = np.empty(len(w), complex)
        rows = max(1, 2_000_000 // len(self.losses))
        for i in range(0, len(w), rows):
            part = np.exp(np.outer(w[i:i + rows], self.losses) + (self.log_masses - shift))
            total[i:i + rows] = np.sum(part, axis=1)
        return np.log(np.where(total == 0.0, 1e-300, total)) + shift


def tilt(losses, count, eps):
    """The c > 0 that makes the integrand smallest, and the standard deviation of the tilted sum."""
    def size(log_c):
        c = math.exp(log_c)
        return count * losses.log_moment(c)[0].real - c * eps - math.log(c * (c + 1.0))
    low, high = -9.0, 23.0
    for _ in range(60):
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if size(a) < size(b):
            high = b
        else:
            low = a
    c = math.exp(0.5 * (low + high))
    weights = np.exp(c * losses.losses + losses.log_masses - losses.log_moment(c)[0].real)
    mean = float(weights @ losses.losses)
    return c, math.sqrt(max(count * float(weights @ (losses.losses - mean) ** 2), 1e-300))


def contour_delta(losses, count, eps):
    """delta of `count` releases at eps; None where it does not converge."""
    c, deviation = tilt(losses, count, eps)
    finite = math.exp(count * math.log1p(-losses.infinite))
    infinite = -math.expm1(count * math.log1p(-losses.infinite))
    if losses.lattice:
        h, first = losses.lattice, count * losses.losses[0]
        k0 = math.floor((eps - first) / h) + 1  # the first loss above eps
        least = first + k0 * h
        points = int(2 ** math.ceil(math.log2(60.0 * deviation / h + 60.0 / (c * h) + 64)))
        if points > 2 ** 19:
            return None
        w = c + 1j * (np.arange(points) - points // 2) * (2.0 * math.pi / (h * points))
        log_m = count * (losses.log_moment(w) + 0.0) - w * least
        terms = np.exp(log_m) * (1.0 / (1.0 - np.exp(-w * h)) -
                                 math.exp(eps - least) / (1.0 - np.exp(-(w + 1.0) * h)))
        # A power with a whole exponent does not depend on the branch of the logarithm.
        return infinite + finite * float(np.sum(terms).real) / points
    dy = min(c / 6.0, 0.4 / deviation)
    sum_, top, start = 0.0, 0.0, 0
    while start < 60_000 and (start + 512) * dy < losses.most_y:
        y = dy * np.arange(start, start + 512)
        w = c + 1j * y
        terms = np.exp(count * losses.log_moment(w) - w * eps) / (w * (w + 1.0))
        top = max(top, abs(terms[0]))
        if start == 0:
            terms[0] *= 0.5
        sum_ += float(np.sum(terms).real)
        start += 512
        if abs(terms[-1]) * len(terms) < 1e-11 * top and np.max(np.abs(terms[-64:])) < 1e-12 * top:
            return infinite + finite * sum_ * dy / math.pi
    return None


def legendre(low, high, nodes=400):
    x, weight = np.polynomial.legendre.leggauss(nodes)
    return 0.5 * (high - low) * x + 0.5 * (high + low), 0.5 * (high - low) * weight


NODE_STEP = 0.005


def normal_nodes(shift):
    """Outcomes, and the logarithms of their masses."""
    z = np.arange(-16.0, 16.0 + 40.0 * shift, NODE_STEP)
    return z, math.log(NODE_STEP) - 0.5 * z * z - 0.5 * math.log(2.0 * math.pi)


def mixture(weights, sigma, order):
    """Gaussian noise under a Poisson sample that moves the sum by k with weights[k], and the record in P or in Q."""
    z, log_r = normal_nodes(len(weights) / sigma)
    m = np.arange(len(weights)) / sigma
    exponents = np.outer(z, m) - 0.5 * m * m
    top = exponents.max(axis=1)
    log_u = np.where(top < 30.0, np.log1p(np.expm1(np.minimum(exponents, 30.0)) @ np.asarray(weights)),
                     np.log(np.exp(exponents - top[:, None]) @ np.asarray(weights)) + top)
    most_y = 1.0 / (NODE_STEP * m[-1])
    if order == "remove":
        return Losses(log_u, np.exp(log_r + log_u), most_y=most_y)
    return Losses(-log_u, np.exp(log_r), most_y=most_y)


def losses_of(one):
    """The orders of the neighbours, each as Losses; None where no contour is known."""
    kind, group = one["mechanism"], one.get("group", 1)
    if one.get("sampler") == "poisson" and kind == "gaussian" and "relation" not in one:
        q = one["sampling"]
        weights = [math.comb(group, k) * q ** k * (1 - q) ** (group - k) for k in range(group + 1)]
        return [mixture(weights, one["sigma"], order) for order in ("remove", "add")]
    if one.get("sampler") == "poisson" and kind == "discrete-laplace" and "relation" not in one:
        q, b = one["sampling"], one["scale"]
        high, low = 1 / (1 + math.exp(-1 / b)), 1 / (1 + math.exp(1 / b))  # of P and of R, and the reverse
        p, r = [(1 - q) * high + q * low, (1 - q) * low + q * high], [high, low]
        log_u = [math.log1p(q * math.expm1(-1 / b)), math.log1p(q * math.expm1(1 / b))]
        return [Losses(log_u, p, log_u[1] - log_u[0]),
                Losses([-log_u[1], -log_u[0]], r[::-1], log_u[1] - log_u[0])]
    if "sampler" in one:
        return None
    if kind in ("discrete-laplace", "pure"):
        b = one["scale"] if "scale" in one else 1.0 / one["epsilon"]
        k = np.arange(group + 1)
        inner = (1 - math.exp(-1 / b)) / (1 + math.exp(-1 / b))
        masses = np.exp((k - group) / b) * inner
        masses[0], masses[-1] = math.exp(-group / b) / (1 + math.exp(-1 / b)), 1 / (1 + math.exp(-1 / b))
        return [Losses((2 * k - group) / b, masses, 2.0 / b)]
    if kind == "approximate":
        e = one["epsilon"]
        return [Losses([-e, e], [1 / (1 + math.exp(e)), 1 / (1 + math.exp(-e))], 2.0 * e, one["own_delta"])]
    if kind == "randomized-response":
        e, k = one["epsilon"], one["answers"]
        total = math.exp(e) + k - 1
        return [Losses([-e, 0.0, e], [1 / total, (k - 2) / total, math.exp(e) / total], e if k > 2 else e)]
    if kind == "discrete-gaussian":
        s = one["sigma"]
        x = np.arange(-int(40 * s) - 5 - 40 * group, int(40 * s) + 6 + 40 * group)
        masses = np.exp(-0.5 * (x / s) ** 2)
        return [Losses(group * (2 * x + group) / (2 * s * s), masses / masses.sum(), group / (s * s))]
    if kind == "laplace":
        b = one["scale"] / group
        x, weight = legendre(0.0, 1.0)
        losses = np.concatenate([[-1 / b], (2 * x - 1) / b, [1 / b]])
        masses = np.concatenate([[0.5 * math.exp(-1 / b)], weight * np.exp((x - 1) / b) / (2 * b), [0.5]])
        return [Losses(losses, masses, most_y=250.0 * b)]
    return None


def log_normal_tail(x):
    """log P(Z > x)."""
    if x < 25.0:
        return math.log(0.5 * math.erfc(x / math.sqrt(2.0)))
    fraction = x
    for k in range(60, 0, -1):
        fraction = x + k / fraction
    return -0.5 * x * x - 0.5 * math.log(2.0 * math.pi) - math.log(fraction)


def normal_delta(mu, eps):
    first, second = log_normal_tail(eps / mu - mu / 2), eps + log_normal_tail(eps / mu + mu / 2)
    return math.exp(first) * -math.expm1(second - first)


def deltas(one):
    """(name, function of eps to delta) of an independent computation, or None."""
    count, group = one["compose"], one.get("group", 1)
    if "sampler" not in one and one["mechanism"] in ("gaussian", "gdp"):
        mu = one["mu"] if "mu" in one else group / one["sigma"]
        return "closed form", lambda eps: normal_delta(mu * math.sqrt(count), eps)
    if "sampler" not in one and one["mechanism"] == "laplace" and count == 1:
        return "closed form", lambda eps: max(0.0, -math.expm1((eps - group / one["scale"]) / 2))
    orders = losses_of(one)
    if orders is None:
        return None

    def delta(eps):
        found = [contour_delta(order, count, eps) for order in orders]
        return None if None in found else max(found)
    return "contour", delta


# ---- dp_accounting ----------------------------------------------------------------------------------

class DpAccounting:
    def __init__(self, checkout):
        sys.path.insert(0, str(pathlib.Path(checkout) / "python" / "dp_accounting"))
        from dp_accounting import privacy_accountant
        from dp_accounting.pld import common, privacy_loss_distribution
        self.pld, self.common = privacy_loss_distribution, common
        self.relation = privacy_accountant.NeighboringRelation

    def one(self, s, upper, step):
        """Its distribution of one release, and whether it is that of the setting or only one that dominates it; None: none."""
        kind, replaces = s["mechanism"], "relation" in s
        rounding = {"value_discretization_interval": step, "pessimistic_estimate": upper,
                    "use_connect_dots": upper}
        sampler, q = s.get("sampler"), s.get("sampling", 1.0)
        distance = s.get("group", 1)
        if sampler == "fixed-size":
            q, distance = s["batch"] / s["records"], 2
            if replaces:
                return None
        if sampler == "random-allocation":
            return None
        if sampler == "poisson" and "group" in s:
            group = s["group"]
            return self.pld.from_mixture_gaussian_mechanism(
                s["sigma"], list(range(group + 1)),
                [math.comb(group, k) * q ** k * (1 - q) ** (group - k) for k in range(group + 1)], **rounding)
        if sampler == "truncated-poisson":
            if kind != "gaussian" or not upper:
                return None
            return self.pld.from_truncated_subsampled_gaussian_mechanism(
                s["records"], q, s["batch"], s["sigma"], value_discretization_interval=step,
                neighboring_relation=self.relation.REPLACE_ONE if replaces
                else self.relation.ADD_OR_REMOVE_ONE)
        if kind == "gaussian":
            return self.pld.from_gaussian_mechanism(
                s["sigma"], sensitivity=distance, sampling_prob=q, **rounding,
                neighboring_relation=self.relation.REPLACE_ONE if replaces
                else self.relation.ADD_OR_REMOVE_ONE)
        if replaces:
            return None
        if kind == "laplace":
            return self.pld.from_laplace_mechanism(s["scale"], sensitivity=distance, sampling_prob=q, **rounding)
        if kind == "discrete-laplace":
            return self.pld.from_discrete_laplace_mechanism(1 / s["scale"], sensitivity=distance,
                                                            sampling_prob=q, **rounding)
        if kind == "discrete-gaussian":
            return self.pld.from_discrete_gaussian_mechanism(s["sigma"], sensitivity=distance,
                                                             sampling_prob=q, **rounding)
        if kind == "finite-pair":
            p, q = ({i: math.log(x) for i, x in enumerate(s[key])} for key in "pq")
            return self.pld.from_two_probability_mass_functions(
                q, p, upper, step, symmetric=False)
        return None

    def delta(self, setting, upper, eps, certified):
        step = max(1e-4, certified / 50_000)
        one = self.one(setting, upper, step)
        if one is None:
            return None
        return float(one.self_compose(setting["compose"]).get_delta_for_epsilon(eps))


# ---- checks -----------------------------------------------------------------------------------------

class TooLong(Exception):
    pass


def limited(compute):
    def stop(*_):
        raise TooLong
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        return compute()
    except (TooLong, MemoryError, ValueError, OverflowError):
        return None
    finally:
        signal.alarm(0)


def check(one, low, high, peer):
    """(name of the check, what is wrong or an empty text)."""
    target = one["delta"]
    known = deltas(one)
    if known is not None:
        name, delta = known

        def ends():
            return delta(low), delta(high)
        found = limited(ends)
        if found is not None and None not in found and all(map(math.isfinite, found)):
            # An integral is right to a part of 1e-15, of what it cancels, too.
            slack = TOLERANCE * target + 1e-15
            if found[0] < target - slack and low > 0.0:
                return name, f"delta at the lower end is {found[0]:.9g}"
            if found[1] > target + slack:
                return name, f"delta at the upper end is {found[1]:.9g}"
            return name, ""
    if peer is None or target < PEER_DELTA:
        return "unchecked", ""
    upper = limited(lambda: peer.delta(one, True, low, high))
    lower = limited(lambda: peer.delta(one, False, high, high))
    if upper is None and lower is None:
        return "unchecked", ""
    if upper is not None and low > 0.0 and upper < target - PEER_TOLERANCE:
        return "dp_accounting", f"its delta at the lower end is at most {upper:.9g}"
    if lower is not None and lower > target + PEER_TOLERANCE:
        return "dp_accounting", f"its delta at the upper end is at least {lower:.9g}"
    return "dp_accounting" + ("" if lower is not None else ", above alone"), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--dp-accounting", metavar="CHECKOUT")
    parser.add_argument("--assay", default="build/release/bin/assay")
    arguments = parser.parse_args()
    if arguments.dp_accounting and not pathlib.Path(arguments.dp_accounting).exists():
        print(f"dp_accounting skipped: there is no {arguments.dp_accounting}")
        arguments.dp_accounting = None
    peer = DpAccounting(arguments.dp_accounting) if arguments.dp_accounting else None
    rng = random.Random(arguments.seed)
    checks, refusals, times, widths, wrong = {}, {}, [], [], 0
    for _ in range(arguments.count):
        one = draw(rng)
        command = words(one)
        start = time.perf_counter()
        run = subprocess.run([arguments.assay, *command, "--format", "json"], capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if run.returncode != 0:
            reason = run.stderr.strip().splitlines()[0][:140]
            refusals.setdefault(reason, []).append(command)
            continue
        times.append((seconds, " ".join(command)))
        answer = json.loads(run.stdout)["answers"][0]
        low, high = answer["lower"], answer["upper"]
        if not isinstance(high, (int, float)):
            checks["infinite"] = checks.get("infinite", 0) + 1
            continue
        if answer["exact"] and low:
            widths.append((high - low) / high)
        name, problem = check(one, low, high, peer)
        checks[name] = checks.get(name, 0) + 1
        if problem:
            wrong += 1
            print(f"WRONG by {name}: {' '.join(command)}: {low!r} to {high!r}, but {problem}", flush=True)
    times.sort()
    widths.sort()
    print(f"{arguments.count} settings: {len(times)} answered, {wrong} wrong, "
          f"{arguments.count - len(times)} refused")
    for name, number in sorted(checks.items(), key=lambda item: -item[1]):
        print(f"  checked by {name}: {number}" if name not in ("unchecked", "infinite") else f"  {name}: {number}")
    for reason, commands in refusals.items():
        print(f"  refused {len(commands)}: {reason} | {' '.join(commands[0])}")
    at = [times[min(len(times) - 1, int(len(times) * part))][0] for part in (0.5, 0.9, 0.99)]
    print("times: median {:.2f} s, 90% {:.2f} s, 99% {:.2f} s, longest {:.2f} s ({})".format(*at, *times[-1]))
    if widths:
        at = [widths[min(len(widths) - 1, int(len(widths) * part))] for part in (0.5, 0.99, 1.0)]
        print("relative widths of {} exact answers: median {:.1e}, 99% {:.1e}, largest {:.1e}".format(
            len(widths), *at))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
