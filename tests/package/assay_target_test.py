"""The module assay_target, spoken to as Assay does: assay_target_test.py SOURCE_FOLDER."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop(1)
BANDIT = {"kind": "bandit", "arms": 3, "horizon": 4}
MECHANISM = {"kind": "mechanism", "inputs": 1, "outputs": 3}
# What numpy's numbers and arrays are to the module, for a machine without numpy.
NUMBERS = """
class Int64:
    def __init__(self, value): self.value = value
    def item(self): return self.value
    def __index__(self): return self.value
class Array:
    def __init__(self, items): self.items = items
    def tolist(self): return self.items
"""


# Programs that import numpy find it here, on any machine.
FAKE_NUMPY = os.path.join(SOURCE, "tests/support/fake_numpy")


def as_assay(message):
    return json.dumps(dict(sorted(message.items())), separators=(",", ":"))


def talk(code, shape, plays=(), environment=None, first="", form=as_assay):
    """All answers, exit status and what was on standard error; a play is (input, seeds) or (input, seeds, keys)."""
    lines = [{"assay_protocol": 1, "type": "hello", "shape": shape}]
    lines += [dict(zip(("input", "seeds", "keys"), play), type="play", id=i + 1) for i, play in enumerate(plays)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "adapter.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(code)
        done = subprocess.run([sys.executable, path], input="".join(form(line) + "\n" for line in lines),
                              text=True, capture_output=True, check=False, timeout=60,
                              env=dict(os.environ, PYTHONPATH=first + os.path.join(SOURCE, "policies/external"),
                                       PYTHONDONTWRITEBYTECODE="1", **(environment or {})))
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


class Talk(unittest.TestCase):
    def outputs(self, code, shape, *plays, path=""):
        answers, status, said = talk("from assay_target import *\n" + code, shape, plays, first=path)
        self.assertEqual(status, 0, said)
        self.assertEqual([a["type"] for a in answers], ["ready"] + ["plays"] * len(plays), said)
        return [a["outputs"] for a in answers[1:]]

    def error(self, code, shape, *plays):
        """Of a shape that is refused, or an output that is none: the module ends."""
        answers, status, said = talk("from assay_target import *\n" + code, shape, plays)
        self.assertEqual((answers[-1]["type"], status != 0), ("invalid_output", True) if plays else ("error", False), said)
        return answers[-1]["message"], said

    def failure(self, code, shape, *plays):
        """Of the last play asked for: the module goes on."""
        answers, status, said = talk("from assay_target import *\n" + code, shape, plays)
        self.assertEqual((answers[-1]["type"], status), ("plays", 0), said)
        return answers[-1]["outputs"][-1]["failed"], said


class Serve(Talk):
    def test_prints_of_anyone_go_to_standard_error(self):
        noisy = 'import os, sys\nprint("banner", flush=True)\nos.system("echo below python")\n'
        code = ("from assay_target import serve\n" + noisy +
                'def play(v, shape, seed):\n    print("debug")\n    return [0] * 4\nserve(play)\n')
        answers, status, said = talk(code, BANDIT, [([0, 0, 0, 0], [1])], {"ASSAY_PROTOCOL": "1"})
        self.assertEqual((status, answers[1]["outputs"]), (0, [[0, 0, 0, 0]]))
        for word in ("banner", "below python", "debug"):
            self.assertIn(word, said)
        # Whoever is not told that it is played keeps its output until serve().
        code = code.replace("flush=True", "flush=False").replace('os.system("echo below python")', "")
        answers, status, said = talk(code, BANDIT, [([0, 0, 0, 0], [1])], {"PYTHONUNBUFFERED": ""})
        self.assertEqual((status, len(answers)), (0, 2))
        self.assertIn("banner", said)

    def test_each_play_has_its_input_to_itself(self):
        code = ('def play(v, shape, seed):\n    shape.pop("arms", None)\n    v[0][0] += 1\n    v.reverse()\n'
                '    return v[-1] + [len(v)]\nserve(play)\n')
        self.assertEqual(self.outputs(code, MECHANISM, ([[5, 0], [2, 0]], [1, 2, 3])), [[[6, 0, 2]] * 3])

    def test_a_message_means_the_same_however_it_is_written(self):
        code = ('import random\nfrom assay_target import *\ndef play(v, shape, seed):\n'
                '    v = [sum(row) if type(row) is list else row for row in v]\n'
                '    return [random.random(), v[0], str(v) == "[0.5]"]\nserve(play)\n')
        key, other = "0f" * 32, "ab" * 32
        plays = [([0.5], [1]), ([-0.0], [1], [key]), ([[5, 0.25], [2, 0]], [2 ** 53 - 1]), ([0.5], [1], [other]),
                 ([5e-324], [0]), ([1e300, 3], [7, 8], [key, other]), ([0.5], [1]), ([-0.0], [1])]
        forms = [as_assay, json.dumps, lambda message: json.dumps(dict(sorted(message.items(), reverse=True))),
                 lambda message: " " + as_assay(message) + " ",
                 lambda message: as_assay(message).replace('"input"', '"inpu\\u0074"')]
        first, *others = [talk(code, MECHANISM, plays, form=form) for form in forms]
        self.assertEqual([a["type"] for a in first[0]], ["ready"] + ["plays"] * len(plays), first)
        runs = [a["outputs"][0] for a in first[0][1:]]
        self.assertEqual([run[1] for run in runs], [0.5, -0.0, 5.25, 0.5, 5e-324, 1e300, 0.5, -0.0])
        self.assertEqual(runs[0], runs[6])
        self.assertEqual(len({run[0] for run in runs}), 5)  # by key or seed: 1, 7 and 8 are alike, and 2 and 6
        for one in others:
            self.assertEqual(one, first)

    def test_a_run_may_return_the_same_list_again(self):
        code = 'out = []\ndef play(v, shape, seed):\n    out[:] = [%s] * shape.%s\n    return out\nserve(play)\n'
        self.assertEqual(self.outputs(code % ("float(seed)", "outputs"), MECHANISM, ([0], [1, 2])),
                         [[[1.0] * 3, [2.0] * 3]])
        self.assertEqual(self.outputs(code % ("seed", "horizon"), BANDIT, ([0] * 4, [1, 2])), [[[1] * 4, [2] * 4]])

    def test_standard_input_is_the_module_s_alone(self):
        code = ('import os, subprocess, sys\n'
                'def play(v, shape, seed):\n'
                '    child = subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout\n'
                '    return [len(child), len(os.read(0, 100)), len(sys.stdin.read())]\nserve(play)\n')
        self.assertEqual(self.outputs(code, MECHANISM, ([0], [1, 2]), ([0], [3])), [[[0, 0, 0]] * 2, [[0, 0, 0]]])
        code = 'import sys\nsys.stdout = None\nprint("lost")\nserve(lambda v, s, seed: [0, 0, 0])\n'
        self.assertEqual(self.outputs(code, MECHANISM, ([0], [1])), [[[0, 0, 0]]])

    def test_given_streams_leave_the_standard_ones_alone(self):
        code = ('import os\nbefore = os.fstat(0).st_ino, os.fstat(1).st_ino, os.fstat(2).st_ino\n'
                'def play(v, shape, seed):\n'
                '    return [float(os.fstat(i).st_ino == before[i]) for i in range(3)]\n'
                'serve(play, streams=(os.dup(0), os.dup(1)))\n')
        self.assertEqual(self.outputs(code, MECHANISM, ([0], [1, 2])), [[[1.0, 1.0, 1.0]] * 2])

    def test_whatever_a_play_raises_is_its_failure(self):
        play = ([0], [4])
        raised = 'def play(v, shape, seed):\n    %s\nserve(play)\n'
        said, _ = self.failure(raised % 'raise BrokenPipeError(32, "my own pipe")', MECHANISM, play)
        self.assertIn("run 1 (seed 4): BrokenPipeError: [Errno 32] my own pipe (adapter.py:3", said)
        said, _ = self.failure(raised % 'exit(3)', MECHANISM, play)
        self.assertIn("run 1 (seed 4): SystemExit: 3 (", said)
        said, _ = self.failure('class Mute(Exception):\n    def __str__(self): return 1 / 0\n' + raised % 'raise Mute',
                             MECHANISM, play)
        self.assertIn("run 1 (seed 4): Mute: (Mute that cannot be printed) (adapter.py:5", said)
        said, _ = self.error('class Mute:\n    def __repr__(self): return 1 / 0\nserve(lambda v, s, seed: Mute())',
                             dict(MECHANISM, outputs=1), play)
        self.assertEqual(said, "run 1 (seed 4): (Mute that cannot be printed) is not a number")
        said, _ = self.error('serve(lambda v, s, seed: 10 ** 400)', dict(MECHANISM, outputs=1), play)
        self.assertIn("000... is not a number", said)
        for arm in ("10 ** 400", "10 ** 5000"):
            said, _ = self.error(f'serve(lambda v, s, seed: [{arm}] * 4)', BANDIT, ([0] * 4, [4]))
            self.assertIn("entry 1: there is no arm ", said)
            self.assertLess(len(said), 200)

    def test_numbers_of_other_kinds_are_written(self):
        code = NUMBERS + 'serve(lambda v, s, seed: Array([Int64(2), 1.0, Array([0]), True]))\n'
        self.assertEqual(self.outputs(code, BANDIT, ([0] * 4, [1, 2])), [[[2, 1, 0, 1]] * 2])
        code = 'serve(lambda v, s, seed: (v[0], float("nan"), float("-inf")))\n'
        self.assertEqual(self.outputs(code, MECHANISM, ([0.5], [1])), [[[0.5, "nan", "-inf"]]])
        code = 'serve(lambda v, s, seed: v[0])\n'  # one number is a list of one
        self.assertEqual(self.outputs(code, dict(MECHANISM, outputs=1), ([0.5], [1])), [[[0.5]]])

    def test_numpy_where_there_is_one(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy")
        code = ('import numpy as np\n'
                'serve(lambda v, s, seed: np.array([np.random.random(), np.inf, np.float32(1)]))\n')
        first, again = self.outputs(code, MECHANISM, ([0.5], [5]), ([0.5], [5]))
        self.assertEqual(first, again)
        self.assertEqual(first[0][1:], ["inf", 1.0])
        code = 'import numpy as np\nserve(lambda v, s, seed: np.argmax(np.eye(3), axis=0).tolist() + [np.int64(1)])\n'
        self.assertEqual(self.outputs(code, BANDIT, ([0] * 4, [1])), [[[0, 1, 2, 1]]])

    def test_each_play_is_seeded(self):
        code = 'import random\nserve(lambda v, s, seed: [random.random(), seed, 0])\n'
        one, = self.outputs(code, MECHANISM, ([0], [7, 8, 7]))
        self.assertEqual(one[0], one[2])
        self.assertNotEqual(one[0], one[1])

    def streams_share_nothing(self, path):
        """Of all generators of a program, and those that it may make of the seed, no two share a value at any lag."""
        made = {"random": "random", "numpy": "numpy.random", "rng": "rng", "python": "random.Random(seed)",
                "words": "numpy.random.RandomState([seed & 0xFFFFFFFF, seed >> 32])",
                "small": "numpy.random.RandomState(seed & 0xFFFFFFFF)", "new": "numpy.random.default_rng(seed)",
                "a": 'random.Random(seed_for(seed, "a"))', "b": 'random.Random(seed_for(seed, "b"))',
                "own rng": 'random.Random(seed_for(seed, "rng"))'}
        code = ("import random, numpy\nfrom assay_target import *\ndef play(v, shape, seed, rng):\n    out = []\n"
                f"    for one in ({', '.join(made.values())}):\n"
                "        out += [float(one.random()) for _ in range(500)]\n    return out\nserve(play)\n")
        seeds = [0, 5, 2 ** 31, 2 ** 32, 2 ** 32 + 7, 2 ** 53 - 1]
        runs, again = self.outputs(code, dict(MECHANISM, outputs=500 * len(made)), ([0], seeds), ([0], seeds),
                                   path=path)
        self.assertEqual(runs, again)
        for seed, run in zip(seeds, runs):
            streams = {name: run[500 * i:500 * i + 500] for i, name in enumerate(made)}
            for one in made:
                for other in made:
                    same = {one, other} == {"python", "words"} and seed >= 2 ** 32
                    shared = len(set(streams[one]) & set(streams[other]))
                    self.assertEqual(shared, 500 if one == other or same else 0, (seed, one, other))
            self.assertEqual(len({tuple(one[:500]) for one in runs}), len(seeds))

    def keyed_streams_share_nothing(self, path):
        """The module's generators, of two keys and without: twelve streams, none related to another."""
        code = ("import random, numpy\nfrom assay_target import *\ndef play(v, shape, seed, rng):\n"
                "    return [float(one.random()) for one in (random, numpy.random, rng) for _ in range(300)]\n"
                "serve(play)\n")
        shape, keys = dict(MECHANISM, outputs=900), ["0" * 64, "f" * 63 + "e"]
        keyed, again, seeded = self.outputs(code, shape, ([0], [5, 2 ** 33], keys), ([0], [8, 9], keys),
                                            ([0], [5, 2 ** 33]), path=path)
        self.assertEqual(keyed, again)  # whatever the seed
        drawn = [value for run in keyed + seeded for value in run]
        self.assertEqual(len(set(drawn)), 4 * 900)

    def test_whichever_way_a_run_comes_to_a_shared_generator_it_is_seeded(self):
        """The first use seeds it: also late, after runs without one, and through a function that is held."""
        try:
            import numpy  # noqa: F401
            generators = ("random", "numpy.random")
        except ImportError:
            generators = ("random",)
        ways = ("here.random()", "here.uniform(0, 1)", "held()", "early()", "saved(here)", 
                "here.shuffle(x) or sum(10 ** i * one for i, one in enumerate(x))")
        keys = ["5" * 64, "a" * 64]
        for here in generators:
            get, put = ("getstate", "setstate") if here == "random" else ("get_state", "set_state")
            for way in ways:
                before = f"from {here} import random as early\n" if way == "early()" else ""
                code = (f"{before}import {here}, {here} as here\nfrom assay_target import *\nheld = None\n"
                        f"def saved(here):\n    state = here.{get}()\n    here.seed(3)\n    here.random()\n"
                        f"    here.{put}(state)\n    return here.random()\n"
                        "def play(v, shape, seed):\n    global held\n    x = [*range(9)]\n"
                        f"    held = held or here.random\n    return [float({way}) if v[0] else 0, 0, 0]\nserve(play)\n")
                idle, one, other, again = self.outputs(code, MECHANISM, ([0], [7, 7]), ([1], [7, 8], keys), ([1], [7, 8]),
                                                       ([1], [7, 8], keys))
                drawn = [run[0] for run in one + other]
                self.assertEqual((idle, again), ([[0, 0, 0]] * 2, one), (here, way))
                self.assertEqual(len(set(drawn)), 4, (here, way))
                self.assertEqual(self.outputs(code, MECHANISM, ([1], [8]))[0][0], other[1], (here, way))

    def test_what_spawns_from_rng_is_a_function_of_the_seed_and_of_the_key(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy")
        code = ("import numpy\ndef play(v, shape, seed, rng):\n"
                "    sequence = rng.bit_generator._seed_seq\n"
                "    children = sequence.spawn(1) + sequence.spawn(1)\n"
                "    return [numpy.random.default_rng(one).random() for one in children] + [rng.random()]\nserve(play)\n")
        outputs = self.outputs(code, MECHANISM, ([0], [7, 8]), ([0], [7, 8], ["5" * 64, "a" * 64]), ([0], [7, 8]))
        self.assertEqual(outputs[0], outputs[2])
        self.assertEqual(len({value for run in outputs[0] + outputs[1] for value in run}), 12)

    def test_with_a_key_every_generator_has_a_state_of_its_own(self):
        self.keyed_streams_share_nothing(FAKE_NUMPY + os.pathsep)
        code = 'import random\nserve(lambda v, s, seed, rng: [random.random(), rng.random(), rng.random()], keys=False)\n'
        answers, _, said = talk("from assay_target import *\n" + code, MECHANISM, [([0], [1], ["a" * 64])])
        self.assertIs(answers[0]["keys"], False, said)
        self.assertEqual(len(set(answers[1]["outputs"][0])), 3)

    def test_with_a_key_every_generator_of_the_real_numpy_has_a_state_of_its_own(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy")
        self.keyed_streams_share_nothing("")

    def test_every_generator_has_a_stream_of_its_own(self):
        self.streams_share_nothing(FAKE_NUMPY + os.pathsep)

    def test_every_generator_of_the_real_numpy_has_a_stream_of_its_own(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy")
        self.streams_share_nothing("")

    def unseeded(self, code, numpy="", environment={"ASSAY_PROTOCOL": "1"}):
        """What the module says that no seed reaches: without its place."""
        code = (f"from assay_target import *\nimport os, random, secrets, tempfile, uuid\n{numpy}\n"
                f"def play(v, shape, seed):\n    {code}\n    return [1, 2, 3]\nserve(play)\n")
        _, status, said = talk(code, MECHANISM, [([0], [1, 2])], environment)
        self.assertEqual(status, 0, said)
        begin = "assay_target: no seed reaches "
        self.assertTrue(all(line.startswith(begin) and line.endswith(" (adapter.py:5, in play)")
                            for line in said.splitlines()), said)
        return [line[len(begin):].split(" (")[0] for line in said.splitlines()]

    def test_what_no_seed_reaches_is_named_once(self):
        for code, name in (("os.urandom(8)", "os.urandom"), ("secrets.token_hex(4)", "secrets.token_hex"),
                           ("secrets.choice([1, 2])", "secrets"), ("uuid.uuid4()", "uuid.uuid4"),
                           ("random.SystemRandom().random()", "random.SystemRandom"),
                           ("random.Random().random()", "random.Random()"), ("random.seed()", "random.seed()")):
            self.assertEqual(self.unseeded(code), [name], code)
            self.assertEqual(self.unseeded(code, environment={}), [], "only Assay's programs are watched")
        self.assertEqual(self.unseeded("for _ in range(1000): secrets.randbelow(7)"), ["secrets.randbelow"])

    def test_what_a_seed_reaches_is_not_named_nor_what_python_does_for_itself(self):
        for code in ("random.random(), random.Random(seed).random(), random.seed(seed)", "tempfile.mkstemp()",
                     "uuid.uuid5(uuid.NAMESPACE_DNS, 'here')"):
            self.assertEqual(self.unseeded(code), [], code)

    def test_generators_of_the_real_numpy_without_a_seed_are_named(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy")
        for code, names in (("numpy.random.default_rng().random()", ["numpy.random.default_rng()"]),
                            ("numpy.random.RandomState().rand()", ["numpy.random.RandomState()"]),
                            ("numpy.random.Generator(numpy.random.Philox())", ["numpy.random.Philox()"]),
                            ("numpy.random.default_rng(seed), numpy.random.rand()", [])):
            self.assertEqual(self.unseeded(code, "import numpy"), names, code)

    def test_rng_is_given_to_whoever_takes_it(self):
        kinds = 'lambda r: [type(r).__module__ in ("random", "numpy.random"), 0, 0]'
        head = f'import functools, random\nkind = {kinds}\n'
        for play, takes in (("lambda v, s, seed, rng: kind(rng)", 1), ("lambda v, s, seed, r, /: kind(r)", 1),
                            ("lambda v, s, seed, rng=None: kind(rng)", 1), ("lambda v, s, seed, *, rng: kind(rng)", 1),
                            ("lambda v, s, seed, rng=5: kind(rng)", 0), ("lambda v, s, seed, r=5: kind(r)", 0),
                            ("lambda v, s, *rest: kind(rest[-1])", 0), ("functools.partial(lambda r, *_: kind(r), 5)", 0),
                            ("lambda v, s, rng: kind(rng)", 0)):
            for path in ("", FAKE_NUMPY + os.pathsep):
                code = head + ("import numpy\n" if path else "") + f"serve({play})\n"
                self.assertEqual(self.outputs(code, MECHANISM, ([0], [1]), path=path), [[[takes, 0, 0]]], play)
        # A class, and what has no signature that can be read.
        policy = ("class Policy:\n    def __init__(self, shape, rng): self.rng = rng\n"
                  "    def choose(self): return self.rng.randrange(3)\n    def update(self, *_): pass\n"
                  "serve_policy(Policy)\n")
        first, again = self.outputs(policy, BANDIT, ([0] * 4, [7, 8]), ([0] * 4, [7, 8]))
        self.assertEqual(first, again)
        mute = ("class Policy:\n    def __init__(self, *given): self.given = given\n"
                "    def choose(self): return len(self.given)\n    def update(self, *_): pass\n"
                "class Make:\n    __signature__ = 5\n    def __call__(self, *given): return Policy(*given)\n"
                "serve_policy(Make())\n")
        self.assertEqual(self.outputs(mute, BANDIT, ([0] * 4, [1])), [[[1] * 4]])

    def test_what_is_wrong_is_said_with_its_place(self):
        plays = ([0] * 4, [1, 2])
        said, _ = self.error('serve(lambda v, s, seed: [0] * (3 + (seed == 1)))', BANDIT, plays)
        self.assertEqual(said, "run 2 (seed 2): the run returned 3 of 4 actions, one a round")
        said, _ = self.error('serve(lambda v, s, seed: [0, 0, 3, 0])', BANDIT, plays)
        self.assertIn("entry 3: there is no arm 3: arms are whole numbers from 0 to 2", said)
        said, _ = self.error('serve(lambda v, s, seed: [0, 0, 0.5, 0])', BANDIT, plays)
        self.assertIn("entry 3: 0.5 is not an arm", said)
        said, _ = self.error('serve(lambda v, s, seed: None)', MECHANISM, ([0], [1]))
        self.assertIn("the run returned 1 of 3 numbers", said)
        said, trace = self.failure('def play(v, s, seed):\n    raise ValueError("no luck")\nserve(play)', BANDIT, plays)
        self.assertEqual(said, "run 2 (seed 2): ValueError: no luck (adapter.py:3, in play)")
        self.assertIn("Traceback", trace)
        self.assertNotIn("assay_target.py", trace)
        said, _ = self.error('serve(print, kind=("experts", "dueling"))', BANDIT)
        self.assertEqual(said, "is of --kind experts or dueling, not bandit")
        said, _ = self.error('serve(print, check=lambda shape: f"no {shape.arms} arms")', BANDIT)
        self.assertEqual(said, "no 3 arms")
        said, _ = self.failure('serve(lambda v, s, seed: s.dimension)', BANDIT, plays)
        self.assertIn("a shape of kind bandit has no dimension, only kind, arms, horizon", said)


    def test_a_play_that_fails_leaves_the_others_alone(self):
        code = ('def play(v, s, seed):\n    if seed == 2: raise KeyError("lost")\n    return [seed, v[0], 0]\nserve(play)')
        one, two = self.outputs(code, MECHANISM, ([5], [1, 2, 3]), ([6], [4]))
        self.assertEqual([one[0], one[2], two], [[1, 5, 0], [3, 5, 0], [[4, 6, 0]]])
        self.assertEqual(list(one[1]), ["failed"])
        self.assertIn("KeyError: 'lost'", one[1]["failed"])

    def test_an_input_that_is_none_is_refused(self):
        code = ('def play(v, s, seed):\n    if v[0] < 0: raise InvalidInput("below 0")\n    return [0, 0, 0]\nserve(play)')
        answers, status, _ = talk("from assay_target import *\n" + code, MECHANISM, [([-1], [1, 2]), ([1], [3])])
        self.assertEqual(answers[1], {"type": "invalid_input", "message": "below 0"})
        self.assertEqual((answers[2]["outputs"], status), ([[0, 0, 0]], 0))

    def test_want_of_memory_is_no_failure_of_the_play(self):
        answers, status, _ = talk("from assay_target import *\ndef play(v, s, seed): raise MemoryError\nserve(play)",
                                  MECHANISM, [([1], [1])])
        self.assertEqual((answers[-1]["type"], status), ("out_of_memory", 1))


class ServePolicy(Talk):
    LOG = """
class Policy:
    def __init__(self): self.seen = []
    def select_arm(self): return len(self.seen) % 3
    def update(self, *what): self.seen.append(what); print(what)
"""

    def test_an_object_of_an_earlier_run_is_refused(self):
        for code, runs in (("shared = Policy()\nserve_policy(lambda shape: shared)", [1, 2]),
                           ("pool = [Policy(), Policy(), Policy()]\n"
                            "serve_policy(lambda shape: pool[len(pool) and next(turn) % 3])", [1, 2, 3, 4])):
            code = "import itertools\nturn = itertools.count()\n" + self.LOG + code
            said, _ = self.error(code, BANDIT, ([0] * 4, runs))
            self.assertTrue(said.startswith(f"run {runs[-1]} (seed {runs[-1]}): make() returned an object that it"), said)
            self.assertIn("serve_policy(lambda shape: Policy(shape.arms))", said)
        # A new object may get the place of one that is gone.
        fresh = self.LOG + "serve_policy(lambda shape: Policy())"
        answers = self.outputs(fresh, BANDIT, ([0] * 4, list(range(50))))
        self.assertEqual(answers, [[[0, 1, 2, 0]] * 50])

    def test_plays_the_rounds_of_each_kind(self):
        def run(kind, shape, values, code=""):
            answers, status, said = talk("from assay_target import *\n" + self.LOG + code +
                                         f'\nserve_policy(lambda shape: Policy(), kind="{kind}")\n',
                                         dict(BANDIT, kind=kind, horizon=2, **shape), [(values, [1])])
            self.assertEqual(status, 0, said)
            return answers[1]["outputs"][0], said.split("\n")[:-1]
        self.assertEqual(run("bandit", {}, [0.5, 1]), ([0, 1], ["(0, 0.5)", "(1, 1)"]))
        self.assertEqual(run("experts", {}, [[0, 1, 1], [1, 0, 0]]), ([0, 1], ["([0, 1, 1],)", "([1, 0, 0],)"]))
        self.assertEqual(run("best-arm", {}, [[.1, .2, .3], [.4, .5, .6]], "Policy.recommend = lambda self: 2\n"),
                         ([0, 1, 2], ["(0, 0.1)", "(1, 0.5)"]))
        duels = "Policy.select_arm = lambda self: (len(self.seen), 2)\n"
        self.assertEqual(run("dueling", {}, [[0, 1, 1, 0, 0, 1, 0, 0, 0]] * 2, duels),
                         ([0, 2, 1, 2], ["(0, 2, True)", "(1, 2, True)"]))
        contexts = "Policy.select_arm = lambda self, contexts: int(contexts[2][0])\n"
        self.assertEqual(run("contextual", {"dimension": 1}, [[.1, .2, .3, 0, 0, 1], [.1, .2, .3, 0, 0, 2]], contexts),
                         ([1, 2], ["(1, 0.2, [[0], [0], [1]])", "(2, 0.3, [[0], [0], [2]])"]))

    def test_a_policy_is_made_for_each_play(self):
        code = self.LOG + 'serve_policy(lambda shape: Policy())\n'
        self.assertEqual(self.outputs(code, BANDIT, ([0] * 4, [1, 2])), [[[0, 1, 2, 0]] * 2])

    def test_functions_stand_for_methods(self):
        code = ('serve_policy(lambda shape: [], choose=lambda seen: len(seen) % 2,\n'
                '             update=lambda seen, arm, reward: seen.append(arm))\n')
        self.assertEqual(self.outputs(code, BANDIT, ([0] * 4, [1])), [[[0, 1, 0, 1]]])

    def test_what_an_output_has_beside_actions(self):
        shape = dict(BANDIT, kind="best-arm", numbers=1, estimates=2, stops=True)
        code = self.LOG + """
Policy.select_arm = lambda self: (len(self.seen), len(self.seen) / 4)
Policy.recommend = lambda self: 2
Policy.estimates = lambda self: [float("nan"), 0.5]
Policy.stopped = lambda self: len(self.seen) == 2
serve_policy(lambda shape: Policy(), kind="best-arm")
"""
        self.assertEqual(self.outputs(code, shape, ([[0, 0, 0]] * 4, [1])), [[[0, 0.0, 1, 0.25, 2, "nan", 0.5]]])
        said, _ = self.error('serve(lambda v, s, seed: [0, .5, 1])', dict(BANDIT, numbers=1, stops=True), ([0] * 4, [1]))
        self.assertIn("returned 3 entries: in a round 1 action and 1 number: that is not a whole number of rounds", said)
        said, _ = self.error('serve(lambda v, s, seed: [1, 0] * 4)', dict(BANDIT, numbers=1, estimates=1), ([0] * 4, [1]))
        self.assertIn("returned 8 of 9 entries: in a round 1 action and 1 number, then 1 estimate", said)
        code = 'serve(lambda v, s, seed: [(0, .5), (7, .5)])'
        said, _ = self.error(code, dict(BANDIT, numbers=1, stops=True), ([0] * 4, [1]))
        self.assertIn("entry 3: there is no arm 7", said)

    def test_attributes_stand_for_methods_where_they_are_named(self):
        code = self.LOG + ('Policy.done = property(lambda self: len(self.seen) == 2)\n'
                           'serve_policy(lambda shape: Policy()NAMED)\n')
        shape = dict(BANDIT, stops=True)
        for named in (', stop="done"', ', stop=lambda policy: policy.done'):
            self.assertEqual(self.outputs(code.replace("NAMED", named), shape, ([0] * 4, [1])), [[[0, 1]]])
        said, _ = self.error(code.replace("NAMED", ""), shape, ([0] * 4, [1]))
        self.assertIn("Policy.done is not a method: say stop=lambda policy: policy.done", said)
        said, _ = self.error(self.LOG + 'serve_policy(lambda shape: Policy(), update="seen")', BANDIT, ([0] * 4, [1]))
        self.assertIn("Policy has no method seen: name the one that it has with update=", said)

    def test_errors_name_the_round(self):
        code = self.LOG + 'Policy.select_arm = lambda self: exit("bye") if self.seen else 0\n'
        said, _ = self.failure(code + 'serve_policy(lambda shape: Policy())\n', BANDIT, ([0] * 4, [9]))
        self.assertIn("run 1 (seed 9), round 2: SystemExit: bye", said)
        code = self.LOG + 'Policy.select_arm = lambda self: len(self.seen) * 2\nserve_policy(lambda shape: Policy())\n'
        said, _ = self.error(code, BANDIT, ([0] * 4, [9]))
        self.assertIn("run 1 (seed 9), round 3: there is no arm 4", said)
        said, _ = self.error('serve_policy(lambda shape: object())', BANDIT, ([0] * 4, [9]))
        self.assertIn("object has no method choose or select_arm", said)
        self.assertIn("name the one that it has with choose=", said)


if __name__ == "__main__":
    unittest.main()
