"""sampler() and assert_samples(): a noise sampler against a stated distribution."""
import inspect
import os
import shlex
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _report
from ._command import option_words
from ._reports import SamplerReport

# Numbers; a file of them; a command line; a function of no argument, or of their number.
Samples = Union[Iterable[float], "os.PathLike[str]", Sequence[str], Callable[..., Any]]

_BATCH = 10_000        # numbers of a call, or of a write
_DRAWN = 1_000_000     # numbers of a function, if nothing says how many
_SEEN = {"tv": 0.05}   # what an assertion should see


class WrongSamples(AssertionError):
    """An assertion about samples failed. The text is the whole report; `report` has its numbers."""

    def __init__(self, message: str, report: SamplerReport):
        super().__init__(message)
        self.report = report


WrongSamples.__module__ = "assay"  # where users find it, and as tracebacks name it


def sampler(numbers: Samples, distribution: str, **options: Any) -> SamplerReport:
    """Tests samples against a stated distribution, and bounds how far they may still be off: `assay sampler`.

    numbers       the samples (a list, an array, any iterable); a function that returns one, or several, at each call, or
                  takes their number; a file of numbers, one a line, as a pathlib.Path; or the command line of a
                  program that writes such lines, as a list of words
    distribution  such as "laplace:scale=1" or "discrete-gaussian:sigma=2"; `assay help sampler` lists them
    options       those of `assay sampler`: see={"tv": 0.01}, samples=, confidence=, rounded_to=, ...

    A function is called until there are enough numbers: `samples`, or as many as `see` takes, else a million.

    >>> import random
    >>> rng = random.Random(1)
    >>> report = sampler(lambda: rng.expovariate(1) - rng.expovariate(1), "laplace:scale=1", samples=50000)
    >>> report.verdict, report.distance.upper < 0.1
    ('NoDifferenceSeen', True)
    """
    words, feed = _source(numbers, options)
    report: SamplerReport = _report("SamplerReport", ["sampler", *words, "--distribution", distribution,
                                                      *option_words(options)], ".html", feed)
    return report


def assert_samples(numbers: Samples, distribution: str, see: Optional[Dict[str, float]] = None,
                   **options: Any) -> SamplerReport:
    """Passes if no difference from the distribution is seen, by a test that would have seen a fault of `see`.

    numbers, distribution, options  those of sampler()
    see                             {"tv": X, "eps": X, "scale": X}, or some of these; default: {"tv": 0.05}

    Returns the report, or raises WrongSamples, an AssertionError whose text is the report. A correct sampler fails
    one run in a million, or as rarely as confidence= says.

    >>> import random
    >>> rng = random.Random(1)
    >>> assert_samples(lambda: rng.gauss(0, 1.1), "gaussian:sigma=1")
    Traceback (most recent call last):
    ...
    assay.WrongSamples: Differs: ... samples are ...; ... are expected
    ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    report = sampler(numbers, distribution, see=_SEEN if see is None else see, **options)
    if report.interrupted:
        raise KeyboardInterrupt(report.headline)
    if report.verdict != "NoDifferenceSeen":
        raise WrongSamples(f"{report.headline}\n\n{report}", report)
    return report


def _source(numbers: Samples, options: Dict[str, Any]) -> Tuple[List[str], Optional[Iterator[bytes]]]:
    """Returns the words that name the samples, and what to write to the command's standard input."""
    if isinstance(numbers, os.PathLike):
        return ["--file", os.fspath(numbers)], None
    if isinstance(numbers, (str, bytes)):
        raise TypeError(f"numbers: a text is neither numbers nor a program: give pathlib.Path({numbers!r}) for a file, "
                        "or the words of a command line as a list")
    if callable(numbers):
        if options.get("samples") is None and not options.get("see"):
            options["samples"] = _DRAWN
        return ["--file", "-"], _lines(_drawn(numbers))
    if isinstance(numbers, (list, tuple)) and numbers and all(isinstance(one, str) for one in numbers):
        return ["--exec", " ".join(shlex.quote(one) for one in numbers)], None
    if not hasattr(numbers, "__iter__"):
        raise TypeError(f"numbers: {numbers!r} ({type(numbers).__name__}) is neither numbers nor a function, a "
                        "pathlib.Path or a command line")
    return ["--file", "-"], _lines(iter(numbers))


def _drawn(draw: Callable[..., Any]) -> Iterator[Any]:
    """Returns the results of a function, without an end."""
    takes_number = False
    try:
        parameters = list(inspect.signature(draw).parameters.values())
    except (TypeError, ValueError):  # of a built-in function that does not say
        parameters = []
    needed = [one for one in parameters if one.default is one.empty
              and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    if len(needed) > 1 or any(one.kind == one.KEYWORD_ONLY for one in needed):
        raise TypeError(f"numbers: a function takes no argument, or the number of samples, not "
                        f"({', '.join(one.name for one in needed)})")
    takes_number = len(needed) == 1
    while True:
        yield draw(_BATCH) if takes_number else draw()


def _lines(values: Iterator[Any]) -> Iterator[bytes]:
    """Returns numbers as lines of text, many at a time. A value may be an array or a list of numbers."""
    batch: List[str] = []
    for value in values:
        _add(value, batch)
        if len(batch) >= _BATCH:
            yield ("\n".join(batch) + "\n").encode()
            batch = []
    if batch:
        yield ("\n".join(batch) + "\n").encode()


def _add(value: Any, batch: List[str]) -> None:
    if hasattr(value, "tolist"):
        value = value.tolist()  # of numpy
    if isinstance(value, (list, tuple)):
        if not value:
            raise TypeError("numbers: a list without numbers")
        for one in value:
            _add(one, batch)
    elif isinstance(value, int):
        batch.append(repr(int(value)))
    elif isinstance(value, float) or hasattr(value, "__float__"):
        batch.append(repr(float(value)))
    else:
        raise TypeError(f"numbers: a sample is a number, not {value!r} ({type(value).__name__})")
