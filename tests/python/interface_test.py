"""The package `assay` over a built command: interface_test.py SOURCE_FOLDER ASSAY."""
import contextlib
import dataclasses
import doctest
import html
import importlib
import io
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

SOURCE, COMMAND = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
os.environ["ASSAY_COMMAND"] = COMMAND
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
SCRATCH = tempfile.TemporaryDirectory(prefix="assay-interface-")
os.environ["XDG_CACHE_HOME"] = os.path.join(SCRATCH.name, "cache")
PACKAGE = str(SOURCE / "python/src")
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = PACKAGE
import assay  # noqa: E402
from assay import _command, _targets, serve  # noqa: E402

SMALL = {"arms": 3, "horizon": 6, "claim": "eps=1", "samples": 300, "seed": 1}


def direct(*words):
    """What the command itself reports as JSON."""
    done = subprocess.run([COMMAND, *words, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    return json.loads(done.stdout) if done.stdout else None, done.returncode, done.stderr


def without_meta(report):
    return {key: value for key, value in report.items() if key != "meta"}


class Uniform:
    """A policy of __main__, which no fresh interpreter can import. It reads nothing, so it leaks nothing."""

    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng

    def choose(self):
        return int(self.rng.random() * self.arms)

    def update(self, arm, reward):
        pass


class Greedy(Uniform):
    """It chooses arm 1 after a reward of 1, and arm 0 otherwise, but for one round in ten."""

    last = 0.0

    def choose(self):
        return int(self.rng.random() * 3) if self.rng.random() < 0.1 else int(self.last == 1)

    def update(self, arm, reward):
        self.last = reward


class Doctests(unittest.TestCase):
    def test_examples_in_docstrings_are_true(self):
        for name in ("assay", "assay._asserting", "assay._command", "assay._samples", "assay._targets"):
            result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
            self.assertEqual(result.failed, 0, name)
            self.assertGreater(result.attempted, 0, name)

    def test_the_examples_of_the_page_are_true(self):
        result = doctest.testfile(str(SOURCE / "docs/use-from-python.md"), module_relative=False,
                                  optionflags=doctest.ELLIPSIS)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)


class Numbers(unittest.TestCase):
    def test_an_audit_has_the_numbers_of_the_command(self):
        report = assay.audit("laplace", p={"epsilon": 2}, claim="eps=1")
        said, status, _ = direct("audit", "laplace", "-p", "epsilon=2", "--claim", "eps=1")
        self.assertEqual(without_meta(report.json), without_meta(said))
        self.assertEqual((report.status, status), (1, 1))
        self.assertEqual((report.verdict, report.headline), ("Violated", said["headline"]))
        eps = next(one for one in said["quantities"] if (one["kind"], one["at"]) == ("epsilon-at-delta", 0))
        self.assertEqual((report.eps.lower, report.eps.upper, report.eps.claimed, report.eps.at),
                         (eps["lower"]["value"], eps["upper"]["value"], 1, 0))
        self.assertEqual(report.delta.at, 1)
        self.assertEqual(report.mu.kind, "mu")
        self.assertEqual(report.pair, assay.Pair("value 1 of 1 of the input: 0 -> 1", 1, 0, 1, "the known worst pair",
                                                 (0,), (1,)))
        self.assertEqual(report.seed, int(said["seed"]))
        self.assertEqual(report.reproduce, said["reproduce"])
        self.assertIsNone(report.error)
        self.assertIn("Violated", str(report))
        self.assertEqual(repr(report), f"<assay.AuditReport: {report.headline}>")

    def test_eps_is_at_the_delta_of_the_claim(self):
        self.assertEqual(assay.audit("laplace", claim="eps=1,delta=1e-5").eps.at, 1e-5)
        mu = assay.audit("laplace", claim="mu=1")
        self.assertEqual((mu.eps.at, mu.delta), (1e-6, None))

    def test_infinities_are_numbers(self):
        report = assay.audit(Uniform, **SMALL)
        self.assertEqual(report.eps.upper, math.inf)
        self.assertEqual(report.visible, (report.json["strength"] or {}).get("level"))

    def test_accounts_calibrations_and_conversions(self):
        words = ("account", "gaussian", "--sigma", "2", "--compose", "1000", "--delta", "1e-06")
        said = direct(*words)[0]
        report = assay.account("gaussian", sigma=2, compose=1000, delta=1e-6)
        self.assertEqual(without_meta(report.json), without_meta(said))
        self.assertEqual((report.eps.lower, report.eps.upper),
                         (said["answers"][0]["lower"], said["answers"][0]["upper"]))
        self.assertEqual(report.summary, f"eps at delta = 1e-06 is at most {said['answers'][0]['upper']!r}")
        both = assay.account("gaussian", sigma=2, delta=[1e-6, 1e-9])
        self.assertEqual([one.given for one in both.answers], [1e-6, 1e-9])
        with self.assertRaisesRegex(AttributeError, "the report has 2 answers of epsilon at delta"):
            both.eps
        scale = assay.calibrate("gaussian", epsilon=1, delta=1e-6)
        self.assertEqual((scale.scale, scale.achieved_delta.upper),
                         (scale.json["scale"], scale.json["achieved_delta"]["upper"]))
        lines = assay.convert("gdp", mu=1).lines
        self.assertIsNone(lines[0].upper)
        self.assertIn("any eps", lines[0].why_not)

    def test_claims_comparisons_suites_and_figures(self):
        claims = assay.verify("ts-step-dp").claims
        self.assertEqual([(one.id, one.verdict, one.expected) for one in claims], [("ts-step-dp", "Refuted", "Refuted")])
        self.assertEqual(repr(assay.verify("ts-step-dp")), "<assay.VerificationReport: ts-step-dp Refuted>")
        self.assertEqual(assay.verify("ts-step-dp", "ts-eq27", "dp-od-dp", "gdp-*").summary.split(", ")[-1][2:], "Refuted")
        bench = assay.bench("additive", epsilon=1, delta=1e-6, samples=20)
        self.assertEqual(bench.candidates, tuple(one["id"] for one in bench.json["candidates"]))
        self.assertIn("<html", bench.page)
        suite = pathlib.Path(SCRATCH.name) / "suite.toml"
        suite.write_text('schema = "assay.suite/1"\nname = "here"\n[[audit]]\nid = "counts"\ncase = "laplace"\n'
                         'claim = "eps=1"\nparameters = { epsilon = 2 }\n')
        report = assay.suite(str(suite), history="none", seed=1)
        self.assertEqual([(one.id, one.status) for one in report.entries], [("counts", "violated")])
        self.assertTrue(report.fails)
        figure = assay.simulate("ts-fig1")
        self.assertEqual((figure.experiments, figure.outcome), (("ts-fig1",), figure.json["outcome"]))

    def test_reports_cannot_be_changed(self):
        report = assay.audit("laplace", claim="eps=1")
        for name in ("verdict", "eps", "new"):
            with self.assertRaises(dataclasses.FrozenInstanceError):
                setattr(report, name, 1)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            report.eps.lower = 0
        report.json["verdict"] = "Verified by hand"
        self.assertEqual(report.json["verdict"], report.verdict)

    def test_a_notebook_shows_the_page(self):
        report = assay.audit("laplace", p={"epsilon": 2}, claim="eps=1")
        shown = report._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc=") and 'sandbox=""' in shown)
        self.assertIn(html.escape(report.page, quote=True), shown)
        self.assertIn("<title>", report.page)
        self.assertTrue(assay.calibrate("gaussian", epsilon=1, delta=1e-6)._repr_html_().startswith("<pre>"))


class Reported(Greedy):
    def probabilities(self):
        return [0.1 / 3 + 0.9 * (arm == int(self.last == 1)) for arm in range(3)]


class Probabilities(unittest.TestCase):
    """One changed reward moves an arm from 0.1/3 to 0.9 + 0.1/3: eps = log 28 at delta = 0."""

    def upper(self, what, **options):
        report = assay.audit(what, **{**SMALL, "horizon": 4, "claim": "eps=4", **options})
        self.assertEqual(report.verdict, "VerifiedIfReported")
        return report.eps

    def test_give_upper_bounds(self):
        exact = self.upper(Reported, method="exact", samples=None, runs=1000)
        self.assertAlmostEqual(exact.upper, math.log(28), 9)
        self.assertLess(exact.lower, exact.upper)
        sampled = self.upper(Reported, method="likelihood", claim="eps=4,delta=0.05")
        self.assertTrue(math.log(28) - 0.1 < sampled.upper < 4)

    def test_of_a_factory_are_named_and_a_fork_gives_the_same(self):
        class Named(Reported):
            propensities = Reported.probabilities
        named = assay.policy(lambda arms, rng: Named(arms, rng), probabilities="propensities")
        both = [self.upper(named, method="exact", samples=None, runs=1000, fork=fork) for fork in (False, True)]
        self.assertEqual(both[0], both[1])

    def test_that_the_draws_do_not_follow_give_none(self):
        class Wrong(Greedy):
            def probabilities(self):
                return [1 / 3] * 3
        report = assay.audit(Wrong, **{**SMALL, "horizon": 4, "claim": "eps=9"}, method="likelihood")
        self.assertEqual(report.verdict, "Inconclusive")
        self.assertIn("the draws do not follow", report.reason)
        self.assertEqual(report.eps.upper, math.inf)

    def test_are_needed_for_the_method(self):
        with self.assertRaisesRegex(assay.UsageError, "needs the probabilities of a target's actions"):
            assay.audit(Greedy, **SMALL, method="likelihood")


class Errors(unittest.TestCase):
    def words_of(self, *words):
        said, status, error = direct(*words)
        self.assertNotEqual(status, 0)
        return error.strip()[len("assay: "):]

    def test_usage_errors_are_in_the_command_s_words(self):
        for words, call in ((("audit", "laplace", "--nope", "3"), lambda: assay.audit("laplace", nope=3)),
                            (("audit", "no-such-case"), lambda: assay.audit("no-such-case")),
                            (("audit", "laplace", "--confidence", "2"), lambda: assay.audit("laplace", confidence=2)),
                            (("account", "gaussian"), lambda: assay.account("gaussian")),
                            (("verify", "no-such"), lambda: assay.verify("no-such"))):
            with self.assertRaises(assay.UsageError) as raised:
                call()
            self.assertEqual(str(raised.exception), self.words_of(*words))
            self.assertEqual(raised.exception.status, 2)
            self.assertIsNone(raised.exception.report)

    def test_values_of_options_are_of_known_types(self):
        with self.assertRaisesRegex(TypeError, "claim: a value is a text, a number or a path, not b'eps'"):
            assay.audit("laplace", claim=b"eps")
        with self.assertRaisesRegex(TypeError, r"a command line is a list of texts, not \[1\]"):
            assay.audit([1])
        with self.assertRaisesRegex(TypeError, "3 is nothing to audit"):
            assay.audit(3, claim="eps=1")

    def test_options_are_words(self):
        self.assertEqual(_command.option_words({"lambda_": 1, "stops": True, "quiet": False, "seed": None, "w": ["a"],
                                                "input": pathlib.Path("x y"), "samples": 10 ** 6}),
                         ["--lambda", "1", "--stops", "-w", "a", "--input", "x y", "--samples", "1000000"])

    def test_a_target_that_fails_is_an_exception_with_its_report(self):
        with self.assertRaises(assay.TargetError) as raised:
            assay.audit(["python3", "-c", "raise SystemExit(3)"], **SMALL)
        self.assertEqual(raised.exception.status, 4)
        self.assertIn("the target ended with status 3", str(raised.exception))
        self.assertIsNone(raised.exception.report)  # it never greeted

        class Ends(Uniform):
            def update(self, arm, reward):
                with open(os.environ["HOME"] + "/counted", "a+b") as file:
                    file.write(b".")
                    if file.tell() > 40000:
                        raise MemoryError
        with self.assertRaises(assay.TargetError) as raised, home(SCRATCH.name):
            assay.audit(Ends, **dict(SMALL, samples=3000), method="events")
        self.assertEqual(raised.exception.report.verdict, "Inconclusive")
        self.assertEqual(str(raised.exception), raised.exception.report.error)

    def test_a_command_without_a_report_is_an_exception(self):
        for script, kind, words in (("exit 0", assay.InternalError, "status 0"),
                                    ("echo nonsense", assay.InternalError, "cannot be read"),
                                    ("echo '{\"schema\": \"assay.audit-report/2\"}'", assay.InternalError, "KeyError"),
                                    ("kill -9 $$", assay.CommandError, "SIGKILL"),
                                    ("echo 'assay: internal error: odd' >&2; exit 5", assay.InternalError, "odd")):
            path = os.path.join(SCRATCH.name, "fake")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(path, 0o755)
            with self.assertRaisesRegex(kind, words), commands(path):
                assay.audit("laplace", claim="eps=1")

    def test_a_command_that_is_missing_is_named(self):
        with commands("/no/such/assay"), self.assertRaisesRegex(assay.CommandError, "ASSAY_COMMAND names no program"):
            assay.audit("laplace")
        with commands(None), self.assertRaisesRegex(assay.CommandError, "install the wheel"):
            assay.audit("laplace")

    def test_the_module_is_the_command(self):
        words = [sys.executable, "-m", "assay", "audit", "laplace", "-p", "epsilon=2", "--claim", "eps=1", "--quiet"]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout),
                         (1, "Violated: eps at delta = 0 is at least 1.9999; the claim allows 1\n"))
        broken = os.path.join(SCRATCH.name, "broken")
        pathlib.Path(broken).write_text("not a program")
        os.chmod(broken, 0o755)
        for path, said in (("/no/such/assay", "ASSAY_COMMAND names no program"), (broken, "Exec format error")):
            done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False,
                                  env=dict(os.environ, ASSAY_COMMAND=path))
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            with commands(path), self.assertRaisesRegex(assay.CommandError, said):
                assay.audit("laplace")

    def test_the_version_is_the_command_s(self):
        self.assertEqual(assay.__version__, subprocess.run([COMMAND, "--version"], stdout=subprocess.PIPE, text=True,
                                                           check=True).stdout.split()[1])
        with self.assertRaises(AttributeError):
            assay.no_such_name


