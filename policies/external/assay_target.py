"""Makes a target for `assay audit --exec` from a function or a class: docs/protocol.md, "Adapters".

    from assay_target import serve_policy        # before anything that prints when it is imported
    from some_library import EpsilonGreedy

    serve_policy(lambda shape: EpsilonGreedy(shape.arms), choose="select_arm", update="update")

Assay contains this module, and programs that it starts can import it (it is last in their PYTHONPATH). `assay adapter
python` prints it for other uses. It needs Python 3.8 and the standard library only.

The module keeps standard output for answers: anything printed there, also by C libraries, goes to standard error, and
standard input is empty for everything else. Each run gets its own copy of the input. `random` and numpy.random are
seeded for each run, each with its own key. Import numpy before serving: if a run imports it, it is not seeded in that
run. Numbers of numpy, NaN and infinities are written as the protocol requires. A failure is reported
with its message, run and round.

If you need a generator, take `rng` as the last argument of `play` or `make`, or seed one with seed_for(seed, "name").
Two generators with the same seed may produce the same stream, as random.Random(seed) and
numpy.random.RandomState([seed & 0xFFFFFFFF, seed >> 32]) do. Then noise that a proof assumes to be independent is
identical.

A run that raises an exception has failed, and the failure is an output: the adversary sees that the run failed. A
program therefore leaks if it fails more often on some data than on neighbouring data. Raise InvalidInput for an input
that the program does not accept: such an input is not evidence. An invalid output (one number too few) ends the audit.
"""
import functools
import gc
import hashlib
import inspect
import json
import math
import operator
import os
import random
import struct
import sys
import traceback

PROTOCOL = 1
CHOOSE = ("choose", "select_arm", "select_action", "get_action", "act", "predict")
UPDATE = ("update", "observe", "learn", "partial_fit")
RECOMMEND = ("recommend", "recommendation", "best_arm")
STOP = ("stopped", "finished", "done")
ESTIMATE = ("estimates", "estimate")


