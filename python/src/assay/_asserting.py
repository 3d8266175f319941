"""assert_private(): an audit as an assertion, for pytest, unittest and scripts."""
import os
import re
from typing import Any, Dict, Optional

from . import audit
from ._reports import AuditReport
from ._targets import Auditable

# A test repeats exactly on every machine. (The command's own default is a hash that includes the folders of a program.)
SEED = 1


class NotPrivate(AssertionError):
    """An assertion of privacy failed. The text is the whole report; `report` has its numbers."""

    def __init__(self, message: str, report: AuditReport):
        super().__init__(message)
        self.report = report


NotPrivate.__module__ = "assay"  # where users find it, and as tracebacks name it


def assert_private(target: Auditable = None, claim: Optional[str] = None, see: Optional[float] = None, *,
                   fork: bool = False, **options: Any) -> AuditReport:
    """Passes if an audit verifies the claim, or does not refute it although it would have seen a leak of `see`.

    With method="likelihood" or "exact" it also passes if the target's own probabilities, if right, verify the claim.

    target, fork, options  those of audit()
    claim                  the level, such as "eps=1"; a case of the library has its own guarantee as default
    see                    eps, or mu for a claim in mu; default: 1.5 times the claim

    Returns the report, or raises NotPrivate, an AssertionError whose text is the report. Its first line tells a claim
    that is violated from an audit that is too weak, or inconclusive. A target that fails is a TargetError. The seed is
    1 unless seed= or the environment's ASSAY_SEED names another, so that a test repeats exactly, unless time= limits it.

    >>> assert_private("laplace", claim="eps=1").verdict
    'Verified'
    >>> assert_private("laplace", p={"epsilon": 2}, claim="eps=1")
    Traceback (most recent call last):
    ...
    assay.NotPrivate: Violated: eps at delta = 0 is at least 1.9999; the claim allows 1
    ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    if claim is None and not isinstance(target, str):
        raise TypeError("assert_private needs a claim, such as claim=\"eps=1\": only a case of the library has its own")
    report = repeatable_audit(target, fork=fork, claim=claim, see=see, **options)
    if report.verdict not in ("Verified", "VerifiedIfReported", "NotRefuted"):
        raise NotPrivate(_failure(report), report)
    return report


def repeatable_audit(target: Auditable, **options: Any) -> AuditReport:
    """Returns audit() with the seed of tests. An interrupt interrupts the tests, too."""
    report = audit(target, **with_seed(options))
    if report.error is not None:
        raise KeyboardInterrupt(report.error)
    return report


def with_seed(options: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the options with the seed of tests, if nothing else decides the seed."""
    decided = options.get("seed") is not None or os.environ.get("ASSAY_SEED")
    return options if decided else dict(options, seed=SEED)


def _failure(report: AuditReport) -> str:
    if report.verdict != "Weak":
        return str(report)
    advice = re.search(r"(?m)^Next .*(?:\n +.*)*", report.text)
    return f"Too weak{report.headline[len(report.verdict):]}\n" + (advice[0] + "\n" if advice else "") + f"\n{report}"
