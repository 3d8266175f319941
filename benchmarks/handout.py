#!/usr/bin/env python3
"""What a command would gain from many ranks: a simulation of how rank 0 hands out chunks (cli/processes_mpi.cpp).

    build/release/benchmarks/chunk_times simulate ts-fig2 repetitions=800 > small.csv
    build/release/benchmarks/chunk_times simulate ts-fig2 repetitions=3200 > chunks.csv
    benchmarks/handout.py chunks.csv [--smaller small.csv] [--work 3600] [--ranks 10,100,1000] ...

chunk_times runs the command on one core and prints a line for each chunk: loop,chunk,seconds,bytes. The simulation
draws chunks of these times and sizes until they make --work seconds of one core, and runs them on ranks of one core
each. A rank asks rank 0 for chunks and sends the values of its last ones; for short chunks it asks before it needs
them. Rank 0 looks for messages now and then, and serves one after another. After a loop all values go to all ranks.
What happens between the loops, all ranks do; its time grows with the work, or if there is a smaller run, along the line
through both. So do the chunks of a loop that has as many in both. Efficiency is the time of one rank divided by
ranks times the time until the last rank has all values; starting the processes is not part of it.

--slow 0.02:2 makes 2% of the ranks twice as slow. A rank dies after a random time of mean --dies hours; the command
then starts again after --restart seconds with the chunks that rank 0 had.
"""
import argparse
import collections
import csv
import heapq
import math
import random

SERVICE = 2e-6  # seconds in which rank 0 answers a request, without the copying of a value
AHEAD = 4e-3  # seconds of work that a rank asks for at once; and before it is idle, if a chunk takes less than
LONG = 20e-3  # this
LOOK = 1e-3  # seconds, at most, between two looks of rank 0; in a young loop a part of its time


class Loop:
    """Its chunks (seconds, bytes), and the seconds before it."""

    def __init__(self, before=0.0, chunks=()):
        self.before, self.chunks = before, list(chunks)

    def seconds(self):
        return self.before + sum(seconds for seconds, _ in self.chunks)


def read_chunks(path):
    """The loops in order; the last has no chunks."""
    loops = collections.defaultdict(Loop)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            loop = loops[int(row["loop"])]
            if int(row["chunk"]) < 0:
                loop.before = float(row["seconds"])
            else:
                loop.chunks.append((float(row["seconds"]), int(row["bytes"])))
    if not loops:
        raise SystemExit(f"handout: {path} has no chunks")
    return [loops[loop] for loop in sorted(loops)]


def grown(seconds, small_seconds, sizes, factor):
    """What takes `seconds` in a run, and `small_seconds` in the smaller one, takes in one `factor` times as long."""
    size, small_size = sizes
    return max(seconds, seconds + (seconds - small_seconds) / (size - small_size) * (factor - 1) * size)


def scaled(loops, smaller, work, random_source):
    """Loops of the same kind with `work` seconds in all. Each has more, or fewer, chunks of its own times; or as many as
    before, which take longer, if the smaller run has as many too."""
    size = sum(loop.seconds() for loop in loops)
    factor = work / size
    if smaller and len(smaller) != len(loops):
        raise SystemExit("handout: the smaller run has other loops")
    sizes = (size, sum(loop.seconds() for loop in smaller))
    out = []
    for i, loop in enumerate(loops):
        before, drawn = factor * loop.before, []
        inside = loop.seconds() - loop.before
        if smaller:
            before = grown(loop.before, smaller[i].before, sizes, factor)
        if smaller and loop.chunks and len(smaller[i].chunks) == len(loop.chunks):
            ratio = grown(inside, smaller[i].seconds() - smaller[i].before, sizes, factor) / inside
            drawn = [(seconds * ratio, size) for seconds, size in loop.chunks]
        share = 0 if drawn else factor * inside
        while share > 0:
            chunk = random_source.choice(loop.chunks)
            if chunk[0] > share and drawn:
                break
            drawn.append(chunk)
            share -= max(chunk[0], 1e-9)
        out.append(Loop(before, drawn))
    return out


