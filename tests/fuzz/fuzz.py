"""Feeds everything that reads foreign bytes with bytes that nobody meant: `python -m tests.fuzz.fuzz --count 1000000`.

Inputs are mutations of what a target is meant for and of what was found before (`found/`, which stays in the project).
The seed decides all of them. An input that ends in anything but an answer or an error of ours, or takes over a second,
is written to `found/` and told.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import msgspec
from tests.fuzz.targets import TARGETS, Target

from recollect.errors import RecollectError

FOUND = Path(__file__).parent / "found"
LONGEST_SECONDS = 1.0
_MEMORY = 4 * 1024**3
_LONGEST = 20_000
_TOKENS = [
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
    b'"',
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"18446744073709551616",
    b"0.1",
    b"---\n",
    b"[[",
    b"]]",
    b"```",
    b"#",
    b"2026-99-99T00:00:00Z",
    b"9999-12-31T23:59:59.999999+14:00",
    b"<",
    b">",
    b"&amp;",
    b"../",
    b"\xe2\x80\xae",
    b"SELECT",
]
OURS = (RecollectError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a caller takes for bytes that mean nothing."""


def mutate(chance: random.Random, seeds: list[bytes]) -> bytes:
    """Some of what is meant, with a few things done to it."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randint(0, len(data))
        what = chance.randrange(7)
        if what == 0 and data:
            data[at - 1] = chance.randrange(256)
        elif what == 1:
            data[at:at] = chance.choice(_TOKENS)
        elif what == 2:
            del data[at : at + chance.choice((1, 1, 4, 30))]
        elif what == 3:
            data[at:at] = data[chance.randint(0, len(data)) :][: chance.choice((4, 40, 400))] * chance.choice(
                (1, 1, 3, 20)
            )
        elif what == 4:
            other = chance.choice(seeds)
            data[at:] = other[chance.randint(0, len(other)) :]
        elif what == 5:
            data[at:at] = chance.choice(_TOKENS) * chance.choice((2, 10, 300))
        else:
            del data[at:]
    return bytes(data[:_LONGEST]) if len(max(seeds, key=len)) < _LONGEST else bytes(data)


def change_in_place(chance: random.Random, seeds: list[bytes]) -> bytes:
    """One that is meant, with some bytes changed where they stand, or cut off."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 2, 4, 16, 64))):
        at = chance.choice((chance.randrange(min(len(data), 100)), chance.randrange(len(data))))
        some = bytes(chance.choices((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)), k=chance.choice((1, 1, 2, 4, 32))))
        data[at : at + len(some)] = some[: len(data) - at]
    return bytes(data[: chance.randrange(len(data))] if chance.random() < 0.1 else data)


def kept(name: str) -> list[bytes]:
    """What was found before."""
    return [path.read_bytes() for path in sorted(FOUND.glob(f"{name.replace(' ', '-')}-*"))]


def feed(target: Target, data: bytes) -> str | None:
    """What is wrong with how a target takes some bytes; None where nothing is."""
    began = time.process_time()  # what others do on the machine does not count
    try:
        target.feed(data)
    except OURS:
        pass
    except BaseException:  # noqa: BLE001  anything else is what is looked for
        return traceback.format_exc()
    seconds = time.process_time() - began
    return f"took {seconds:.1f} s" if seconds > LONGEST_SECONDS else None


def inputs(name: str, seed: int, count: int) -> Iterator[bytes]:
    target = TARGETS[name]
    seeds = [*target.seeds, *kept(name)]
    yield from seeds
    chance = random.Random(f"{seed} {name}")
    for _ in range(count):
        yield change_in_place(chance, seeds) if target.pages else mutate(chance, seeds)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    import resource  # which not every platform has

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    chosen = {name: target for name, target in TARGETS.items() if given.only in name}
    each = given.count // len(chosen)
    wrong = done = 0
    began = time.perf_counter()
    for name, target in chosen.items():
        started = time.process_time()
        for data in inputs(name, given.seed, each):
            done += 1
            problem = feed(target, data)
            if problem is not None:
                wrong += 1
                FOUND.mkdir(exist_ok=True)
                path = FOUND / f"{name.replace(' ', '-')}-{hashlib.sha256(data).hexdigest()[:12]}"
                path.write_bytes(data)
                print(f"{name}: {path.name}\n{problem}", flush=True)
                if wrong > 20:
                    return 1
        print(f"{name}: {each:,} inputs, {time.process_time() - started:.0f} s", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{done:,} inputs in {time.perf_counter() - began:.0f} s, seed {given.seed}, {wrong} wrong, peak {peak:.0f} MB"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
