"""Can many threads ask at once for a class that nobody has asked for before?"""

from __future__ import annotations

import subprocess
import sys

ASKED = """
import sys, threading, types
from recollect import forms

MANY = 8
sys.setswitchinterval(1e-6)
inner = "class Inner(Struct):\\n" + "".join(f"    a{n}: dict[str, list[int]] | None = None\\n" for n in range(20))
outer = "class Outer(Struct):\\n" + "".join(f"    b{n}: tuple[Inner, ...] = ()\\n" for n in range(20))
for number in range(40):
    module = sys.modules[f"made{number}"] = types.ModuleType(f"made{number}")
    exec("from __future__ import annotations\\nfrom msgspec import Struct\\n" + inner + outer, module.__dict__)
    together, read = threading.Barrier(MANY), []

    def ask(way):
        together.wait()
        given = b'{"b0": [{"a0": {"x": [1]}}], "b19": [{"a19": {"y": [2]}}]}'
        plain = {"b19": [{"a19": {"y": [2]}}]}
        one = forms.decode(given, module.Outer) if way % 2 else forms.convert(plain, module.Outer)
        read.append(one.b19[0].a19)

    threads = [threading.Thread(target=ask, args=(way,)) for way in range(MANY)]
    [one.start() for one in threads], [one.join() for one in threads]
    assert read == [{"y": [2]}] * MANY, read
"""


def test_threads_that_ask_at_once_for_a_class_all_get_their_values() -> None:
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
