"""The plug-in for pytest, in real runs of pytest: pytest_test.py SOURCE_FOLDER ASSAY."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import xml.etree.ElementTree

SOURCE, COMMAND = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
SCRATCH = tempfile.TemporaryDirectory(prefix="assay-pytest-")
FOLDER = pathlib.Path(SCRATCH.name)
HAS_XDIST = importlib.util.find_spec("xdist") is not None
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTEST_"))}
ENVIRONMENT.update(ASSAY_COMMAND=COMMAND, PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(FOLDER / "cache"),
                   PYTHONPATH=os.pathsep.join([str(SOURCE / "python/src"), str(FOLDER / "site")]))

SUITE = '''schema = "assay.suite/1"
name = "here"
[[audit]]
id = "counts"
case = "laplace"
claim = "eps=1"
tier = "smoke"
[[audit]]
id = "group/leak"
tags = ["nightly", "skip", "team-a/ranking", "smoke", "two words"]
case = "laplace"
parameters = {epsilon = 2}
claim = "eps=1"
[[audit]]
id = "warns"
case = "laplace"
parameters = {epsilon = 3}
claim = "eps=1"
severity = "warn"
[[audit]]
id = "wrong"
case = "laplace"
parameters = {epsilon = -2}
claim = "eps=1"
[[audit]]
id = "breaks"
exec = "false"
claim = "eps=1"
[[audit]]
id = "weak"
exec = "python3 target.py"
horizon = 4
samples = 300
claim = "eps=1"
'''
HELD = {"counts": "passed", "group/leak": "failed", "warns": "passed", "wrong": "failed", "breaks": "failed",
        "weak": "failed"}


def install():
    """Makes pytest find the plug-in as in a wheel: by the entry point that the project declares."""
    declared = re.search(r'\[project\.entry-points\.pytest11\]\nassay = "(.*)"\n',
                         (SOURCE / "python/pyproject.toml").read_text())
    place = FOLDER / "site" / "dp_assay-0.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: dp-assay\nVersion: 0\n")
    (place / "entry_points.txt").write_text(f"[pytest11]\nassay = {declared[1]}\n")


class Outcomes(dict):
    """By the name of a test: "passed", "failed" or "skipped". texts: the texts of failures; said: the terminal."""

    def __init__(self, folder, words, status, environment):
        report = FOLDER / "report.xml"
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--strict-markers",
                               f"--junitxml={report}", *words], cwd=folder, env={**ENVIRONMENT, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.said = done.stdout
        if done.returncode != status:
            raise AssertionError(f"pytest {words} ended with {done.returncode}:\n{done.stdout[-6000:]}")
        super().__init__()
        self.texts, self.out = {}, {}
        if status > 1:
            return
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            failure = case.find("failure")
            self[case.get("name")] = "passed" if failure is None else "failed"
            if failure is not None:
                self.texts[case.get("name")] = failure.text
            self.out[case.get("name")] = case.findtext("system-out") or ""
        report.unlink()


def run(folder, *words, status=0, **environment):
    return Outcomes(folder, words, status, environment)


def joined(text):
    """A text in one line, without pytest's margin and the ends of continued lines."""
    return " ".join(re.sub(r"(?m)^E |\\$", "", text).split())


def found(text):
    """A report in the text of a failure, up to its evidence."""
    return text[text.index("NotPrivate: "):text.index("Evidence")]


