"""Serves one Python object to Assay: the program that assay.audit(PrivateTS, ...) names by --exec.

    python3 serve.py [--path FOLDER]... --policy MODULE:NAME [--choose METHOD ...]
    python3 serve.py [--path FOLDER]... --function MODULE:NAME
    python3 serve.py [--path FOLDER]... --object FILE

FOLDER goes before the interpreter's own places of modules, or with --path-after behind them. FILE is an object by
value, as cloudpickle writes it. assay_target.py does everything else; docs/protocol.md describes what it says. This
file imports nothing of the package, because a fresh interpreter may not find it.
"""
import importlib
import inspect
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

# The fields of the shape, which a constructor or a factory may take by name. A default is replaced only where the name
# has one meaning: kind="laplace" is a choice of the policy's own.
SIZES = ("arms", "horizon", "dimension")
FIELDS = ("kind", "arms", "horizon", "dimension", "inputs", "outputs", "numbers", "estimates", "stops", "domain",
          "neighbours")
METHODS = ("choose", "update", "recommend", "stop", "estimate", "probabilities")
PROMISES = ("seeded", "deterministic")


def text_of(what: Any) -> str:
    """Returns "class PrivateTS" or "function play(input, rng)", for errors."""
    name = getattr(what, "__qualname__", None) or type(what).__qualname__
    if inspect.isclass(what):
        return f"class {name}"
    try:
        return f"function {name}{inspect.signature(what)}"
    except (TypeError, ValueError):
        return f"function {name}"


def parameters_of(what: Any) -> List[inspect.Parameter]:
    """Returns the parameters that a call has to think of. Raises TypeError if nobody can know them."""
    try:
        found = list(inspect.signature(what).parameters.values())
    except (TypeError, ValueError):
        raise TypeError(f"the parameters of {text_of(what)} cannot be read: wrap it, as in lambda shape, rng: ..., or "
                        "lambda input, rng: ...") from None
    return [one for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def filled(what: Any, parameters: List[inspect.Parameter], known: Sequence[str]) -> List[str]:
    """Returns the names that Assay fills, all in `known`. Raises TypeError for a parameter that nobody fills."""
    names = []
    for one in parameters:
        is_own = one.default is not one.empty and one.name in FIELDS and one.name not in SIZES
        if one.name in known and one.kind != one.POSITIONAL_ONLY and not is_own:
            names.append(one.name)
        elif one.default is one.empty:
            raise TypeError(f"nobody fills the parameter {one.name!r} of {text_of(what)}: Assay knows "
                            f"{', '.join(known)}. Write a factory, as in lambda shape, rng: "
                            f"{getattr(what, '__name__', 'Policy')}(shape.arms, rng)")
    return names


def policy_maker(make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns make(shape) or make(shape, rng) for a class or a factory, whose parameters are filled by name."""
    names = filled(make, parameters_of(make), ("shape", "rng") + FIELDS)

    def arguments(shape: Dict[str, Any], rng: Any = None) -> Dict[str, Any]:
        known = dict(shape, shape=shape, rng=rng)
        return {name: known[name] for name in names if name in known}

    if "rng" in names:
        return lambda shape, rng: make(**arguments(shape, rng))
    return lambda shape: make(**arguments(shape))


def refusal_of(make: Callable[..., Any]) -> Callable[[Dict[str, Any]], Optional[str]]:
    """Returns check(shape) for serve(): the sentence that rejects a shape without a field that make needs."""
    needed = [one.name for one in parameters_of(make) if one.default is one.empty and one.name in FIELDS]

    def check(shape: Dict[str, Any]) -> Optional[str]:
        lacking = [name for name in needed if name not in shape]
        return f"{text_of(make)} needs {lacking[0]}, and the shape has only {', '.join(shape)}" if lacking else None
    return check


def run_of(call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns run(input, shape, seed, rng), or without rng, for a function of an input and any of these by name."""
    parameters = parameters_of(call)
    if not parameters or parameters[0].kind == inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"{text_of(call)} takes no input: the first parameter is the input of the run")
    names = filled(call, parameters[1:], ("shape", "seed", "rng"))
    if "rng" in names:
        def run(values: Any, shape: Any, seed: int, rng: Any) -> Any:
            known = {"shape": shape, "seed": seed, "rng": rng}
            return call(values, **{name: known[name] for name in names})
        return run

    def run_without(values: Any, shape: Any, seed: int) -> Any:
        known = {"shape": shape, "seed": seed}
        return call(values, **{name: known[name] for name in names})
    return run_without


def check_target(target: Dict[str, Any]) -> bool:
    """Raises TypeError if the target cannot be called. Returns whether it takes rng."""
    call = target["call"]
    made = policy_maker(call) if target["role"] == "policy" else run_of(call)
    return "rng" in inspect.signature(made).parameters


def serve_target(assay_target: Any, target: Dict[str, Any], streams: Optional[Tuple[int, int]] = None) -> None:
    """Answers Assay until it closes the connection. target: role, call, and the arguments of serve or serve_policy."""
    if check_target(target):
        try:
            import numpy  # noqa: F401  so that rng is a generator of numpy wherever numpy is
        except ImportError:
            pass
    call = target["call"]
    rest = {name: target[name] for name in PROMISES + ("name", "keys") if target.get(name) is not None}
    rest.setdefault("name", getattr(call, "__qualname__", type(call).__qualname__))
    if target["role"] == "function":
        assay_target.serve(run_of(call), streams=streams, **rest)
        return
    rest.update((name, target[name]) for name in METHODS if target.get(name) is not None)
    if inspect.isclass(call) and inspect.isfunction(getattr(call, "probabilities", None)):
        rest.setdefault("probabilities", "probabilities")
    kinds = ("bandit", "best-arm", "dueling", "experts", "contextual")
    assay_target.serve_policy(policy_maker(call), kind=kinds, check=refusal_of(call), streams=streams, **rest)


def read_words(words: Sequence[str]) -> Dict[str, Any]:
    """Returns the target that the command line names."""
    target: Dict[str, Any] = {}
    path: Dict[str, List[str]] = {"path": [], "path_after": []}
    rest = iter(words)
    for word in rest:
        name = word[2:].replace("-", "_")
        if not word.startswith("--"):
            raise SystemExit(f"serve.py: {word!r} is no option")
        if name in PROMISES:
            target[name] = True
            continue
        if name == "no_keys":
            target["keys"] = False
            continue
        value = next(rest, None)
        if value is None:
            raise SystemExit(f"serve.py: {word} needs a value")
        if name in path:
            path[name].append(value)
        elif name in ("policy", "function"):
            target.update(role=name, place=value)
        elif name in METHODS + ("name",):
            target[name] = value
        elif name == "object":
            target["file"] = value
        else:
            raise SystemExit(f"serve.py: there is no option {word}")
    sys.path[:] = path["path"] + sys.path + path["path_after"]
    if "file" in target:
        import pickle
        with open(target["file"], "rb") as file:
            return dict(pickle.load(file))
    module, _, qualname = target["place"].partition(":")
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return dict(target, call=found)


def main(words: Sequence[str]) -> None:
    # The folder of this file, which has other modules, is no place to import from.
    own = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == own:
        del sys.path[0]
    import assay_target  # type: ignore  # before anything that prints
    serve_target(assay_target, read_words(words))


if __name__ == "__main__":
    main(sys.argv[1:])
