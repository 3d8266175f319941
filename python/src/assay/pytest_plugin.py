"""The plug-in for pytest: the fixture `assay_audit`, and `pytest --assay assay.toml`, a test for each entry of a suite.

Each test is one statement: an audit has the error probability that its own options give it, and an entry the share that
it has in a run of the whole suite. So -k, -m, -n and the order of the tests change no verdict. Seeds are fixed.
"""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import warnings
from typing import Any, Dict, Iterable, List, Optional

import pytest

import assay
from ._asserting import assert_private, repeatable_audit, with_seed

_MODERN = hasattr(pytest, "version_tuple")  # pytest 7: earlier ones name files differently
_SETTINGS = {
    "samples": ("N", "certify the audits of assay_audit with N runs on each input, but for cases of the library"),
    "time": ("SECONDS", "limit each audit of assay_audit; what it finds then depends on the speed of the machine"),
    "seed": ("SEED", "draw the random numbers of assay_audit and of suites from this seed (default: the seed of the "
                     "suite, or 1)"),
}


_TAGS = pytest.StashKey() if _MODERN else None  # those that are markers


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "audits of differential privacy (Assay)")
    group.addoption("--assay", action="append", default=[], metavar="SUITE", dest="assay_suites",
                    help="run each entry of this suite, such as assay.toml, as a test (repeatable)")
    for name, (value, text) in _SETTINGS.items():
        group.addoption(f"--assay-{name}", metavar=value, default=None, dest=f"assay_{name}", help=text)
        parser.addini(f"assay_{name}", f"default of --assay-{name}", default="")


def _setting(config: pytest.Config, name: str) -> Optional[str]:
    given: Optional[str] = config.getoption(f"assay_{name}")
    return (config.getini(f"assay_{name}") if given is None else given) or None


def _one_thread_of_many() -> Dict[str, Any]:
    """The workers of pytest-xdist share the machine already. The number of threads changes no result."""
    return {"threads": 1} if "PYTEST_XDIST_WORKER" in os.environ else {}


class Audits:
    """What the fixture assay_audit gives: assay.audit and assay.assert_private with the settings of pytest.

    Settings are the options --assay-samples, --assay-time and --assay-seed, or assay_samples and so on in pytest.ini.
    What a test says itself comes first.
    """

    def __init__(self, **settings: Any):
        self.settings = settings

    def __call__(self, target: Any = None, **options: Any) -> assay.AuditReport:
        """Audits as assay.audit does, and returns the report whatever its verdict."""
        return repeatable_audit(target, **self._with_settings(target, options))

    def assert_private(self, target: Any = None, claim: Optional[str] = None, see: Optional[float] = None,
                       **options: Any) -> assay.AuditReport:
        """Asserts as assay.assert_private does."""
        __tracebackhide__ = True
        return assert_private(target, claim, see, **self._with_settings(target, options))

    def _with_settings(self, target: Any, options: Dict[str, Any]) -> Dict[str, Any]:
        # A case of the library is seldom sampled, and then rejects a number of samples.
        defaults = dict(self.settings, samples=None) if isinstance(target, str) else self.settings
        return {**defaults, **options}


@pytest.fixture(scope="session")
def assay_audit(pytestconfig: pytest.Config) -> Audits:
    """Audits with the settings of pytest: assay_audit(target, claim="eps=1"), assay_audit.assert_private(...)."""
    return Audits(**_one_thread_of_many(), **{name: _setting(pytestconfig, name) for name in _SETTINGS})


def pytest_configure(config: pytest.Config) -> None:
    suites = _suites(config)
    if not suites:
        return
    if not _MODERN:
        raise pytest.UsageError("--assay needs pytest 7 or later")
    for path in suites:
        if not path.is_file():
            raise pytest.UsageError(f"--assay: there is no file {path}")
        named = [_absolute(config, str(one).split("::")[0]) for one in config.args]
        if path not in named:  # else an argument selects entries of it
            config.args.append(str(path))
    config.addinivalue_line("markers", "assay: an entry of a suite of Assay")
    config.addinivalue_line("markers", "smoke: an entry of the tier smoke of a suite of Assay")
    config.addinivalue_line("markers", "full: an entry of the tier full alone")


def _absolute(config: pytest.Config, name: str) -> pathlib.Path:
    return pathlib.Path(os.path.abspath(os.path.join(str(config.invocation_params.dir), name)))


def _suites(config: pytest.Config) -> List[pathlib.Path]:
    return [_absolute(config, one) for one in config.getoption("assay_suites")]


if _MODERN:
    def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
        if file_path in _suites(parent.config):
            made: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
            return made
        return None


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """Takes each entry once, although its file may lie in a folder that is searched for tests, too."""
    seen = set()
    kept = []
    for item in items:
        key = (str(item.parent.path), item.name) if isinstance(item, EntryItem) else item
        if key not in seen:
            kept.append(item)
        seen.add(key)
    items[:] = kept


class SuiteFile(pytest.File):
    """A suite, with an item for each entry."""

    def collect(self) -> Iterable[EntryItem]:
        done = subprocess.run([assay.command(), "suite", "list", str(self.path), "--tags"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise self.CollectError(done.stderr.strip())
        for line in done.stdout.splitlines():
            name, tier, *tags = line.split("\t")
            item: EntryItem = EntryItem.from_parent(self, name=name)
            for marker in ("assay", tier, *filter(self.gives_marker, tags)):
                item.add_marker(marker)
            yield item

    def gives_marker(self, tag: str) -> bool:
        """Whether a tag becomes a marker: -m can say it, and it means nothing to pytest, such as skip, nor to others."""
        known = {re.split(r"[:(]", line)[0].strip() for line in self.config.getini("markers")}
        if tag not in self.config.stash.setdefault(_TAGS, set()):
            if tag in known or not re.fullmatch(r"(?!_)[\w:+\-./\\\[\]]+", tag) or tag in ("and", "or", "not"):
                return False
            self.config.addinivalue_line("markers", f"{tag}: a tag of an entry of a suite of Assay")
            self.config.stash[_TAGS].add(tag)
        return True

    def has_seed(self) -> bool:
        """Whether the suite states a seed: a key before its first table."""
        top = re.split(r"(?m)^\s*\[", self.path.read_text(encoding="utf-8"), maxsplit=1)[0]
        return re.search(r"(?m)^\s*[\"']?seed[\"']?\s*=", top) is not None


class EntryFailed(Exception):
    """An entry of a suite that is not held. The text is the report."""


class EntryItem(pytest.Item):
    """An entry of a suite, run alone at the share of the error probability that it has in the whole suite."""

    parent: SuiteFile

    def runtest(self) -> None:
        options: Dict[str, Any] = {"seed": _setting(self.config, "seed")}
        if not self.parent.has_seed():
            options = with_seed(options)
        report = assay.suite(str(self.parent.path), entry=self.name, keep_shares=True, history="none", **options,
                             **_one_thread_of_many())
        if report.interrupted:
            raise KeyboardInterrupt
        entry, = report.entries
        headline = entry.headline
        if not headline.lower().startswith(entry.status):
            headline = f"{entry.status}: {headline}"
        if report.fails:
            raise EntryFailed(f"{headline}\n\n{report}")
        if entry.status != "held":  # its severity is warn or allow, or a suppression accepts it
            warnings.warn(f"{self.name}: {headline}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        error = excinfo.value
        if isinstance(error, EntryFailed):
            return str(error)
        if isinstance(error, assay.Error):
            return f"{type(error).__name__}: {error if error.report is None else error.report}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Any:
        return self.path, None, f"{self.path.name}: {self.name}"