class Examples(unittest.TestCase):
    """examples/python_tests, whose tests of planted leaks must fail."""

    @classmethod
    def setUpClass(cls):
        cls.outcomes = run(SOURCE / "examples/python_tests", status=1)

    def test_private_code_passes_and_planted_leaks_fail(self):
        self.assertEqual(self.outcomes, {
            "test_the_policy_is_private": "passed", "test_the_total_is_private": "passed",
            "test_with_the_settings_of_pytest": "passed", "test_a_policy_that_leaks": "failed",
            "test_a_total_that_leaks": "failed", "test_an_audit_of_few_runs": "failed"})

    def test_a_violation_shows_the_report(self):
        for name in ("test_a_policy_that_leaks", "test_a_total_that_leaks"):
            text = self.outcomes.texts[name]
            level = re.search(r"NotPrivate: Violated: eps at delta = 0 is at least ([0-9.]+);", text)
            self.assertIsNotNone(level, text)
            self.assertTrue(1 < float(level[1]) < 2.7, text)
            for part in ("\nE       Pair ", "\nE       Reproduce ", "\nE       Alpha ledger "):
                self.assertIn(part, text)
            self.assertNotIn("too weak", text.lower())
            self.assertNotIn("_asserting.py", text, "the trace ends in the test")

    def test_a_weak_audit_says_what_it_saw_and_what_more_takes(self):
        text = self.outcomes.texts["test_an_audit_of_few_runs"]
        self.assertRegex(joined(text),
                         r"NotPrivate: Too weak: on this pair, (only a leak of eps >= [0-9.]+ would probably have been "
                         r"seen|even a large leak may have been missed); the audit should see 1\.2, and the claim is 1 "
                         r"Next With --see 1\.2, and without --runs, --samples and --time, an audit takes about "
                         r"[0-9,]+ runs\.")
        self.assertIn("\nE       Reproduce ", text)

    def test_workers_of_xdist_find_the_same(self):
        if not HAS_XDIST:
            self.skipTest("pytest-xdist is not installed: nothing runs with -n")
        again = run(SOURCE / "examples/python_tests", "-n", "2", status=1)
        self.assertEqual(again, self.outcomes)
        self.assertEqual({name: found(text) for name, text in again.texts.items()},
                         {name: found(text) for name, text in self.outcomes.texts.items()})


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = FOLDER / "a suite"
        cls.folder.mkdir()
        for name in ("policy.py", "target.py"):
            shutil.copy(SOURCE / "examples/python_team" / name, cls.folder)
        (cls.folder / "assay.toml").write_text(SUITE)
        cls.whole = run(cls.folder, "--assay", "assay.toml", status=1)

    def test_each_entry_is_a_test(self):
        self.assertEqual(self.whole, HELD)
        self.assertIn("warns: Violated: eps at delta = 0 is at least 2.9999; the claim allows 1", self.whole.said)
        self.assertEqual(run(SOURCE / "examples/python_team", "--assay", "assay.toml", "-k", "not privacy"),
                         {"explore-then-commit": "passed", "regret": "passed"})
        self.assertFalse((self.folder / ".assay").exists(), "it keeps no history")

    def test_a_failure_is_the_report(self):
        for name, begins, says in (
                ("group/leak", "Violated: eps at delta = 0 is at least 1.9999", "Next Correct the policy, its noise"),
                ("wrong", "UsageError: Fails: 1 misconfigured", "epsilon must be 1e-06 to 500, not -2"),
                ("breaks", "TargetError: Fails: 1 could not run", "the target ended with status 1 before it"),
                ("weak", "Weak: on this pair, ", "Next With see = 1.5, and without runs, samples and time, an")):
            text = self.whole.texts[name]
            self.assertTrue(text.startswith(begins), text)
            self.assertIn(says, joined(text))
            self.assertTrue(joined(text).endswith(f"--entry {name} --keep-shares --seed 1 --history none"), text)

    def test_no_selection_changes_a_verdict(self):
        for name in ("group/leak", "weak"):  # an equal share of 0.001, although each of six entries runs alone
            confidence = re.search(r"--confidence ([0-9.]+)", joined(self.whole.texts[name]))
            self.assertAlmostEqual(float(confidence[1]), 1 - 0.001 / 6, delta=1e-6)
        selected = [(["-k", "leak or weak"], ["group/leak", "weak"]), (["-m", "smoke"], ["counts"]),
                    (["assay.toml::weak"], ["weak"]), (["-m", "nightly"], ["group/leak"]),
                    (["-m", "full and team-a/ranking"], ["group/leak"]), (["-m", "nightly and smoke"], []), (["-m", "assay and full", "-k", "not wrong and not breaks"],
                                                       ["group/leak", "warns", "weak"])]
        for words, names in selected:
            failed = [name for name in names if HELD[name] == "failed"]
            some = run(self.folder, "--assay", "assay.toml", *words, status=1 if failed else 0 if names else 5)
            self.assertEqual(sorted(some), sorted(names), words)
            self.assertEqual(some.texts, {name: self.whole.texts[name] for name in failed}, words)

    def test_workers_of_xdist_find_the_same(self):
        if not HAS_XDIST:
            self.skipTest("pytest-xdist is not installed: nothing runs with -n")
        again = run(self.folder, "--assay", "assay.toml", "-n", "2", status=1)
        self.assertEqual(again, self.whole)
        self.assertEqual(again.texts, self.whole.texts)

    def test_the_seed_is_that_of_the_option_then_of_the_suite(self):
        (self.folder / "seeded.toml").write_text(SUITE.replace("[[audit]]", "seed = 7\n[[audit]]", 1))
        words = ("--assay", "seeded.toml", "seeded.toml::group/leak")
        self.assertIn("and seed 7\n", run(self.folder, *words, status=1).texts["group/leak"])
        self.assertIn("and seed 5\n", run(self.folder, *words, "--assay-seed", "5", status=1).texts["group/leak"])

    def test_an_entry_runs_once_beside_other_tests(self):
        (self.folder / "test_other.py").write_text("def test_other():\n    pass\n")
        for words in ([], ["."], ["test_other.py"], ["test_other.py", "assay.toml"]):
            outcomes = run(self.folder, "--assay", "assay.toml", "-k", "counts or other", *words)
            self.assertEqual(outcomes, {"counts": "passed", "test_other": "passed"}, words)
            self.assertIn("2 passed", outcomes.said, words)
        self.assertEqual(run(self.folder, "test_other.py"), {"test_other": "passed"})
        (self.folder / "test_other.py").unlink()

    def test_a_suite_that_cannot_be_read_is_an_error(self):
        self.assertIn("--assay: there is no file", run(self.folder, "--assay", "none.toml", status=4).said)
        (self.folder / "bad.toml").write_text(SUITE.replace("claim", "clam"))
        said = run(self.folder, "--assay", "bad.toml", status=2).said
        self.assertRegex(said, r"ERROR collecting bad.toml[^$]*bad.toml:[0-9]+: .*clam")