_PLAIN = frozenset((int, float))  # types that need no conversion
_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Shape(dict):
    """The shape that the greeting requests: shape.arms or shape["arms"]; `horizon`, `dimension`, `inputs`, ..."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a shape of kind {self.get('kind')} has no {name}, only {', '.join(self)}") from None


class BadOutput(Exception):
    """The message says what the run returned and what it should have returned."""


class InvalidInput(Exception):
    """A run raises it for an input that the program does not accept. Failing on such an input is not evidence."""


class _Streams:
    """Reads messages and writes answers: on the descriptors given, or on standard input and output. It keeps those to
    itself: standard output then goes to standard error and standard input is empty, also for C libraries."""

    def __init__(self, given=None):
        if given is not None:
            self.messages = os.fdopen(given[0], "rb")
            self._answers = given[1]
            return
        self.messages = os.fdopen(os.dup(0), "rb")
        self._answers = os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        os.dup2(2, 1)
        if not getattr(sys.stdout, "closed", True):
            sys.stdout.flush()  # its buffer has the earlier output, which goes to standard error too
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(line_buffering=True)

    def send(self, **message):
        self._write(_json(message))

    def send_outputs(self, number, outputs):
        if type(number) is int and all(type(one) is list and _PLAIN.issuperset(map(type, one)) for one in outputs):
            # As json writes them, in half the time.
            self._write(f'{{"type":"plays","id":{number},"outputs":{repr(outputs).replace(" ", "")}}}')
        else:
            self.send(type="plays", id=number, outputs=outputs)

    def _write(self, line):
        rest = line.encode("ascii") + b"\n"
        try:
            while rest:
                rest = rest[os.write(self._answers, rest):]
        except BrokenPipeError:
            os._exit(0)  # nobody reads the answers any more


# Assay sets this variable for its programs, so that modules imported after this one may print.
_streams = _Streams() if os.environ.get("ASSAY_PROTOCOL") else None


def seed_for(seed, name):
    """Returns a seed below 2^63 for the generator of that name; the streams of two names are unrelated."""
    return int.from_bytes(_digest(seed, "own " + name)[:8], "little") >> 1


def serve(play, kind=None, name=None, seeded=False, deterministic=False, check=None, keys=True, streams=None,
          probabilities=None):
    """Answers Assay until it closes the connection.

    play(input, shape, seed)  performs one run and returns the actions, or the numbers of a mechanism. `random` and
                              numpy.random are seeded before. input has numbers, or rows of numbers
    play(input, shape, seed, rng)  the same with a generator for this run alone: a numpy generator (as from
                              default_rng()) if numpy is imported, else a random.Random
    kind           the kind or kinds of the program, such as "bandit"; None: any
    seeded         promises that a run is a function of its input and seed
    deterministic  says that runs on one input should be identical
    check(shape)   returns a sentence that rejects a shape, or None
    keys           False: the program draws nothing from `random`, numpy.random or rng. Assay then need not seed half
                   of the runs in a second way to show that no two of these are the same stream
    streams        two descriptors, of the messages and of the answers, instead of standard input and output, which then
                   stay as they are
    probabilities(input, shape, seed, actions, start)  returns the probabilities of all actions, round by round, in the
                   rounds start + 1 to len(actions) + 1, at most the last, if the first actions are forced to be
                   `actions` (docs/protocol.md, "Probabilities"); it may take rng as one more argument
    """
    global _streams
    _watch()
    _streams = _Streams(streams) if streams else _streams or _Streams()
    kinds = (kind,) if isinstance(kind, str) else kind
    call = _with_rng(play, 3)
    walk = _with_rng(probabilities, 5) if probabilities else None
    shape = None
    message = {}
    try:
        for line in _streams.messages:
            message = _play_message(line) or json.loads(line.decode())
            if message["type"] == "hello":
                shape = Shape(message["shape"])
                refusal = _refusal(message, kinds) or (check(shape) if check else None)
                if refusal:
                    _streams.send(type="error", message=refusal)
                else:
                    _streams.send(type="ready", name=name or _name_of(play), seeded=seeded,
                                  deterministic=deterministic, keys=keys, **({"probabilities": True} if walk else {}))
                continue
            try:
                if message["type"] == "path":
                    _streams.send(type="probabilities", id=message["id"], probabilities=_rows(walk, shape, message))
                else:
                    _streams.send_outputs(message["id"], _outputs(call, shape, message))
            except InvalidInput as error:
                _streams.send(type="invalid_input", message=_text(str, error) or "InvalidInput")
    except (Exception, SystemExit) as error:  # most likely from the user's code
        _print_traceback(error)
        _streams.send(type="out_of_memory" if isinstance(error, MemoryError) else "invalid_output" if message.get(
            "type") == "play" else "error", message=_said(error))
        sys.exit(1)


def serve_policy(make, kind="bandit", choose=None, update=None, recommend=None, stop=None, estimate=None, name=None,
                 probabilities=None, **more):
    """Serves an object for each run. make(shape), or make(shape, rng) with a generator as in serve(), makes a new
    object with its noise; the module then calls it round by round. An object that make() returned before ends the
    audit, because its noise or its memory would join the runs.

    kind        choose          update                                at the end
    bandit      choose()        update(arm, reward)
    best-arm    choose()        update(arm, reward)                   recommend()
    dueling     choose()        update(first, second, first_won)
    experts     choose()        update(losses)
    contextual  choose(contexts)   update(arm, reward, contexts)

    If the shape stops, stop() says before each round whether the run is over. If it has numbers, choose() returns the
    arm and the numbers of the round. If it has estimates, estimate() returns them at the end.

    Each argument is the name of a method (or of an attribute, except for update), or a function of the object and the
    arguments above: stop="done", stop=lambda policy: policy.left == 0. The default is the first that exists of
    choose, select_arm, select_action, get_action, act, predict; update, observe, learn, partial_fit; recommend,
    recommendation, best_arm; stopped, finished, done; estimates, estimate. choose() returns an arm, counted from 0,
    or two arms for a duel.

    probabilities, if given, says that an object reports the probabilities of its next action, given its input and past
    actions alone, as an average over all its internal randomness: one for each arm, or for a duel in a table of the
    first arm by the second. It takes no arguments. On forced actions only update() is called, and not choose().
    """

    made = _with_rng(make, 1)
    earlier = []  # the first and the last object: while they exist, no other has their place in memory

    def play(values, shape, seed, rng):
        policy = made(shape, rng)
        if any(policy is one for one in earlier):
            raise BadOutput("make() returned an object that it returned before, so that runs share its noise and what "
                            "it learned: make a new one in each run, as in "
                            "serve_policy(lambda shape: Policy(shape.arms))")
        earlier[1:] = [policy]
        select = _method(policy, choose, CHOOSE, "choose")
        learn = _method(policy, update, UPDATE, "update")
        over = _method(policy, stop, STOP, "stop") if shape.get("stops") else None
        play_round = _PLAYS[shape["kind"]]
        out = []
        rounds = 0
        try:
            if over is None and shape["kind"] == "bandit" and not shape.get("numbers"):
                _play_arms(values, shape, select, learn, out)
                rounds = len(values)
                values = ()
            for row in values:
                if over is not None and over():
                    break
                play_round(row, shape, select, learn, out)
                rounds += 1
            if shape.kind == "best-arm":
                out.append(_arm(_method(policy, recommend, RECOMMEND, "recommend")(), shape.arms))
            if shape.get("estimates"):
                out.append(_method(policy, estimate, ESTIMATE, "estimate")())
        except (Exception, SystemExit) as error:
            error.assay_round = min((rounds or len(out)) + 1, shape.horizon)
            raise
        return out

    walks = []  # the last two forced paths, of one input each: input, seed, actions so far, policy

    def walk(values, shape, seed, actions, start, rng):
        at = next((at for at, (of, by, done, _) in enumerate(walks) if of == values and by == seed
                   and len(done) <= start and done == actions[:len(done)]), None)
        if at is None:
            values, done, policy = _copy(values), [], made(shape, rng)
        else:
            values, _, done, policy = walks.pop(at)
        tell = _method(policy, probabilities, (), "probabilities")
        learn = _method(policy, update, UPDATE, "update")
        force = _FORCES[shape["kind"]]
        rows = []
        try:
            while True:
                if len(done) >= start:
                    rows.append(tell())
                if len(done) == len(actions):
                    break
                force(values[len(done)], shape, learn, actions[len(done)])
                done.append(actions[len(done)])
        except (Exception, SystemExit) as error:
            error.assay_round = len(done) + 1
            raise
        walks[:] = walks[-1:] + [(values, seed, done, policy)]
        return rows

    play.takes_source = walk.takes_source = True
    kinds = (kind,) if isinstance(kind, str) else kind
    unknown = [one for one in kinds if one not in _PLAYS]
    if unknown:
        raise ValueError(f"kind must be of {', '.join(_PLAYS)}, not {unknown[0]!r}: give serve() a function of one run")
    serve(play, kinds, name or _name_of(make), probabilities=walk if probabilities else None, **more)


def _choice(told, shape, actions=1):
    """Returns the arms, then the numbers of the round, in one list."""
    if type(told) is int and 0 <= told < shape["arms"] and actions == 1 and not shape.get("numbers"):
        return [told]
    items = _list(told)
    items = [told] if items is None else list(_flat(items))
    _check_count(len(items), actions + shape.get("numbers", 0),
                 "entries of a round: its actions and numbers" if shape.get("numbers") else
                 "arms of a duel" if actions == 2 else "arms", "choose()")
    return [_arm(arm, shape.arms) for arm in items[:actions]] + items[actions:]


def _play_arms(rewards, shape, select, learn, out):
    """Does for all rounds what _play_bandit does for one, if a round has only its arm. It takes a third of the time."""
    arms = shape["arms"]
    for reward in rewards:
        told = select()
        if type(told) is not int or not 0 <= told < arms:
            told, = _choice(told, shape)
        learn(told, reward)
        out.append(told)


def _play_bandit(reward, shape, select, learn, out):
    choice = _choice(select(), shape)
    learn(choice[0], reward)
    out += choice


def _play_best_arm(row, shape, select, learn, out):
    choice = _choice(select(), shape)
    learn(choice[0], row[choice[0]])
    out += choice


def _play_duel(row, shape, select, learn, out):
    choice = _choice(select(), shape, 2)
    first, second = choice[:2]
    learn(first, second, row[first * shape.arms + second] == 1)
    out += choice


def _play_experts(losses, shape, select, learn, out):
    choice = _choice(select(), shape)
    learn(losses)
    out += choice


def _play_contextual(row, shape, select, learn, out):
    arms, size = shape.arms, shape.dimension
    contexts = [row[arms + i * size:arms + (i + 1) * size] for i in range(arms)]
    choice = _choice(select(contexts), shape)
    learn(choice[0], row[choice[0]], contexts)
    out += choice


_PLAYS = {"bandit": _play_bandit, "best-arm": _play_best_arm, "dueling": _play_duel, "experts": _play_experts,
          "contextual": _play_contextual}


# What a forced action does: the update of a round without its choice.
_FORCES = {"bandit": lambda reward, shape, learn, arm: learn(arm, reward),
           "experts": lambda losses, shape, learn, arm: learn(losses),
           "dueling": lambda row, shape, learn, duel: learn(*divmod(duel, shape.arms), row[duel] == 1)}


def _rows(walk, shape, message):
    """Returns the probabilities that a message of type "path" asks for."""
    actions, start, seed = message["actions"], message["from"], message["seed"]
    count = shape["arms"] ** (2 if shape["kind"] == "dueling" else 1)
    forced = actions[:shape["horizon"] - 1]
    try:
        for shared in _shared_generators():
            shared.begin(seed)
        rows = [list(_flat(_list(row) or [])) for row in walk(message["input"], Shape(shape), seed, forced, start,
                                                              lambda: _rng(seed))]
        _check_count(len(rows), len(forced) + 1 - start, "rounds", "probabilities()")
        for at, row in enumerate(rows, start=start + 1):
            _check_count(len(row), count, f"probabilities of round {at}", "probabilities()")
        return [[_number(one) for one in row] for row in rows]
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:
        error.assay_where = "forced actions"
        raise


def _refusal(hello, kinds):
    if hello["assay_protocol"] != PROTOCOL:
        return f"speaks version {PROTOCOL} of the protocol, not {hello['assay_protocol']}"
    kind = hello["shape"]["kind"]
    if kinds is not None and kind not in kinds:
        return f"is of --kind {' or '.join(kinds)}, not {kind}"
    return None


def _name_of(what):
    name = getattr(what, "__name__", type(what).__name__)
    script = os.path.basename(sys.argv[0] if sys.argv else "") or "target"
    return script if name in ("play", "make", "<lambda>") else name


def _method(policy, given, known, role):
    """Returns the given function of the object, or its method or attribute of that name, or the first known method."""
    if callable(given):
        return lambda *values: given(policy, *values)
    names = (given,) if given else known
    for one in names:
        if callable(getattr(policy, one, None)):
            return getattr(policy, one)
    attribute = None if role == "update" else next((one for one in names if hasattr(policy, one)), None)
    if attribute and given:
        return lambda *values: getattr(policy, attribute)
    if attribute:
        raise BadOutput(f"{type(policy).__name__}.{attribute} is not a method: "
                        f"say {role}=lambda policy: policy.{attribute}")
    raise BadOutput(f"{type(policy).__name__} has no method {' or '.join(names)}: "
                    f"name the one that it has with {role}=")


_inputs = {}  # the last two, by their text: an audit runs the same two in turns


def _play_message(line):
    """Reads a message of one run as Assay writes it. Returns None for any other line, which may mean the same."""
    if len(line) > 1 << 20:
        return None
    head, _, rest = line.partition(b',"input":')
    text, _, tail = rest.rpartition(b',"seeds":[')
    seed, end, _ = tail.partition(b'],"type":"play"}\n')
    number = head[6:]
    if not (end and number.isdigit() and seed.isdigit() and head.startswith(b'{"id":')):
        return None
    message = {"type": "play", "id": int(number), "seeds": [int(seed)]}
    if text.endswith(b'"]'):
        text, _, key = text[:-2].rpartition(b',"keys":["')
        if len(key) != 64:
            return None
        message["keys"] = [key.decode()]
    values = _inputs.get(text)
    if values is None:
        values = json.loads(text.decode())
        if len(_inputs) > 1:
            del _inputs[next(iter(_inputs))]
        _inputs[text] = values
    message["input"] = values
    return message


_failures = []  # seeds of the first runs that failed


def _outputs(play, shape, message):
    outputs = []
    keys = message.get("keys") or [None] * len(message["seeds"])
    for at, (seed, key) in enumerate(zip(message["seeds"], keys), start=1):
        try:
            for shared in _shared_generators():
                shared.begin(key or seed)
            source = (lambda: _filled_rng(key)) if key else (lambda: _rng(seed))
            value = play(_copy(message["input"]), Shape(shape), seed, source)
            outputs.append(_output(value, shape))
        except InvalidInput:
            raise
        except (Exception, SystemExit) as error:
            error.assay_where = f"run {at} (seed {seed})"
            if isinstance(error, (BadOutput, MemoryError)):
                raise
            if len(_failures) < 10:  # a program that fails in half of its runs fails thousands of times
                _failures.append(seed)
                _print_traceback(error)
            outputs.append({"failed": _said(error)[:1000]})
    return outputs


def _copy(values):
    """Returns a copy of the input, which a run may change."""
    if values and type(values[0]) is not list:
        return values[:]  # numbers, as in every row of an input
    return [row[:] if type(row) is list else row for row in values]


# What no seed reaches: randomness of the system, and generators that are made without a seed. The first places that draw
# from it are named on standard error, in lines that `assay try` reads.
_UNSEEDED = "assay_target: no seed reaches "
_PASSED_ON = (__name__, "random", "secrets", "uuid")  # modules that draw on behalf of their caller
_OF_NUMPY = ("default_rng", "RandomState", "SeedSequence", "PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")
_seen = set()
_looks = 0  # how often _notice() will still look for the place; 0 before, negative after


def _watch():
    global _looks
    if _looks or not os.environ.get("ASSAY_PROTOCOL"):
        return
    _looks = 64  # a look costs microseconds
    urandom, reseed, seed = os.urandom, random.Random.seed, random.seed

    def watched_urandom(size):
        _notice("os.urandom")
        return urandom(size)

    def watched_reseed(self, a=None, version=2):
        if a is None:
            _notice("random.Random()")
        return reseed(self, a, version)

    def watched_seed(a=None, version=2):
        if a is None:
            _notice("random.seed()")
        return seed(a, version)
    os.urandom = random._urandom = watched_urandom
    random.Random.seed, random.seed = watched_reseed, watched_seed


def _notice(what):
    """Names the line of the user's code that draws, once."""
    global _looks
    if _looks < 0:
        return
    _looks = _looks - 1 or -1
    frame = sys._getframe(2)
    bits = 0
    while frame is not None and frame.f_globals.get("__name__") in _PASSED_ON:
        module = frame.f_globals["__name__"]
        if module == __name__:
            pass
        elif module != "random":
            what = f"{module}.{frame.f_code.co_name}"
        elif isinstance(frame.f_locals.get("self"), random.SystemRandom):
            what = "random.SystemRandom"
            bits = frame.f_locals.get("k", bits)
        frame = frame.f_back
    if frame is None:
        return
    place, module = frame.f_code.co_filename, frame.f_globals.get("__name__") or ""
    library = os.path.dirname(os.__file__)
    if place.startswith("<frozen") or module.split(".")[0] in ("numpy", "cloudpickle") or (
            place.startswith(library) and "-packages" not in place):
        return  # they do so for themselves
    names = frame.f_code.co_names
    if what == "random.SystemRandom":
        of_numpy = [name for name in _OF_NUMPY if name in names] if bits == 128 and "numpy" in sys.modules else []
        what = f"numpy.random.{of_numpy[0]}()" if of_numpy else "secrets" if "secrets" in names else what
    where = "a notebook's cell" if "ipykernel_" in place else os.path.basename(place)
    name = frame.f_code.co_name
    text = f"{what} ({where}:{frame.f_lineno}, {'when it is imported' if name == '<module>' else 'in ' + name})"
    if text not in _seen and sys.stderr is not None:
        _seen.add(text)
        print(_UNSEEDED + text, file=sys.stderr, flush=True)


