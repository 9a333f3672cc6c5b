"""How is a file encrypted with a passphrase, so that other programs can open it?

As age does it (https://age-encryption.org/v1): scrypt makes a key of the passphrase, ChaCha20-Poly1305 encrypts and
authenticates. `age -d FILE` opens what is written here, without us.
"""

from __future__ import annotations

from typing import Any, cast

import pyrage

from recollect.errors import InvalidInput

_age = cast("Any", pyrage)  # it comes without types


def encrypt(data: bytes, passphrase: str) -> bytes:
    return cast("bytes", _age.passphrase.encrypt(data, passphrase))


def decrypt(data: bytes, passphrase: str) -> bytes:
    try:
        return cast("bytes", _age.passphrase.decrypt(data, passphrase))
    except _age.DecryptError as error:
        raise InvalidInput("passphrase", f"does not open this file: {error}") from error
