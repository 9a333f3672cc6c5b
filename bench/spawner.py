"""Spawns one command again and again, each time with another input, and says how long and how much memory each took.

It is run by itself and imports next to nothing: the kernel counts what a parent takes as what its child took at most.
What a command leaves to a process for which nobody waits is done before the next begins, as between two turns of an
agent: it would take the processor from that.
"""

import json
import os
import sys
import time

_HELD = 9


def spawn(command: list[str], data: bytes) -> tuple[float, float, float]:
    """Seconds until the child has closed its answer and ended, those of a processor, and megabytes at most."""
    to_child, ours = os.pipe()
    answer, to_us = os.pipe()
    left, held = os.pipe()  # open for as long as anything runs that the child began
    began = time.perf_counter()
    child = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, to_child, 0),
            (os.POSIX_SPAWN_DUP2, to_us, 1),
            (os.POSIX_SPAWN_DUP2, held, _HELD),
            (os.POSIX_SPAWN_CLOSE, ours),
            (os.POSIX_SPAWN_CLOSE, answer),
        ],
    )
    os.close(to_child)
    os.close(to_us)
    os.close(held)
    os.write(ours, data)
    os.close(ours)
    while os.read(answer, 65_536):
        continue
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter() - began
    os.close(answer)
    os.read(left, 1)
    os.close(left)
    if status:
        raise SystemExit(f"{command} ended with {status}")
    worked = usage.ru_utime + usage.ru_stime
    return took, worked, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def main() -> None:
    told = json.loads(sys.stdin.buffer.read())
    print(json.dumps([spawn(told["command"], one.encode()) for one in told["inputs"]]))


if __name__ == "__main__":
    main()