# Every generator has a key that depends only on the seed and its own name. CPython and numpy seed their Mersenne
# twisters alike, so one key for both would give the same stream. Nobody derives 256 bits from a seed by hand.
def _digest(seed, name):
    return hashlib.sha256(f"assay {name} {seed}".encode()).digest()


def _seed_random(seed):
    random.seed(int.from_bytes(_digest(seed, "random"), "little"))


def _seed_numpy(seed):
    sys.modules["numpy"].random.seed(list(struct.unpack("<8I", _digest(seed, "numpy.random"))))


def _rng(seed):
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return random.Random(int.from_bytes(_digest(seed, "rng"), "little"))
    return numpy.random.Generator(numpy.random.PCG64(_words(numpy, _digest(seed, "rng"))))


def _words(numpy, digest):
    """Returns what PCG64 asks for its 256 bits: a tenth of the time of the SeedSequence that also spawns from them."""
    base = getattr(numpy.random.bit_generator, "ISpawnableSeedSequence", None) if hasattr(
        numpy.random, "bit_generator") else None
    if base is None:
        return int.from_bytes(digest, "little")
    global _Words
    if _Words is None:
        class Words(base):
            def __init__(self, digest):
                self.digest = digest

            def generate_state(self, n_words, dtype=numpy.uint32):
                words = numpy.frombuffer(self.digest, dtype)
                return words[:n_words] if n_words <= len(words) else self.sequence().generate_state(n_words, dtype)

            def sequence(self):
                return numpy.random.SeedSequence(int.from_bytes(self.digest, "little"))

            def spawn(self, n_children):
                if not hasattr(self, "parent"):
                    self.parent = self.sequence()  # which counts its children
                return self.parent.spawn(n_children)
        Words.__qualname__ = "_Words"  # so that a generator can be pickled
        _Words = Words
    return _Words(digest)


