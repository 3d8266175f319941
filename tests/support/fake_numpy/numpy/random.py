"""numpy.random's generators. The Mersenne twister's streams are numpy's own (seeded by one number, or by words as
CPython's `random` is); those of PCG64 are numpy's for a state, not for a seed."""
import hashlib
import random as _python

_LOW = 0xFFFFFFFF


def _seeded_by_number(seed):
    words = [seed & _LOW]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + i) & _LOW)
    return words


def _seeded_by_words(key):
    words = _seeded_by_number(19650218)
    i, j = 1, 0
    for step in range(max(624, len(key)) + 623):
        before = words[i - 1] ^ words[i - 1] >> 30
        if step < max(624, len(key)):
            words[i] = ((words[i] ^ before * 1664525) + key[j] + j) & _LOW
            j = (j + 1) % len(key)
        else:
            words[i] = ((words[i] ^ before * 1566083941) - i) & _LOW
        i += 1
        if i == 624:
            words[0] = words[623]
            i = 1
    words[0] = 0x80000000
    return words


class RandomState:
    def __init__(self, seed=0):
        self._twister = _python.Random(0)
        self.seed(seed)

    def seed(self, seed):
        words = _seeded_by_number(seed) if isinstance(seed, int) else _seeded_by_words(list(seed))
        self.set_state(("MT19937", words, 624))

    def set_state(self, state):
        name, words, at = state[:3]
        if name != "MT19937" or len(words) != 624:
            raise ValueError("a state of the Mersenne twister")
        self._twister.setstate((3, tuple(int(word) for word in words) + (at,), None))

    def random(self, size=None):
        return self._twister.random() if size is None else [self._twister.random() for _ in range(size)]


class PCG64:
    def __init__(self, seed=0):
        key = hashlib.sha512(f"seed {seed}".encode()).digest()
        self.state = {"bit_generator": "PCG64", "has_uint32": 0, "uinteger": 0,
                      "state": {"state": int.from_bytes(key[:16], "big"), "inc": int.from_bytes(key[16:32], "big") | 1}}

    def next_word(self):
        of = self.state["state"]
        of["state"] = (of["state"] * 0x2360ED051FC65DA44385DF649FCCF645 + of["inc"]) % 2 ** 128
        word, by = (of["state"] >> 64 ^ of["state"]) % 2 ** 64, of["state"] >> 122
        return (word >> by | word << 64 - by) % 2 ** 64


class Generator:
    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    def random(self):
        return (self.bit_generator.next_word() >> 11) * 2.0 ** -53


def default_rng(seed):
    return Generator(PCG64(seed))


_global = RandomState()
seed, set_state, random = _global.seed, _global.set_state, _global.random
