"""The reports of the command as values: immutable, with the numbers of its JSON and nothing computed from them."""
import html
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple


_Base = Tuple[str, str, Optional[str], int]  # the fields of Report


def _number(value: Any) -> float:
    """Returns a number of a report; its infinities are texts."""
    return float(value)


def _number_or_none(value: Any) -> Optional[float]:
    return None if value is None else float(value)


@dataclass(frozen=True)
class Interval:
    """Certified bounds: the true value lies in [lower, upper]. An upper bound of infinity excludes nothing."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Quantity(Interval):
    """A certified privacy loss of the worst pair.

    kind      epsilon-at-delta, delta-at-epsilon, mu, or mu-above-delta0
    at        the delta or eps that it is at; None for mu
    claimed   the largest value that the claim allows; None if the claim says nothing about it
    """

    kind: str
    at: Optional[float]
    claimed: Optional[float]


@dataclass(frozen=True)
class Pair:
    """The neighbouring inputs on which the loss was measured.

    change           the entries that differ, in words
    position         the row that differs, counted from 1
    base_input       the values of all rows, one after the other
    neighbour_input  the same for the neighbour, or None if it is the base input with base_value replaced
    """

    change: str
    position: int
    base_value: Optional[float]
    neighbour_value: Optional[float]
    found_by: str
    base_input: Tuple[float, ...]
    neighbour_input: Optional[Tuple[float, ...]]


@dataclass(frozen=True, repr=False)
class Report:
    """What a command reported.

    text    the whole report as text; str(report) is the same
    source  the report as JSON, byte for byte
    page    the report as a web page, or None if the command has none
    status  the exit status of the command
    """

    text: str
    source: str
    page: Optional[str]
    status: int

    @property
    def json(self) -> Dict[str, Any]:
        """The report as the command's JSON says it (`assay schema` describes it); a new dict each time."""
        return dict(json.loads(self.source))

    @property
    def reproduce(self) -> Optional[str]:
        """The command that reproduces the report, or None if the report names none."""
        found: Optional[str] = self.json.get("reproduce")
        return found

    @property
    def summary(self) -> str:
        """The report in one line: its headline if it has one, else the first line of its text."""
        headline: str = getattr(self, "headline", "")
        return headline or self.text.strip().split("\n", 1)[0]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<assay.{type(self).__name__}: {self.summary}>"

    def _repr_html_(self) -> str:
        """The report's page, in a frame: its style stays its own."""
        if self.page is None:
            return f"<pre>{html.escape(self.text)}</pre>"
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" sandbox="" title="{html.escape(self.summary)}" '
                'style="width: 100%; height: 40em; border: 0; resize: vertical"></iframe>')


@dataclass(frozen=True, repr=False)
class AuditReport(Report):
    """The report of an audit: schemas/audit-report.schema.json describes its JSON.

    verdict     Violated, Verified, VerifiedIfReported, NotRefuted, Weak or Inconclusive; docs/read-a-report.md explains
                them
    eps         eps at the claim's own delta; for a claim in mu, at delta0
    delta       delta at the claim's own eps, or None
    mu          the smallest mu of Gaussian privacy, or None
    visible     the smallest leak that the audit would have seen, in the claim's eps or mu; None if that is not known,
                or if the claim is refuted or verified
    pair        the worst pair found; None for recorded runs and for one-run guessing, which have none
    error       why the audit ended early, or None
    """

    headline: str
    verdict: str
    scope: str
    reason: str
    confidence: float
    claim: str
    method: str
    seed: int
    samples: int
    eps: Optional[Quantity]
    delta: Optional[Quantity]
    mu: Optional[Quantity]
    quantities: Tuple[Quantity, ...]
    visible: Optional[float]
    pair: Optional[Pair]
    error: Optional[str]


@dataclass(frozen=True)
class Answer(Interval):
    """A loss of a chain of releases. asked: "epsilon at delta" or "delta at epsilon"; given: that delta or eps.

    lower is None if the chain has only an upper bound.
    """

    lower: Optional[float]  # type: ignore[assignment]
    asked: str
    given: float
    route: str


@dataclass(frozen=True, repr=False)
class AccountReport(Report):
    """The losses of a chain of releases, one answer for each delta or eps that was asked."""

    answers: Tuple[Answer, ...]

    @property
    def eps(self) -> Answer:
        """The one eps that was asked."""
        return self._one("epsilon at delta")

    @property
    def delta(self) -> Answer:
        """The one delta that was asked."""
        return self._one("delta at epsilon")

    @property
    def summary(self) -> str:
        return "; ".join(f"{one.asked.replace('epsilon', 'eps')} = {one.given:g} is at most {one.upper!r}"
                         for one in self.answers)

    def _one(self, asked: str) -> Answer:
        found = [one for one in self.answers if one.asked == asked]
        if len(found) != 1:
            raise AttributeError(f"the report has {len(found)} answers of {asked}: see report.answers")
        return found[0]