_Words = None  # a class, once numpy is there


# With a key, every generator receives a whole state instead. This code shares nothing with the seeding above, nor with
# the way in which a library turns seeds into states. Assay compares the results of both.
def _stream(key, name, size):
    return hashlib.shake_256(bytes.fromhex(key) + name.encode()).digest(size)


_twister_state = struct.Struct("<625I")
_AT_END = struct.pack("<I", 624)  # no number of the state is left


def _twister(key, name):
    return _twister_state.unpack(_stream(key, name, 4 * 624) + _AT_END)


def _fill_random(key):
    random.setstate((3, _twister(key, "random"), None))


def _fill_numpy(key):
    sys.modules["numpy"].random.set_state(("MT19937", _twister(key, "numpy.random")[:624], 624))


def _filled_rng(key):
    numpy = sys.modules.get("numpy")
    if numpy is None:
        rng = random.Random(0)
        rng.setstate((3, _twister(key, "rng"), None))
        return rng
    state = _stream(key, "rng", 32)
    bits = numpy.random.PCG64(_words(numpy, state))  # of which nothing is left but what spawns from it
    bits.state = {"bit_generator": "PCG64", "has_uint32": 0, "uinteger": 0,
                  "state": {"state": int.from_bytes(state[:16], "little"),
                            "inc": int.from_bytes(state[16:], "little") | 1}}
    return numpy.random.Generator(bits)


