"""What an audit runs: a case, a command line, or an object of Python, as options of the command."""
import contextlib
import hashlib
import inspect
import os
import pickle
import shlex
import site
import sys
import sysconfig
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from . import serve
from ._command import Error, UsageError

_KEPT_DAYS = 30  # an object by value, so that the command that reproduces a report still works


@dataclass(frozen=True)
class Target:
    """An object with all that Assay should know of it: what policy() and function() return."""

    role: str
    call: Callable[..., Any]
    choose: Any = None
    update: Any = None
    recommend: Any = None
    stop: Any = None
    estimate: Any = None
    probabilities: Any = None
    name: Optional[str] = None
    seeded: bool = False
    deterministic: bool = False
    keys: bool = True

    def as_dict(self) -> Dict[str, Any]:
        """Returns what serve.py reads, without what says nothing."""
        out = {name: getattr(self, name) for name in ("role", "call", "name") + serve.METHODS}
        out.update((name, True) for name in serve.PROMISES if getattr(self, name))
        if not self.keys:
            out["keys"] = False
        return {name: value for name, value in out.items() if value is not None}


def policy(make: Callable[..., Any], *, choose: Any = None, update: Any = None, recommend: Any = None, stop: Any = None,
           estimate: Any = None, probabilities: Any = None, name: Optional[str] = None, seeded: bool = False,
           deterministic: bool = False, keys: bool = True) -> Target:
    """Says how Assay uses a class, or a factory, whose objects are policies.

    make       a class, or a function that makes a new object for each run. Its parameters are filled by their names:
               shape, rng, or a field of the shape (arms, horizon, dimension, ...); others need a default. A default
               of a field of the shape is kept, but for these three.
    choose, update, recommend, stop, estimate
               the name of a method (or attribute), or a function of the object: see serve_policy in assay_target.
               Without them the usual names are tried, such as select_arm and observe.
    probabilities
               the same for a method that returns the probabilities of the next action, given the input and the past
               actions alone, for upper bounds: docs/use-from-python.md. A class that has a method of this name need not
               say so.
    seeded, deterministic, keys
               promises of the object, which Assay tests: docs/protocol.md, "The greeting"

    >>> class Last:
    ...     def __init__(self, arms):
    ...         self.arm = arms - 1
    ...     def pull(self):
    ...         return self.arm
    ...     def update(self, arm, reward):
    ...         pass
    >>> policy(Last, choose="pull").choose
    'pull'
    """
    return _checked(Target("policy", make, choose, update, recommend, stop, estimate, probabilities, name, seeded,
                           deterministic, keys))


def function(run: Callable[..., Any], *, name: Optional[str] = None, seeded: bool = False,
             deterministic: bool = False, keys: bool = True) -> Target:
    """Says that a function performs a whole run on its first parameter, the input. It takes shape, seed, rng by name.

    It returns the actions of all rounds, or the numbers of a mechanism.

    >>> function(lambda values, rng: [rng.random() < value for value in values]).role
    'function'
    """
    return _checked(Target("function", run, name=name, seeded=seeded, deterministic=deterministic, keys=keys))


def _checked(target: Target) -> Target:
    """Raises TypeError if nobody can call the target."""
    serve.check_target(target.as_dict())
    return target


def target_of(what: Any, kind: Optional[str]) -> Target:
    """Returns the target that an object means by itself. Raises TypeError if that is not clear."""
    if isinstance(what, Target):
        return what
    if inspect.isclass(what):
        if kind == "mechanism":
            raise TypeError(f"{serve.text_of(what)} cannot be a mechanism: give a function of the input, such as "
                            "lambda values, rng: [...]")
        return _checked(Target("policy", what))
    if any(callable(getattr(what, name, None)) for name in ("choose", "select_arm", "update", "observe")):
        raise TypeError(f"an object of {type(what).__qualname__} would be shared by all runs: give the class, or a "
                        "factory, such as lambda shape, rng: ..., that makes a new object for each run")
    if not callable(what):
        raise TypeError(f"{what!r} is nothing to audit: give the name of a case, a command line as a list, a class, a "
                        "factory of the shape, or a function of the input")
    parameters = serve.parameters_of(what)
    first = parameters[0].name if parameters else None
    if kind == "mechanism" or first == "input":
        return _checked(Target("function", what))
    if first is None or first in ("shape", "rng") + serve.FIELDS:
        return _checked(Target("policy", what))
    raise TypeError(f"it is not clear what {serve.text_of(what)} returns. If it makes a policy, call its first parameter "
                    "`shape`. If it performs a whole run, call its first parameter `input`, or say assay.function(...)")


