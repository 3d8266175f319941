"""Assay from Python: audits of differential privacy, privacy accounts, and published claims, with certified bounds.

>>> import assay
>>> assay.audit("laplace", p={"epsilon": 2}, claim="eps=1").verdict
'Violated'
>>> assay.account("gaussian", sigma=2, compose=1000, delta=1e-6).eps.upper
199.2845688056289

A policy is a class, a factory of the shape, or a function of one run; `assay.audit` runs it in processes of its own:

>>> import random
>>> class Uniform:
...     def __init__(self, arms, rng):
...         self.arms, self.rng = arms, rng
...     def choose(self):
...         return int(self.rng.random() * self.arms)
...     def update(self, arm, reward):
...         pass
>>> report = assay.try_(Uniform, arms=3, horizon=20)
>>> report.ready
True

Every function runs the command `assay` and reads its report; no number is computed here. Options of the command are
keyword arguments: `answer_time=5` is `--answer-time 5`, True is a flag, a dict is KEY=VALUE for each key, a list
repeats its option, and None leaves it out. `assay help COMMAND` in a shell lists them.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence

if TYPE_CHECKING:
    from ._asserting import NotPrivate, assert_private
    from ._command import (CommandError, Error, InternalError, Interrupted, TargetError, UsageError, command)
    from ._reports import (AccountReport, Answer, AuditReport, BenchReport, CalibrationReport, Claim, Conversion,
                           ConversionReport, Entry, Interval, Note, Pair, Quantity, ReplayReport, Report, SamplerReport,
                           SamplerTest, SimulationReport, SolutionReport, SuiteReport, TryReport, VerificationReport)
    from ._samples import WrongSamples, assert_samples, sampler
    from ._targets import Auditable, Target, function, policy

# Loaded when they are first used: `import assay` alone costs next to nothing.
_PLACES = {
    "_asserting": ("NotPrivate", "assert_private"),
    "_command": ("CommandError", "Error", "InternalError", "Interrupted", "TargetError", "UsageError", "command"),
    "_reports": ("AccountReport", "Answer", "AuditReport", "BenchReport", "CalibrationReport", "Claim", "Conversion",
                 "ConversionReport", "Entry", "Interval", "Note", "Pair", "Quantity", "ReplayReport", "Report",
                 "SamplerReport", "SamplerTest", "SimulationReport", "SolutionReport", "SuiteReport", "TryReport",
                 "VerificationReport"),
    "_samples": ("WrongSamples", "assert_samples", "sampler"),
    "_targets": ("Target", "function", "policy"),
}
__all__ = ["audit", "try_", "replay", "account", "calibrate", "convert", "verify", "bench", "suite", "simulate",
           *(name for names in _PLACES.values() for name in names)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._command import version
        return version()
    for module, names in _PLACES.items():
        if name in names:
            import importlib
            found = getattr(importlib.import_module("." + module, __name__), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__, "__version__"})


def _words(options: Any) -> List[str]:
    from ._command import option_words
    return option_words(options)


def _options_of(target: Auditable, options: Any, fork: bool) -> Any:
    from ._targets import options_of
    return options_of(target, options, fork)


def _report(kind: str, words: Sequence[str], page: Optional[str] = None,
            feed: Optional[Iterable[bytes]] = None) -> Any:
    """Runs a command whose report is of this class, or of one of these. page: the extension of its page, if it has one;
    feed: what its standard input gets."""
    from ._command import InternalError, run, say
    from ._reports import error_of, read_report
    outcome = run(words, [".txt"] + ([page] if page else []), feed)
    try:
        report = read_report(outcome.report, outcome.others.get(".txt", ""), outcome.others.get(page or ""),
                             outcome.status)
        early = error_of(outcome.report)
        if report is not None and type(report).__name__ not in kind.split(" or "):
            raise ValueError(f"it is a {type(report).__name__}, not a {kind}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InternalError(f"the report of the command cannot be read ({error!r}): {outcome.message()}",
                            outcome.status) from error
    if outcome.interrupted:
        if report is None:
            raise KeyboardInterrupt
        return report
    if report is None or early or outcome.status not in (0, 1, 3):
        raise outcome.error(report, early or (report.summary if report else ""))
    say(outcome.said)
    return report


def audit(target: Auditable = None, *, fork: bool = False, **options: Any) -> AuditReport:
    """Certifies how much a policy or mechanism leaks, and compares it with a claim: `assay audit`.

    target   the name of a case ("laplace"; `assay list cases`), a command line (["python3", "policy.py"]), or an
             object: a class whose objects are policies, a factory of them, or a function of one run. Without it name
             a plugin= or transcripts=.
             The parameters of a class or factory are filled by name: shape, rng, or a field of the shape such as arms
             and horizon. A function has a first parameter `input`, and takes shape, seed and rng by name. policy()
             and function() say more, such as the names of methods.
             rng is a numpy.random.Generator where NumPy is installed, and a random.Random elsewhere. Each run has its
             own, made from the run's seed.
    fork     False: fresh interpreters get the object, by its name if they can import it, else by value (which needs
             cloudpickle). True: this process forks, which is for objects that cannot be sent.
    options  those of `assay audit`: claim="eps=1", kind=, arms=, horizon=, samples=, time=, ...

    If you interrupt it, it returns what was certified by then: report.error says so.

    >>> report = audit("randomized-response", claim="eps=1")
    >>> report.verdict, report.eps.upper
    ('Verified', 1.0)
    """
    with _options_of(target, options, fork) as words:
        return _report("AuditReport", ["audit", *words, *_words(options)], ".html")


def try_(target: Auditable, *, fork: bool = False, **options: Any) -> TryReport:
    """Runs an object or a command line ten times, names mistakes, and says what an audit would cost: `assay try`.

    The arguments are those of audit(). report.ready is False if there is a mistake to correct first.
    """
    with _options_of(target, options, fork) as words:
        return _report("TryReport", ["try", *words, *_words(options)])


def replay(target: Auditable, *, fork: bool = False, **options: Any) -> ReplayReport:
    """Runs two neighbouring inputs with the same randomness, and shows where they diverge: `assay replay`.

    >>> replay("laplace", old="0", new="1").base_output != replay("laplace", old="0", new="1").neighbour_output
    True
    """
    with _options_of(target, options, fork) as words:
        return _report("ReplayReport", ["replay", *words, *_words(options)])


def account(mechanism: str, **options: Any) -> AccountReport:
    """Certifies the eps and delta that releases cost together: `assay account`.

    >>> account("laplace", scale=10, compose=20, at_epsilon=1).delta.upper < 0.25
    True
    """
    return _report("AccountReport", ["account", mechanism, *_words(options)], ".html")


def calibrate(mechanism: str, **options: Any) -> Any:
    """Finds the smallest noise scale for a level, a CalibrationReport, or another parameter of a mechanism or a chain
    file, a SolutionReport: `assay account calibrate`.

    >>> calibrate("gaussian", epsilon=1, delta=1e-6).scale
    4.224678889326898
    >>> calibrate("gaussian", sigma=30, solve="compose", epsilon=1, delta=1e-6).value
    50.0
    """
    return _report("CalibrationReport or SolutionReport", ["account", "calibrate", mechanism, *_words(options)])


def convert(level: str, **options: Any) -> ConversionReport:
    """Shows what a privacy level implies in every other notion: `assay account convert`.

    >>> [line.upper for line in convert("pure", epsilon=0.5).lines if line.to == "rho-zCDP"]
    [0.12245933120185466]
    """
    return _report("ConversionReport", ["account", "convert", level, *_words(options)])


def verify(*claims: str, **options: Any) -> VerificationReport:
    """Checks statements of papers, by name or pattern: `assay verify`.

    >>> [claim.verdict for claim in verify("ts-step-dp").claims]
    ['Refuted']
    """
    return _report("VerificationReport", ["verify", *claims, *_words(options)])


def bench(group: str, **options: Any) -> BenchReport:
    """Compares error, speed and memory of mechanisms, counters or policies at one level: `assay bench`."""
    return _report("BenchReport", ["bench", group, *_words(options)], ".html")


def suite(file: Optional[str] = None, **options: Any) -> SuiteReport:
    """Runs the audits, claims and accounts of a suite (without a file: assay.toml): `assay suite run`.

    The run joins the history of the suite, as the command's does; history="none" keeps it out.
    """
    words: List[str] = [] if file is None else [file]
    return _report("SuiteReport", ["suite", "run", *words, *_words(options)], ".html")


def simulate(*experiments: str, **options: Any) -> SimulationReport:
    """Reproduces figures of papers, and checks what the papers say about them: `assay simulate`."""
    return _report("SimulationReport", ["simulate", *experiments, *_words(options)], ".html")