class _SharedGenerator:
    """The generator behind the functions of a module, which each run gets seeded.

    Seeding it takes as long as many runs, and most programs do not use it. So the functions of the module become functions
    that seed it first, until one of them is called; from then on every run seeds it at once. So does every run if somebody
    else holds the generator or one of its functions.
    """

    def __init__(self, modules, seed, fill):
        self.modules, self.seed, self.fill = modules, seed, fill
        self.value = None  # of a run that has not used it yet
        self.lazy = False

    def find(self, generator, others):
        """Finds the functions of the generator, and those of these names, and whether anybody else holds them."""
        self.direct = {}
        for name, one in vars(self.modules[0]).items():
            if getattr(one, "__self__", None) is generator or name in others:
                self.direct[name] = one
        held = (generator, *self.direct.values())
        known = {id(one) for one in (held, self.direct, *map(vars, self.modules))}
        self.lazy = True
        for one in gc.get_referrers(*held):
            self.lazy = self.lazy and (id(one) in known or inspect.isframe(one) or type(one) is tuple and one == held or
                                       getattr(one, "__self__", None) is generator)
        if self.lazy:
            self.replace({name: self.after_seeding(one) for name, one in self.direct.items()})

    def after_seeding(self, function):
        @functools.wraps(function)
        def call(*words, **more):
            self.use()
            return function(*words, **more)
        return call

    def begin(self, value):
        """value: the seed or the key of the run."""
        self.value = value
        if not self.lazy:
            self.use()

    def use(self):
        value, self.value = self.value, None
        if value is None:
            return
        if self.lazy:
            self.lazy = False
            self.replace(self.direct)
        (self.fill if isinstance(value, str) else self.seed)(value)

    def replace(self, functions):
        for module in self.modules:
            vars(module).update(functions)