class Machine:
    def __init__(self, ranks, options, random_source):
        self.ranks, self.options, self.random = ranks, options, random_source
        share, factor = options.slow
        slow = round(share * ranks)
        self.speeds = [1 / factor] * slow + [1.0] * (ranks - slow)

    def loop(self, chunks, start, death):
        """Runs chunks from `start` on. The time of the end and the chunks that are left: none, unless a rank dies."""
        latency, bandwidth = self.options.latency * 1e-6, self.options.bandwidth * 1e9
        count, following, finished, end, free = len(chunks), 0, set(), start, start
        mean = sum(seconds for seconds, _ in chunks) / count
        is_ahead = mean < LONG
        wanted = max(1, round(AHEAD / mean)) if is_ahead else 1
        held = [range(0)] * self.ranks  # chunks whose values are not sent yet
        busy = [start] * self.ranks
        requests = []  # (time at which it reaches rank 0, rank, chunks whose values it brings)

        def give(rank, size, at):
            nonlocal following
            given = range(following, min(count, following + size))
            following = given.stop
            begin = max(at, busy[rank])
            busy[rank] = begin + sum(chunks[i][0] for i in given) / self.speeds[rank]
            if is_ahead and given:
                heapq.heappush(requests, (begin + latency, rank, held[rank]))
                held[rank] = given
            else:
                heapq.heappush(requests, (busy[rank] + latency, rank, given or held[rank]))
                held[rank] = range(0)

        order = list(range(self.ranks))
        self.random.shuffle(order)
        for rank in order:
            give(rank, min(4, max(1, count // (4 * self.ranks))), start)
        while requests:
            arrives, rank, brought = heapq.heappop(requests)
            if arrives > death:
                return death, [one for i, one in enumerate(chunks) if i not in finished]
            look = min(LOOK, (arrives - start) / 32)
            size = sum(chunks[i][1] for i in brought)
            free = max(free, arrives + self.random.random() * look) + SERVICE + size / bandwidth
            finished.update(brought)
            end = max(end, free)
            if following < count or held[rank]:
                give(rank, min(wanted, max(1, (count - following) // (4 * self.ranks))), free + latency)
        spread = sum(size for _, size in chunks) / bandwidth
        rounds = math.ceil(math.log2(self.ranks)) if self.ranks > 1 else 0
        # Long messages are scattered in parts, which all ranks then gather: each byte leaves and reaches a rank about
        # once. Short ones go down a tree.
        return end + min(rounds * (latency + spread), 2 * rounds * latency + 2 * spread), []

    def run(self, loops):
        """Seconds until all loops are done, with the restarts that deaths cost."""
        now, restarts = 0.0, 0
        death = self.next_death(now)
        for loop in loops:
            now += loop.before
            chunks = loop.chunks
            while chunks:
                now, chunks = self.loop(chunks, now, death)
                if chunks:
                    restarts += 1
                    now += self.options.restart
                    death = self.next_death(now)
        return now, restarts

    def next_death(self, now):
        if not self.options.dies:
            return math.inf
        return now + self.random.expovariate(self.ranks / (self.options.dies * 3600))


def parse_slow(text):
    share, _, factor = text.partition(":")
    return float(share), float(factor or 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chunks", help="the CSV file that chunk_times printed")
    parser.add_argument("--smaller", help="that of a smaller run of the same command")
    parser.add_argument("--work", type=float, default=3600, help="seconds of one core (default 3600)")
    parser.add_argument("--ranks", default="1,10,100,300,1000,3000,10000")
    parser.add_argument("--latency", type=float, default=10, help="microseconds of a message (default 10)")
    parser.add_argument("--bandwidth", type=float, default=1, help="gigabytes per second (default 1)")
    parser.add_argument("--slow", type=parse_slow, default=(0.0, 1.0), metavar="SHARE:FACTOR")
    parser.add_argument("--dies", type=float, default=0, metavar="HOURS", help="mean life of a rank; 0: none dies")
    parser.add_argument("--restart", type=float, default=10, help="seconds (default 10)")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    loops = read_chunks(options.chunks)
    smaller = read_chunks(options.smaller) if options.smaller else []
    print(f"{'ranks':>7} {'chunks':>8} {'seconds':>9} {'efficiency':>11} {'restarts':>9}")
    for ranks in (int(one) for one in options.ranks.split(",")):
        seconds, efficiency, restarts, count = [], [], 0, 0
        for repetition in range(options.repetitions):
            source = random.Random(f"{options.seed} {ranks} {repetition}")
            work = scaled(loops, smaller, options.work, source)
            count = sum(len(loop.chunks) for loop in work)
            took, died = Machine(ranks, options, source).run(work)
            seconds.append(took)
            restarts += died
            efficiency.append(sum(loop.seconds() for loop in work) / (ranks * took))
        print(f"{ranks:7} {count:8} {sorted(seconds)[len(seconds) // 2]:9.2f} "
              f"{sorted(efficiency)[len(efficiency) // 2]:11.3f} {restarts / options.repetitions:9.1f}")


if __name__ == "__main__":
    main()