@contextlib.contextmanager
def home(path):
    before = os.environ["HOME"]
    os.environ["HOME"] = path
    try:
        yield
    finally:
        os.environ["HOME"] = before


@contextlib.contextmanager
def commands(path):
    before = os.environ.pop("ASSAY_COMMAND")
    if path is not None:
        os.environ["ASSAY_COMMAND"] = path
    try:
        yield
    finally:
        os.environ["ASSAY_COMMAND"] = before


class Objects(unittest.TestCase):
    def test_classes_closures_and_lambdas_of_main(self):
        leak = assay.audit(Greedy, arms=3, horizon=6, claim="eps=1", samples=2000, seed=1)
        self.assertEqual(leak.verdict, "Violated")
        self.assertGreater(leak.eps.lower, 1)
        scale = 0.25

        def make(shape, rng):
            return Uniform(shape.arms, rng)

        def mechanism(values, rng):
            return [values[0] - scale * math.log(1 - rng.random())]

        self.assertEqual(assay.try_(make, arms=3, horizon=6).json["target"]["name"],
                         "Objects.test_classes_closures_and_lambdas_of_main.<locals>.make")
        self.assertEqual(assay.try_(lambda shape, rng: Uniform(shape.arms, rng), arms=3, horizon=6).status, 0)
        self.assertEqual(assay.audit(mechanism, kind="mechanism", claim="eps=1", samples=2000).verdict, "Violated")

        def run(input, rng):  # of a whole run
            return [int(3 * rng.random()) for _ in input]
        self.assertTrue(assay.try_(run, arms=3, horizon=6).ready)

    def test_one_object_has_one_command_line_and_one_report(self):
        one, other = assay.audit(Uniform, **SMALL), assay.audit(Uniform, **SMALL)
        self.assertEqual(without_meta(one.json), without_meta(other.json))
        again = subprocess.run(["sh", "-c", one.reproduce.replace("assay", f"'{COMMAND}'", 1) + " --format json"],
                               stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(without_meta(json.loads(again.stdout)), without_meta(one.json))

    def test_importable_names_are_named(self):
        folder = pathlib.Path(SCRATCH.name) / "a library"
        folder.mkdir()
        (folder / "armory.py").write_text(
            "import random\nclass Explorer:\n    def __init__(self, horizon, arms=2, rng=None, other=7, kind='own'):\n"
            "        assert (horizon, arms, other, kind) == (6, 3, 7, 'own')\n        self.rng = rng\n"
            "    def pull(self):\n        return int(3 * self.rng.random())\n    def learn(self, arm, reward): pass\n")
        sys.path.insert(0, str(folder))
        try:
            import armory
            target = assay.policy(armory.Explorer, choose="pull", seeded=True, name="explorer")
            words = _targets.fresh_words(target)
            self.assertEqual(words[-7:], ["--policy", "armory:Explorer", "--choose", "pull", "--seeded", "--name",
                                          "explorer"])
            self.assertIn(str(folder), words)
            self.assertNotIn("--object", words)
            report = assay.try_(target, arms=3, horizon=6)
            self.assertEqual(report.json["target"]["name"], "explorer")
            self.assertTrue(report.json["target"]["seeded"])
        finally:
            sys.path.remove(str(folder))

    def test_a_fresh_interpreter_looks_for_modules_in_the_same_order(self):
        first, last = (pathlib.Path(SCRATCH.name) / name for name in ("first", "last"))
        for folder in (first, last):
            folder.mkdir()
            (folder / "colorsys.py").write_text(f"place = {folder.name!r}\n")  # also a module of Python
        (last / "ordered.py").write_text("import colorsys\ndef run(input):\n"
                                         "    return [float(getattr(colorsys, 'place', '') == 'first'), 0.0]\n")
        for before, expected in (([str(first)], 1), ([], 0)):
            sys.path[:] = before + sys.path + [str(last)]
            try:
                import ordered
                report = assay.try_(assay.function(ordered.run), kind="mechanism", outputs=2)
                self.assertEqual(report.json["runs"][0]["output"][0], expected)
            finally:
                sys.path[:] = [one for one in sys.path if one not in (str(first), str(last))]

    def test_a_module_that_audits_while_it_is_imported_starts_no_others(self):
        folder = pathlib.Path(SCRATCH.name) / "eager"
        folder.mkdir()
        (folder / "eager.py").write_text("import assay\ndef run(input):\n    return [0 for _ in input]\n"
                                         "report = assay.try_(assay.function(run), arms=3, horizon=6)\n")
        sys.path.insert(0, str(folder))
        try:
            with self.assertRaisesRegex(assay.TargetError, "began inside an audited program.*__main__"):
                import eager  # noqa: F401
        finally:
            sys.path.remove(str(folder))

    def test_without_cloudpickle_the_error_names_three_ways_out(self):
        before = sys.modules.get("cloudpickle")
        sys.modules["cloudpickle"] = None
        try:
            with self.assertRaisesRegex(assay.UsageError, "class Uniform cannot be imported.*python3-cloudpickle.*module"
                                                          ".*fork=True"):
                assay.audit(Uniform, **SMALL)
        finally:
            del sys.modules["cloudpickle"]
            if before is not None:
                sys.modules["cloudpickle"] = before

    def test_what_cannot_be_sent_is_an_error(self):
        lock = __import__("threading").Lock()
        with self.assertRaisesRegex(assay.UsageError, "cannot be sent to a fresh interpreter: .*lock.*fork=True"):
            assay.audit(lambda input: [0 for _ in input] if lock else [], **SMALL)

    def test_objects_that_are_not_clear_are_errors(self):
        for what, words in ((lambda s: Uniform(3, None), r"not clear what function .*lambda>\(s\) returns.*shape.*input"),
                            (Uniform(3, random), "an object of Uniform would be shared by all runs: give the class"),
                            (lambda shape, budget: None, "nobody fills the parameter 'budget'.*shape, rng, kind, arms"),
                            (lambda input, budget: None, "nobody fills the parameter 'budget'.*shape, seed, rng"),
                            (print, "not clear|cannot be read")):
            with self.assertRaisesRegex(TypeError, words):
                assay.audit(what, **SMALL)
        with self.assertRaisesRegex(TypeError, "class Uniform cannot be a mechanism: give a function"):
            assay.audit(Uniform, kind="mechanism", claim="eps=1")
        self.assertTrue(assay.try_(assay.policy(lambda arms: Fixed(arms)), arms=3, horizon=6).json["runs"])

    def test_a_constructor_that_needs_what_the_shape_lacks_says_so(self):
        class Linear(Uniform):
            def __init__(self, dimension):
                pass
        with self.assertRaisesRegex(assay.TargetError, "class .*Linear needs dimension, and the shape has only arms, horizon, kind"):
            assay.audit(Linear, **SMALL)

    def test_an_exception_of_a_policy_names_its_line(self):
        class Broken(Uniform):
            def choose(self):
                raise ValueError("no noise today")
        with self.assertRaisesRegex(assay.TargetError, r"ValueError: no noise today \(\w+.py:\d+, in choose"):
            assay.audit(Broken, **SMALL)

    def test_standard_output_of_a_policy_does_no_harm(self):
        class Chatty(Uniform):
            def choose(self):
                print("choosing")
                return super().choose()
        self.assertEqual(assay.try_(Chatty, arms=3, horizon=6).status, 0)


class Fixed:
    def __init__(self, arms):
        self.arms = arms

    def choose(self):
        return self.arms - 1

    def update(self, arm, reward):
        pass


class Generators(unittest.TestCase):
    def run_twice(self, call, **options):
        """The outputs of a dry run: run 1 to 10 with their seeds."""
        return assay.try_(call, kind="mechanism", outputs=2, seed=5, **options).json["runs"]

    def test_rng_is_a_function_of_the_run_s_seed(self):
        runs = self.run_twice(assay.function(lambda values, rng: [rng.random(), values[0]], seeded=True))
        by_seed = {}
        for run in runs:
            by_seed.setdefault(run["seed"], set()).add(run["output"][0])
        self.assertTrue(all(len(one) == 1 for one in by_seed.values()), runs)
        self.assertEqual(len(set.union(*by_seed.values())), len(by_seed))

    def test_what_no_seed_reaches_is_named_and_the_audit_is_as_valid(self):
        import secrets

        class Own(Uniform):
            def choose(self):
                return secrets.randbelow(3)
        for own, fork in ((Own, False), (Own, True)):
            report = assay.try_(own, arms=3, horizon=6, fork=fork)
            note, = report.notes
            self.assertTrue(note.warning and not note.mistake and report.ready)
            self.assertRegex(note.text, r"^the same seeds gave other outputs in a fresh process\. Probably because it draws "
                                        r"from secrets\.randbelow \(interface_test\.py:\d+, in choose\), which no seed "
                                        r"reaches\. The bounds of an audit hold all the same")
            self.assertNotIn("assay_target: no seed", report.text)
        promised = assay.try_(assay.policy(Own, seeded=True), arms=3, horizon=6)
        self.assertFalse(promised.ready)
        self.assertIn("no seed reaches", promised.notes[0].text)
        self.assertIn(assay.audit(Own, **SMALL).verdict, ("NotRefuted", "Weak"))

    def test_a_generator_of_a_module_is_named_where_it_is_made(self):
        folder = pathlib.Path(SCRATCH.name) / "module"
        folder.mkdir()
        (folder / "shared.py").write_text("import random\nGENERATOR = random.Random()\ndef run(input):\n"
                                          "    return [int(3 * GENERATOR.random()) for _ in input]\n")
        sys.path.insert(0, str(folder))
        try:
            import shared
            note, = assay.try_(shared.run, arms=3, horizon=6).notes
            self.assertIn("random.Random() (shared.py:2, when it is imported)", note.text)
        finally:
            sys.path.remove(str(folder))

    def test_rng_is_numpy_s_where_numpy_is(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        runs = self.run_twice(lambda values, rng: [type(rng).__name__ == "Generator", rng.normal()])
        self.assertEqual({run["output"][0] for run in runs}, {1})
        self.assertEqual(_command.value_word("samples", numpy.int64(7)), "7")

    def test_seed_and_shape_are_handed_by_name(self):
        runs = self.run_twice(lambda x, seed, shape: [seed, shape.outputs])
        self.assertTrue(all(run["output"] == [int(run["seed"]), 2] for run in runs), runs)


class Forks(unittest.TestCase):
    def test_a_fork_answers_as_a_fresh_interpreter_does(self):
        fresh = assay.audit(Greedy, arms=3, horizon=6, claim="eps=1", samples=500, seed=1)
        fork = assay.audit(Greedy, fork=True, arms=3, horizon=6, claim="eps=1", samples=500, seed=1)
        self.assertEqual([one for one in fork.quantities], [one for one in fresh.quantities])
        self.assertEqual((fork.verdict, fork.pair), (fresh.verdict, fresh.pair))

    def test_a_fork_has_what_cannot_be_sent_and_leaves_nothing(self):
        lock = __import__("threading").Lock()

        def run(input, rng):
            with lock:
                print("a line for standard error")
                return [int(3 * rng.random()) for _ in input]
        before = descendants()
        self.assertTrue(assay.try_(run, fork=True, arms=3, horizon=6, threads=2).ready)
        self.assertEqual(descendants(), before)

    def test_a_fork_that_ends_is_a_run_that_failed(self):
        def run(input, rng):
            if input[0] == 1 and rng.random() < 0.05:
                os._exit(3)
            return [int(3 * rng.random()) for _ in input]
        report = assay.audit(run, fork=True, arms=3, horizon=3, claim="eps=1", samples=200, seed=1, method="events")
        self.assertIn("failures", report.json)
        self.assertIn("ended with status 3", json.dumps(report.json["failures"]))

    def test_a_fork_that_hangs_is_killed(self):
        def run(input, rng):
            time.sleep(1000)
        before = descendants()
        with self.assertRaisesRegex(assay.TargetError, "did not answer within 0.500 s"):
            assay.audit(run, fork=True, answer_time=0.5, **SMALL)
        self.assertEqual(descendants(), before)

    def test_what_a_fork_cannot_honour_is_an_error(self):
        for name, value in (("memory", "1G"), ("sandbox", True)):
            with self.assertRaisesRegex(TypeError, f"{name} and fork=True exclude each other"):
                assay.audit(Uniform, fork=True, **SMALL, **{name: value})
        with self.assertRaisesRegex(TypeError, "fork=True is for a class or function"):
            assay.audit("laplace", fork=True)


def descendants():
    """The processes below this one, which have not ended."""
    parents = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                fields = pathlib.Path(entry.path, "stat").read_text().rpartition(") ")[2].split()
                if fields[0] != "Z":
                    parents[int(entry.name)] = int(fields[1])
    found = {os.getpid()}
    while True:
        more = {one for one, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


SLOW = """
import os, sys, time
import assay
class Slow:
    def __init__(self, arms, rng):
        self.rng = rng
    def choose(self):
        time.sleep(0.001)
        return int(3 * self.rng.random())
    def update(self, arm, reward):
        if not os.path.exists(MARK):
            open(MARK, "w").close()
MARK = sys.argv[1]
print("begins", flush=True)
try:
    report = assay.audit(Slow, arms=3, horizon=6, claim="eps=1", samples=1000000, method="events", answer_time=60)
    print("report", report.verdict, report.error)
except KeyboardInterrupt:
    print("interrupted")
except assay.Interrupted as error:
    print("Interrupted:", error, error.status, error.report.verdict)
"""


# A kernel without close_range (before Linux 5.9), as a filter of system calls: two instructions decide by the number.
OLD_KERNEL = """
import ctypes, os, struct, sys
code = struct.pack("<" + "HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 436, 6, 0, 0, 0x50000 | 38, 6, 0, 0, 0x7fff0000)
kept = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("HP", 4, ctypes.addressof(kept)))
system = ctypes.CDLL(None, use_errno=True)
assert system.prctl(38, 1, 0, 0, 0) == 0 and system.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
assert system.syscall(436, 100, 100, 0) == -1 and ctypes.get_errno() == 38
os.execv(sys.argv[1], sys.argv[1:])
"""
# It finds whatever it should not have inherited.
SHOWS = ("import os, sys; print('open:', [os.readlink('/proc/self/fd/' + one) for one in sorted(os.listdir('/proc/self/fd'))"
         " if os.path.exists('/proc/self/fd/' + one)], file=sys.stderr)")


class OldKernels(unittest.TestCase):
    def opened(self, *before):
        with open(os.path.join(SCRATCH.name, "secret"), "w", encoding="utf-8") as secret:
            done = subprocess.run([*before, COMMAND, "try", "--exec", f'{sys.executable} -c "{SHOWS}"', "--arms", "2",
                                   "--horizon", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  pass_fds=[secret.fileno()], check=False)
        self.assertIn("open: [", done.stderr)
        return done.stderr.partition("open: ")[2].partition("\n")[0]

    def test_a_target_inherits_nothing_where_close_range_is_missing(self):
        for before in ((), (sys.executable, "-c", OLD_KERNEL)):
            opened = self.opened(*before)
            self.assertNotIn("secret", opened)
            self.assertEqual(opened.count("pipe:"), 3, opened)


class Interrupts(unittest.TestCase):
    def begin(self, code, **more):
        self.mark = os.path.join(SCRATCH.name, f"runs-{time.monotonic()}")
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), self.mark], stdout=subprocess.PIPE,
                                   text=True, stderr=subprocess.PIPE, start_new_session=True, **more)
        self.assertEqual(process.stdout.readline(), "begins\n")
        return process

    def wait_for_a_run(self):
        for _ in range(1200):
            if os.path.exists(self.mark):
                return
            time.sleep(0.05)
        self.fail("no run of the target ends")

    def children_of(self, process):
        for _ in range(200):
            found = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit() and
                     self.field(entry.path, 1) == str(process.pid)]
            if found:
                return found
            time.sleep(0.05)
        self.fail("the command does not start")

    def field(self, path, number):
        try:
            return pathlib.Path(path, "stat").read_text().rpartition(") ")[2].split()[number]
        except OSError:
            return None

    def test_an_interrupt_returns_the_partial_report(self):
        for send in (os.kill, os.killpg):  # from a notebook, and from a terminal
            process = self.begin(SLOW)
            self.wait_for_a_run()
            time.sleep(1)
            send(process.pid, signal.SIGINT)
            out, error = process.communicate(timeout=60)
            self.assertIn("report Inconclusive interrupted", out, error)

    def test_an_interrupt_without_a_report_is_raised(self):
        path = os.path.join(SCRATCH.name, "waits")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntrap 'exit 3' INT\nwhile :; do sleep 0.1; done\n")
        os.chmod(path, 0o755)
        process = self.begin(SLOW.replace("audit(Slow, ", "audit('laplace', "), env=dict(os.environ, ASSAY_COMMAND=path))
        self.children_of(process)
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(out, "interrupted\n", error)

    def test_a_signal_from_elsewhere_is_an_exception(self):
        process = self.begin(SLOW)
        command, = self.children_of(process)
        self.wait_for_a_run()
        time.sleep(1)
        os.kill(command, signal.SIGTERM)
        out, error = process.communicate(timeout=60)
        self.assertEqual(out, "Interrupted: interrupted 3 Inconclusive\n", error)

    def test_the_command_does_not_outlive_python(self):
        process = self.begin(SLOW)
        command, = self.children_of(process)
        self.wait_for_a_run()
        process.kill()
        process.communicate()
        deadline = time.time() + 30
        while self.field(f"/proc/{command}", 0) not in (None, "Z") and time.time() < deadline:
            time.sleep(0.1)
        self.assertIn(self.field(f"/proc/{command}", 0), (None, "Z"))