_shared = {}  # by name
_modules_then = 0


def _shared_generators():
    """Returns those of the modules that are loaded by now."""
    global _modules_then
    if len(sys.modules) != _modules_then:
        _modules_then = len(sys.modules)
        if "random" not in _shared:
            _shared["random"] = _SharedGenerator([random], _seed_random, _fill_random)
            _shared["random"].find(random._inst, ("seed",))
        numpy = sys.modules.get("numpy")
        if numpy is not None and "numpy" not in _shared:
            core = getattr(numpy.random, "mtrand", numpy.random)
            _shared["numpy"] = _SharedGenerator([core, numpy.random], _seed_numpy, _fill_numpy)
            if hasattr(core, "_rand"):
                _shared["numpy"].find(core._rand, ("seed", "ranf", "sample", "get_bit_generator", "set_bit_generator"))
        if "scipy" in sys.modules and "numpy" in _shared and _shared["numpy"].lazy:
            # It and the many that are built on it ask for the generator itself.
            _shared["numpy"].lazy = False
            _shared["numpy"].replace(_shared["numpy"].direct)
    return _shared.values()


def _with_rng(function, others):
    """Returns a function of `others` arguments and a source of `rng`. It passes rng if the function takes one: by that
    name, unless it has a default other than None, or as one more argument without a default."""
    if getattr(function, "takes_source", False):
        return function
    takes = _takes_rng(function, others)
    if takes is None:
        return lambda *values: function(*values[:others])
    if takes == "rng":
        return lambda *values: function(*values[:others], rng=values[others]())
    return lambda *values: function(*values[:others], values[others]())