@dataclass(frozen=True, repr=False)
class CalibrationReport(Report):
    """The smallest noise scale for a level, with the delta that it achieves at the level's eps."""

    mechanism: str
    epsilon: float
    delta: float
    scale: float
    achieved_delta: Interval
    certificate: str

    @property
    def summary(self) -> str:
        return f"{self.mechanism} of scale {self.scale!r} for eps = {self.epsilon:g}, delta = {self.delta:g}"


@dataclass(frozen=True, repr=False)
class SolutionReport(Report):
    """A parameter of a chain with which it meets a level: `value` is enough, `refuted` is not."""

    what: str
    epsilon: float
    delta: float
    parameter: str
    value: float
    refuted: Optional[float]

    @property
    def summary(self) -> str:
        return f"{self.parameter} {self.value!r} of {self.what} for eps = {self.epsilon:g}, delta = {self.delta:g}"


@dataclass(frozen=True)
class Conversion:
    """What a level implies in another notion: at most `upper`, by `source`; or `why_not`."""

    to: str
    quantity: str
    upper: Optional[float]
    source: Optional[str]
    why_not: Optional[str]


@dataclass(frozen=True, repr=False)
class ConversionReport(Report):
    """What a privacy level implies in every other notion."""

    given: str
    lines: Tuple[Conversion, ...]


@dataclass(frozen=True)
class Claim:
    """A published statement with its verdict: Holds, NotRefuted, Refuted, Vacuous or Inconclusive."""

    id: str
    statement: str
    verdict: str
    expected: str
    summary: str


@dataclass(frozen=True, repr=False)
class VerificationReport(Report):
    """The verdicts on claims of papers."""

    claims: Tuple[Claim, ...]

    @property
    def summary(self) -> str:
        if len(self.claims) > 3:
            counts = Counter(one.verdict for one in self.claims)
            return f"{len(self.claims)} claims: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        return ", ".join(f"{one.id} {one.verdict}" for one in self.claims)


@dataclass(frozen=True, repr=False)
class BenchReport(Report):
    """A comparison of candidates at one certified level; report.json has all numbers."""

    group: str
    candidates: Tuple[str, ...]
    interrupted: bool


@dataclass(frozen=True)
class Entry:
    """An entry of a suite. status: held, violated, weak, inconclusive, could-not-run or misconfigured."""

    id: str
    status: str
    headline: str


@dataclass(frozen=True, repr=False)
class SuiteReport(Report):
    """The run of a suite. fails says whether a build server would fail."""

    headline: str
    name: str
    confidence: float
    entries: Tuple[Entry, ...]
    fails: bool
    interrupted: bool


@dataclass(frozen=True, repr=False)
class SimulationReport(Report):
    """Figures of papers. outcome: whether what the papers say about them holds, fails or is undecided."""

    outcome: str
    experiments: Tuple[str, ...]


@dataclass(frozen=True)
class SamplerTest:
    """One comparison of samples with their distribution. It rejects if p_value is at most alpha."""

    name: str
    p_value: float
    alpha: float
    finding: Optional[str]


@dataclass(frozen=True, repr=False)
class SamplerReport(Report):
    """Samples against a stated distribution: schemas/sampler-report.schema.json describes its JSON.

    verdict     Differs, NoDifferenceSeen, Weak or Inconclusive
    distance    the total variation on the cells
    thresholds  the largest |P(X <= t) - stated| over all t
    log_ratio   at most this: |log(true/stated)| of every union of cells of the body
    needed      of a verdict Weak: the samples that the test takes, if they are at most 1e9; else None
    """

    headline: str
    verdict: str
    reason: str
    confidence: float
    samples: int
    distance: Interval
    thresholds: Interval
    log_ratio: float
    tests: Tuple[SamplerTest, ...]
    needed: Optional[int]
    interrupted: bool


@dataclass(frozen=True)
class Note:
    """What a dry run found. A mistake comes first: an audit would be wasted."""

    mistake: bool
    warning: bool
    text: str


@dataclass(frozen=True, repr=False)
class TryReport(Report):
    """A dry run. ready: no mistake was found; next: the command of the audit, or None after a failure."""

    ready: bool
    notes: Tuple[Note, ...]
    next: Optional[str]


@dataclass(frozen=True, repr=False)
class ReplayReport(Report):
    """Runs on two inputs with the same randomness. round: the first in which they differ, or None."""

    round: Optional[int]
    base_output: Tuple[float, ...]
    neighbour_output: Tuple[float, ...]


def _floats(values: List[Any]) -> Tuple[float, ...]:
    return tuple(_number(one) for one in values)


def _quantity(one: Dict[str, Any]) -> Quantity:
    return Quantity(_number(one["lower"]["value"]), _number(one["upper"]["value"]), one["kind"],
                    _number_or_none(one["at"]), _number_or_none(one["claimed"]))