class Assertions(unittest.TestCase):
    def outcomes(self, code, *words, **more):
        folder = FOLDER / "tests"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(SOURCE / "examples/python_tests/private.py", folder)
        (folder / "pytest.ini").write_text("[pytest]\nassay_samples = 250\nassay_seed = 3\n")
        (folder / "test_here.py").write_text("import assay, private, pytest\n" + textwrap.dedent(code))
        return run(folder, "-o", "junit_logging=system-out", *words, **more)

    def test_the_fixture_has_settings(self):
        code = """
            POLICY = dict(claim="eps=1", arms=2, horizon=4)
            def test_settings(assay_audit):
                report = assay_audit(private.LastReward, **POLICY)
                print("settings", report.seed, report.samples)
            def test_own(assay_audit):
                report = assay_audit(private.ForgetsToLie, samples=200, seed=9, **POLICY)
                print("own", report.seed, report.samples, report.verdict)
            def test_case(assay_audit):
                assert assay_audit("laplace", p={"epsilon": 2}, claim="eps=1").verdict == "Violated"
                assert assay_audit.assert_private("laplace", claim="eps=1").verdict == "Verified"
            def test_weak(assay_audit):
                with pytest.raises(assay.NotPrivate, match="Too weak") as error:
                    assay_audit.assert_private(private.LastReward, see=1.1, **POLICY)
                print("weak", error.value.report.seed, error.value.report.samples, error.value.report.verdict)
        """
        outcomes = self.outcomes(code)
        self.assertEqual(set(outcomes.values()), {"passed"})
        self.assertIn("settings 3 250\n", outcomes.out["test_settings"])
        self.assertIn("own 9 200 ", outcomes.out["test_own"])
        self.assertIn("weak 3 250 Weak\n", outcomes.out["test_weak"])
        options = self.outcomes(code, "--assay-samples", "260", "--assay-seed", "4", "-k", "settings or case")
        self.assertIn("settings 4 260\n", options.out["test_settings"])

    def test_what_goes_wrong_is_no_verdict(self):
        outcomes = self.outcomes("""
            class Breaks(private.LastReward):
                def choose(self):
                    raise ValueError("no arm today")
            def test_target():
                assay.assert_private(Breaks, claim="eps=1", arms=2, horizon=4, samples=200)
            def test_option():
                assay.assert_private(private.LastReward, claim="eps=1", arm=2)
            def test_claim():
                assay.assert_private(private.LastReward, arms=2)
        """, status=1)
        for name, says in (("test_target", "assay.TargetError: "), ("test_option", "assay.UsageError: unknown option"),
                           ("test_claim", "TypeError: assert_private needs a claim")):
            self.assertIn(says, outcomes.texts[name])
            self.assertNotIn("NotPrivate", outcomes.texts[name])
        self.assertIn("no arm today", outcomes.texts["test_target"])

    def test_an_interrupt_ends_the_tests(self):
        outcomes = self.outcomes("""
            import os, signal, threading, time
            class Slow(private.LastReward):
                def choose(self):
                    time.sleep(0.001)
                    return super().choose()
            def test_slow():
                threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
                assay.assert_private(Slow, claim="eps=1", arms=2, horizon=4, samples=10**6)
            def test_never():
                pass
        """, status=2)
        self.assertIn("KeyboardInterrupt", outcomes.said)
        self.assertNotIn("passed", outcomes.said)

    def test_without_pytest_it_is_a_plain_assertion(self):
        code = textwrap.dedent("""
            import sys, assay
            assert assay.assert_private("laplace", claim="eps=1").verdict == "Verified"
            try:
                assay.assert_private("laplace", p={"epsilon": 2}, claim="eps=1")
            except AssertionError as error:
                print(str(error) == str(error.report), error.report.verdict, error.report.seed)
            print("pytest" in sys.modules)
        """)
        for seed in (None, "8"):
            chosen = {"ASSAY_SEED": seed} if seed else {}
            done = subprocess.run([sys.executable, "-c", code], env={**ENVIRONMENT, **chosen}, stdout=subprocess.PIPE,
                                  text=True, check=True)
            self.assertEqual(done.stdout, f"True Violated {seed or 1}\nFalse\n")


if __name__ == "__main__":
    install()
    unittest.main()