@contextlib.contextmanager
def options_of(what: Any, options: Dict[str, Any], fork: bool) -> Iterator[List[str]]:
    """Gives the words of a command that name the target."""
    if fork and (what is None or isinstance(what, (str, list, tuple))):
        raise TypeError("fork=True is for a class or function of this process")
    if what is None:
        yield []
    elif isinstance(what, str):
        yield [what]
    elif isinstance(what, (list, tuple)):
        if not what or not all(isinstance(one, (str, os.PathLike)) for one in what):
            raise TypeError(f"a command line is a list of texts, not {what!r}")
        yield ["--exec", shlex.join(os.fspath(one) for one in what)]
    else:
        if "ASSAY_PROTOCOL" in os.environ:  # or each interpreter would start another
            raise UsageError(f"an audit of {serve.text_of(what)} began inside an audited program: the module that has "
                             "the object audits it while it is imported. Put the audit under "
                             "if __name__ == \"__main__\":")
        target = target_of(what, options.get("kind"))
        if fork:
            for name in ("memory", "sandbox"):
                if options.get(name):
                    raise TypeError(f"{name} and fork=True exclude each other: a copy of this process has the memory "
                                    "and the rights of this process")
            from ._fork import forking
            with forking(target.as_dict()) as words:
                yield ["--exec", shlex.join(words)]
        else:
            yield ["--exec", shlex.join(fresh_words(target))]


def fresh_words(target: Target) -> List[str]:
    """Returns the command line of a fresh interpreter that serves the target."""
    if not sys.executable:
        raise UsageError("this program embeds Python, and names no interpreter that could run the object: say fork=True")
    words = [sys.executable, serve.__file__]
    before, after = _own_path()
    for folder in before:
        words += ["--path", folder]
    for folder in after:
        words += ["--path-after", folder]
    methods = {name: getattr(target, name) for name in serve.METHODS if getattr(target, name) is not None}
    place = _place_of(target.call)
    if place is None or not all(isinstance(one, str) for one in methods.values()):
        return words + ["--object", _written(target)]
    words += ["--" + target.role, place]
    for name, value in methods.items():
        words += ["--" + name, value]
    words += [f"--{name}" for name in serve.PROMISES if getattr(target, name)]
    if target.name is not None:
        words += ["--name", target.name]
    return words + ([] if target.keys else ["--no-keys"])


def _place_of(call: Any) -> Optional[str]:
    """Returns "module:name" if a fresh interpreter can import the object; None if it needs the object by value."""
    module, name = getattr(call, "__module__", None), getattr(call, "__qualname__", None)
    if not module or not name or module == "__main__" or "<" in name:
        return None
    found: Any = sys.modules.get(module)
    if getattr(found, "__spec__", None) is None:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is call else None


def _own_path() -> Tuple[List[str], List[str]]:
    """Returns the folders of sys.path that a fresh interpreter does not have by itself: before its own, and after."""
    paths = sysconfig.get_paths()
    own = {os.path.realpath(one) for one in [paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"],
                                             *site.getsitepackages(), site.getusersitepackages()]}
    before: List[str] = []
    after: List[str] = []
    out = before
    for one in sys.path:
        folder = os.path.abspath(one or os.curdir)
        real = os.path.realpath(folder)
        standard = real in own or os.path.dirname(real) in own and os.path.basename(real) == "lib-dynload"
        if standard:
            out = after
        elif os.path.exists(folder) and folder not in before + after:
            out.append(folder)
    return before, after


def _written(target: Target) -> str:
    """Writes the object by value, in a file that its content names, so that one object has one command line."""
    try:
        import cloudpickle  # type: ignore
    except ImportError:
        raise UsageError(f"{serve.text_of(target.call)} cannot be imported by a fresh interpreter, and to send it there "
                         "by value needs cloudpickle, which is missing here: install it (pip install "
                         "cloudpickle; Debian: python3-cloudpickle), or move the definition into a module, or say fork=True") from None
    try:
        content = cloudpickle.dumps(target.as_dict())
    except Exception as error:
        raise UsageError(f"{serve.text_of(target.call)} cannot be sent to a fresh interpreter: {error}. Make what it "
                         "needs inside the class or function, or say fork=True") from error
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "assay", "objects")
    path = os.path.join(folder, hashlib.sha256(content).hexdigest()[:32] + ".pickle")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _forget_old(folder)
        with open(f"{path}.{os.getpid()}", "wb") as file:
            file.write(content)
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror}") from error
    return path


def _forget_old(folder: str) -> None:
    for one in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):  # another process may do the same
            if one.stat().st_mtime < time.time() - 86400 * _KEPT_DAYS:
                os.remove(one.path)


Auditable = Union[str, List[str], Callable[..., Any], Target, None]