class Array:
    """What an array of NumPy is here."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        return iter(self.numbers)

    def tolist(self):
        return self.numbers


def laplace_of(seed):
    rng = random.Random(seed)
    return lambda: rng.expovariate(1) - rng.expovariate(1)


class Samplers(unittest.TestCase):
    LAPLACE = "laplace:scale=1"

    def test_each_way_to_give_numbers_is_the_same_test(self):
        draw = laplace_of(3)
        numbers = [draw() for _ in range(20000)]
        path = pathlib.Path(SCRATCH.name, "numbers.txt")
        path.write_text("".join(f"{one!r}\n" for one in numbers))
        program = ["python3", "-c", f"print(open({str(path)!r}).read())"]
        ways = {"list": numbers, "generator": (one for one in numbers), "array": Array(numbers), "file": path,
                "program": program, "function": laplace_of(3), "batches": self.batches(numbers)}
        bounds = set()
        for name, way in ways.items():
            with self.subTest(name):
                report = assay.sampler(way, self.LAPLACE, samples=20000)
                self.assertEqual((report.verdict, report.samples), ("NoDifferenceSeen", 20000))
                bounds.add((report.distance, report.thresholds, report.log_ratio, report.tests))
        self.assertEqual(len(bounds), 1)

    @staticmethod
    def batches(numbers):
        left = list(numbers)

        def draw(count):
            taken, left[:] = left[:count], left[count:]
            return Array(taken or [0.5] * count)  # it is asked for more than the command reads
        return draw

    def test_the_report_is_that_of_the_command(self):
        path = pathlib.Path(SCRATCH.name, "wide.txt")
        draw = laplace_of(4)
        path.write_text("".join(f"{1.2 * draw()!r}\n" for _ in range(20000)))
        report = assay.sampler(path, self.LAPLACE, confidence=0.999)
        data, status, _ = direct("sampler", "--file", path, "--distribution", self.LAPLACE, "--confidence", "0.999")
        self.assertEqual(without_meta(report.json), without_meta(data))
        self.assertEqual((report.status, status, report.verdict), (1, 1, "Differs"))
        self.assertEqual(report.summary, report.headline)
        self.assertTrue(any(test.p_value <= test.alpha and test.finding for test in report.tests))
        self.assertGreater(report.distance.lower, 0)
        self.assertIn("<svg", report.page)

    def test_a_function_is_called_as_often_as_the_aims_take(self):
        calls = []
        draw = laplace_of(5)
        report = assay.sampler(lambda: calls.append(1) or draw(), self.LAPLACE, see={"tv": 0.2})
        self.assertLess(report.samples, 10000)
        self.assertLess(len(calls), 100000)  # at most a pipe's content more
        self.assertEqual(report.json["aims"]["distance"], 0.2)

    def test_an_assertion_passes_or_fails_with_the_report(self):
        self.assertEqual(assay.assert_samples(laplace_of(6), self.LAPLACE).verdict, "NoDifferenceSeen")
        with self.assertRaises(assay.WrongSamples) as failed:
            assay.assert_samples(laplace_of(6), "laplace:scale=1.1")
        self.assertTrue(str(failed.exception).startswith("Differs: "))
        self.assertIn("\nReproduce ", str(failed.exception))
        self.assertIsInstance(failed.exception, AssertionError)
        self.assertEqual(failed.exception.report.verdict, "Differs")
        draw = laplace_of(7)
        with self.assertRaisesRegex(assay.WrongSamples, "^Weak: .* takes about [0-9,]+ samples"):
            assay.assert_samples([draw() for _ in range(500)], self.LAPLACE)
        bits = random.Random(1)
        assay.assert_samples(lambda: bits.random() < 0.3, "bernoulli:p=0.3", see={"tv": 0.1})

    def test_what_is_no_sampler_is_named(self):
        for wrong, message in (("numbers.txt", "give pathlib.Path"), (3, "neither numbers nor a function"),
                               (lambda a, b: 1, r"not \(a, b\)"), (lambda: "x", "a sample is a number, not 'x'"),
                               (["1", 2], "a sample is a number, not '1'"), (lambda: [], "a list without numbers")):
            with self.assertRaisesRegex(TypeError, message):
                assay.sampler(wrong, self.LAPLACE)
        with self.assertRaisesRegex(assay.UsageError, "has 2 numbers; a test needs at least 100"):
            assay.sampler([0.5, 0.25], self.LAPLACE)
        with self.assertRaisesRegex(assay.UsageError, "did you mean 'laplace'"):
            assay.sampler([0.5] * 200, "laplac:scale=1")
        with self.assertRaisesRegex(assay.TargetError, "ended with status 3"):
            assay.sampler(["sh", "-c", "exit 3"], self.LAPLACE)

        def broken():
            raise RuntimeError("no entropy")
        with self.assertRaisesRegex(RuntimeError, "no entropy"):
            assay.sampler(broken, self.LAPLACE)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Progress(unittest.TestCase):
    def test_a_terminal_shows_one_line_which_goes(self):
        with contextlib.redirect_stderr(Terminal()) as shown:
            assay.audit(Uniform, **SMALL)
        self.assertRegex(shown.getvalue(), r"\r\x1b\[K\S.*\[=* *\] +\d+%")
        self.assertTrue(shown.getvalue().endswith("\r\x1b[K"))
        self.assertNotIn("\n", shown.getvalue())

    def test_nothing_elsewhere(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            assay.audit("laplace", claim="eps=1")
        self.assertEqual(shown.getvalue(), "")

    def test_a_notebook_shows_a_bar(self):
        drawn = []
        fake = type(sys)("IPython")
        fake.get_ipython = lambda: type("Shell", (), {"kernel": object()})()
        fake.display = type(sys)("IPython.display")
        fake.display.HTML = str
        handle = type("Handle", (), {"update": lambda self, text: drawn.append(text)})()
        fake.display.display = lambda text, display_id: drawn.append(text) or handle
        sys.modules.update({"IPython": fake, "IPython.display": fake.display})
        try:
            assay.audit(Uniform, **SMALL)
        finally:
            del sys.modules["IPython"], sys.modules["IPython.display"]
        self.assertRegex(drawn[0], r'<progress value="0\.\d+" max="1"></progress> \w+')
        self.assertEqual(drawn[-1], "")


if __name__ == "__main__":
    unittest.main()