def _audit(base: _Base, data: Dict[str, Any]) -> AuditReport:
    level = data["claim"]["level"]
    quantities = tuple(_quantity(one) for one in data["quantities"])

    def find(kind: str, at: Optional[float]) -> Optional[Quantity]:
        return next((one for one in quantities if one.kind == kind and one.at == at), None)

    gaussian = level["kind"] == "gaussian"
    delta = data["delta0"] if gaussian else level.get("delta", 0)
    pair = data["worst_pair"]
    if pair is not None and pair["position"] == 0:  # the schema: "0 if there is no pair"
        pair = None
    if pair is not None:
        neighbour = pair.get("neighbour_input")
        pair = Pair(pair["change"], pair["position"], _number_or_none(pair["base_value"]),
                    _number_or_none(pair["neighbour_value"]), pair["found_by"], _floats(pair["base_input"]),
                    None if neighbour is None else _floats(neighbour))
    strength = data["strength"] or {}
    error = data.get("error")
    return AuditReport(*base, data["headline"], data["verdict"], data["scope"], data["reason"], data["confidence"],
                       data["claim"]["text"], data["method"], int(data["seed"]), data["samples"],
                       find("epsilon-at-delta", _number(delta)),
                       None if gaussian else find("delta-at-epsilon", _number(level["epsilon"])), find("mu", None),
                       quantities, _number_or_none(strength.get("level")), pair, error and error["message"])


def _account(base: _Base, data: Dict[str, Any]) -> Report:
    if data["kind"] == "calibration":
        achieved = data["achieved_delta"]
        return CalibrationReport(*base, data["mechanism"], _number(data["epsilon"]), _number(data["delta"]),
                                 _number(data["scale"]),
                                 Interval(_number(achieved["lower"]), _number(achieved["upper"])), data["certificate"])
    if data["kind"] == "solution":
        return SolutionReport(*base, data["what"], _number(data["epsilon"]), _number(data["delta"]), data["parameter"],
                              _number(data["value"]), _number_or_none(data["refuted"]))
    if data["kind"] == "conversion":
        return ConversionReport(*base, data["given"], tuple(
            Conversion(one["to"], one["quantity"], _number_or_none(one["upper"]), one["source"], one["why_not"])
            for one in data["lines"]))
    return AccountReport(*base, tuple(
        Answer(_number_or_none(one["lower"]), _number(one["upper"]), one["asked"], _number(one["given"]), one["route"])
        for one in data["answers"]))


def _verification(base: _Base, data: Dict[str, Any]) -> VerificationReport:
    return VerificationReport(*base, tuple(
        Claim(one["id"], one["statement"], one["verdict"], one["expected"], one["summary"]) for one in data["claims"]))


def _bench(base: _Base, data: Dict[str, Any]) -> BenchReport:
    return BenchReport(*base, data["group"], tuple(one["id"] for one in data["candidates"]), data["interrupted"])


def _sampler(base: _Base, data: Dict[str, Any]) -> SamplerReport:
    bounds = data["bounds"]

    def interval(name: str) -> Interval:
        return Interval(_number(bounds[name]["lower"]), _number(bounds[name]["upper"]))

    tests = tuple(SamplerTest(one["name"], _number(one["p_value"]), _number(one["alpha"]), one["finding"])
                  for one in data["tests"])
    return SamplerReport(*base, data["headline"], data["verdict"], data["reason"], data["confidence"], data["samples"],
                         interval("distance"), interval("thresholds"), _number(bounds["log_ratio"]), tests,
                         data["aims"]["samples_needed"], data["interrupted"])


def _suite(base: _Base, data: Dict[str, Any]) -> SuiteReport:
    entries = tuple(Entry(one["id"], one["status"], one["headline"]) for one in data["entries"])
    return SuiteReport(*base, data["headline"], data["name"], data["confidence"], entries, base[-1] != 0,
                       data["interrupted"])


def _simulation(base: _Base, data: Dict[str, Any]) -> SimulationReport:
    return SimulationReport(*base, data["outcome"], tuple(one["id"] for one in data["experiments"]))


def _try(base: _Base, data: Dict[str, Any]) -> TryReport:
    notes = tuple(Note(one["mistake"], one["warning"], one["text"]) for one in data["notes"])
    return TryReport(*base, base[-1] == 0, notes, data.get("next"))


def _replay(base: _Base, data: Dict[str, Any]) -> ReplayReport:
    return ReplayReport(*base, data["round"], _floats(data["base_output"]), _floats(data["neighbour_output"]))


# By the name of the schema, before its version.
_READERS = {"assay.audit-report": _audit, "assay.account-report": _account,
            "assay.verification-report": _verification, "assay.bench-report": _bench,
            "assay.suite-report": _suite, "assay.simulation-report": _simulation, "assay.try-report": _try,
            "assay.replay-report": _replay, "assay.sampler-report": _sampler}


def read_report(source: str, text: str, page: Optional[str], status: int) -> Optional[Report]:
    """Returns the report of this JSON, or None if it is no report: empty, or only an error."""
    if not source.strip():
        return None
    data = json.loads(source)
    name = data.get("schema", "").rpartition("/")[0]
    if name == "assay.error":
        return None
    base = (text, source, page, status)
    reader = _READERS.get(name)
    return reader(base, data) if reader else Report(*base)


def error_of(source: str) -> str:
    """Returns the error that a document holds, or an empty text. (The "error" of a calibration is its noise.)"""
    error = json.loads(source).get("error") if source.strip() else None
    return str(error["message"]) if error and "code" in error else ""