def _takes_rng(function, others):
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None  # a C function, say
    placed = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    for one in parameters:
        if one.name == "rng" and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            return "rng" if one not in placed[:others] and one.default in (one.empty, None) else None
    needed = [one for one in placed if one.default is one.empty]
    return "last" if len(needed) == others + 1 else None


def _list(value):
    """Returns a list, or an array, as a list of plain items; None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (str, bytes, dict)):
        return None
    try:
        return list(value)
    except TypeError:
        return None


def _flat(values):
    for value in values:
        inner = _list(value)
        if inner is None:
            yield value
        else:
            yield from _flat(inner)


def _arm(value, arms):
    """Returns an int from a number of numpy, from 2.0, or from an array of one entry."""
    arm = value
    if type(arm) is not int:
        inner = _list(arm)
        if inner is not None:
            flat = list(_flat(inner))
            arm = flat[0] if len(flat) == 1 else None
        elif hasattr(arm, "item"):
            arm = arm.item()
        try:
            arm = int(arm) if isinstance(arm, float) and arm.is_integer() else operator.index(arm)
        except TypeError:
            raise BadOutput(f"{_shown(value)} is not an arm: arms are whole numbers from 0 to {arms - 1}") from None
    if not 0 <= arm < arms:
        raise BadOutput(f"there is no arm {_shown(arm)}: arms are whole numbers from 0 to {arms - 1}")
    return arm


def _number(value):
    """Returns a double, or its name if JSON has no such number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadOutput(f"{_shown(value)} is not a number") from None
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def _output(value, shape):
    """Returns the output as one list: for each round its actions and numbers, then the recommendation and estimates."""
    values = value if type(value) is list else _list(value)
    if values is None:
        values = [value]
    types = set(map(type, values))
    if not types <= _PLAIN:
        values = list(_flat(values))
        types = set(map(type, values))
    kind = shape["kind"]
    if kind == "mechanism":
        if len(values) != shape["outputs"]:
            _check_length(len(values), 1, shape["outputs"], 0, shape, "numbers")
        if types == {float} and all(map(math.isfinite, values)):
            return values[:]
        return [_number(one) for one in values]
    actions = 2 if kind == "dueling" else 1
    each = actions + shape.get("numbers", 0)
    estimates = shape.get("estimates", 0)
    end = (kind == "best-arm") + estimates
    if len(values) != shape["horizon"] * each + end:
        _check_length(len(values), each, shape["horizon"], end, shape, _layout(actions, shape))
    arms = shape["arms"]
    if each == actions and estimates == 0:
        if types == {int} and 0 <= min(values) and max(values) < arms:
            return values[:]
        return [_arm_at(i, one, arms) for i, one in enumerate(values)]
    rounds = len(values) - end
    return [_arm_at(i, one, arms) if i % each < actions and i < rounds or i == rounds and end > estimates else
            _number(one) for i, one in enumerate(values)]


