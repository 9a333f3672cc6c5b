"""What of a set that was written before the rules were read is recognised, and what of it is taken for a secret?

`bench/data/secrets.jsonl` has a text a line. Where a secret stands is between `⟦` and `⟧`, and `{w36}` is where letters
and digits stand, here 36 of them, that are made anew for each seed; a text without these marks only looks like one that
holds a secret. What it showed has mended rules since.
"""

from __future__ import annotations

import base64
import random
import re
import string
from pathlib import Path

import msgspec

from recollect.ingest.secrets import mask_secrets

DATA = Path(__file__).parent / "data" / "secrets.jsonl"
_LETTERS, _MARKS = string.ascii_letters + string.digits, re.compile("[⟦⟧]")
_SIGNS = {
    "w": _LETTERS, "h": "0123456789abcdef", "d": string.digits, "u": string.ascii_uppercase + string.digits,
    "t": string.ascii_uppercase + "234567", "x": f"{_LETTERS}-_", "a": string.ascii_letters, "o": f"{_LETTERS}%",
    "k": re.sub("[0OIl]", "", _LETTERS), "p": f"{_LETTERS}!@#$%^&*-_+", "q": _LETTERS, "v": f"{_LETTERS}!-_+",
}  # fmt: skip
_PASSWORDS = "pqv"
"""Of each kind of sign those that a secret is made of; `b` stands for so many bytes in base64."""


def _fill(rng: random.Random, kind: str, count: int) -> str:
    if kind == "b":
        return base64.b64encode(rng.randbytes(count)).decode()
    while True:
        made = "".join(rng.choice(_SIGNS[kind]) for _ in range(count))
        mixed = all(any(map(of, made)) for of in (str.isdigit, str.isupper, str.islower)) and made[0].isalpha()
        if len(set(made)) > min(count, len(_SIGNS[kind])) // 3 and (mixed or kind not in _PASSWORDS):
            return made


def measure(seed: int) -> tuple[float, float, list[str], list[str]]:
    """Which share of the secrets is masked and of the others changed; and which were missed and taken."""
    rng = random.Random(seed)
    missed: list[str] = []
    taken: list[str] = []
    counts = [0, 0]
    for line in DATA.read_bytes().splitlines():
        text = re.sub(
            r"\{([a-z])(\d+)\}", lambda one: _fill(rng, one[1], int(one[2])), msgspec.json.decode(line, type=str)
        )
        before, *secret = _MARKS.split(text)
        counts[bool(secret)] += 1
        masked = mask_secrets(before + "".join(secret))[0]
        if secret and secret[0] in masked:
            missed.append(text)
        elif not secret and masked != text:
            taken.append(text)
    return 1 - len(missed) / counts[1], len(taken) / counts[0], missed, taken