def _layout(actions, shape):
    text = "actions, two a round" if actions == 2 else "actions, one a round"
    if shape.get("numbers"):
        text = f"entries: in a round {_counted(actions, 'action')} and {_counted(shape.numbers, 'number')}"
    if shape.kind == "best-arm":
        text += ", then the recommended arm"
    if shape.get("estimates"):
        text += f", then {_counted(shape.estimates, 'estimate')}"
    return text


def _counted(count, word):
    return f"{count} {word}{'s' * (count != 1)}"


def _check_length(count, each, rounds, end, shape, what):
    if shape.get("stops"):
        if (count - end) % each or not end <= count <= rounds * each + end:
            raise BadOutput(f"the run returned {count} {what}: that is not a whole number of rounds up to {rounds}")
    else:
        _check_count(count, rounds * each + end, what)


def _check_count(count, wanted, what, who="the run"):
    if count != wanted:
        raise BadOutput(f"{who} returned {count} of {wanted} {what}")


def _arm_at(i, value, arms):
    try:
        return _arm(value, arms)
    except BadOutput as error:
        raise BadOutput(f"entry {i + 1}: {error}") from None


def _shown(value):
    text = _text(repr, value)
    return text if len(text) <= 80 else text[:77] + "..."


def _text(how, value):
    """Never fails. The __repr__ or __str__ of a value may raise, and an int of 5000 digits cannot be printed."""
    try:
        return how(value)
    except Exception:
        return f"({type(value).__name__} that cannot be printed)"


def _print_traceback(error):
    """Prints the traceback of the user's code, without the frames of this module that lead there."""
    where = error.__traceback__
    while where is not None and where.tb_frame.f_code.co_filename == __file__:
        where = where.tb_next
    if where is not None and sys.stderr is not None:
        traceback.print_exception(type(error), error, where)
        sys.stderr.flush()


def _said(error):
    """Returns the place of the failure, its message, and the line of an exception in the user's code."""
    where = getattr(error, "assay_where", "")
    if hasattr(error, "assay_round"):
        where += f", round {error.assay_round}"
    text = str(error) if isinstance(error, BadOutput) else f"{type(error).__name__}: {_text(str, error)}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if frames and not isinstance(error, BadOutput):
        text += f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno}, in {frames[-1].name})"
    return f"{where}: {text}" if where else text


_watch()  # modules that are imported after this one may make generators
