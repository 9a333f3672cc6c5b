"""How is a file encrypted with a passphrase, so that other programs can open it?

As age does it (https://age-encryption.org/v1): scrypt makes a key of the passphrase, ChaCha20-Poly1305 encrypts and
authenticates, 64 KiB at a time, so that a file of any size takes little memory. `age -d FILE` opens what is written
here, without us.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import os
import unicodedata
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from typing_extensions import Buffer

INTRO = b"age-encryption.org/v1\n"
CHUNK = 64 * 1024
_TAG = 16
_WORK = 17
"""Two to the power of it: how hard a passphrase is to guess. It takes 128 MB of memory, once for each file."""
_MOST_WORK = 18
"""As hard as age makes it itself. That takes 256 MB; what asks for more, asks for all of a machine's memory."""
_LONGEST_LINE = 1024


class Writer:
    """What is written goes into a file encrypted; `finish` writes the last of it."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file = file
        self._held = bytearray()
        self._number = 0
        key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
        body = ChaCha20Poly1305(_wrapping(unicodedata.normalize("NFC", passphrase), salt, _WORK)).encrypt(
            bytes(12), key, None
        )
        head = INTRO + b"-> scrypt %b %d\n%b\n---" % (_base64(salt), _WORK, _base64(body))
        file.write(head + b" " + _base64(_mac(key, head)) + b"\n" + nonce)
        self._cipher = ChaCha20Poly1305(_derived(key, nonce, b"payload"))

    def write(self, data: bytes) -> None:
        self._held += data
        while len(self._held) > CHUNK:  # the last chunk is marked as such, and is not known before the end
            self._put(bytes(self._held[:CHUNK]), last=False)
            del self._held[:CHUNK]

    def finish(self) -> None:
        self._put(bytes(self._held), last=True)

    def _put(self, data: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), data, None))
        self._number += 1


class Reader(io.RawIOBase):
    """What an encrypted file says, decrypted on the way. What is not as it was written is refused."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        super().__init__()
        self._file = file
        self._number = 0
        self._held = b""
        self._over = False
        key = _read_key(file, passphrase)
        self._cipher = ChaCha20Poly1305(_derived(key, file.read(16), b"payload"))
        self._begin, self._at = file.tell(), 0
        self._next = file.read(CHUNK + _TAG)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a byte of what is said, counted from its beginning or from where it was read to."""
        self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        self._number, skipped = divmod(self._at, CHUNK)
        self._file.seek(self._begin + self._number * (CHUNK + _TAG))
        self._next, self._held, self._over = self._file.read(CHUNK + _TAG), b"", False
        self._held = self._chunk()[skipped:]
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        while not self._held and not self._over:
            self._held = self._chunk()
        view = memoryview(buffer).cast("B")
        some = self._held[: len(view)]
        view[: len(some)] = some
        self._held = self._held[len(some) :]
        self._at += len(some)
        return len(some)

    def _chunk(self) -> bytes:
        data, self._next = self._next, self._file.read(CHUNK + _TAG)
        self._over = not self._next
        try:
            found = self._cipher.decrypt(_nonce(self._number, last=self._over), data, None)
        except (InvalidTag, ValueError) as error:
            raise InvalidInput("file", "was cut off, or changed since it was written; nothing was taken") from error
        self._number += 1
        return found


def _read_key(file: BinaryIO, passphrase: str) -> bytes:
    """The key of a file, which its head keeps for whoever knows the passphrase."""
    lines = [file.readline(_LONGEST_LINE) for _ in range(4)]
    try:
        arrow, kind, salt, work = lines[1].split()
        mark, mac = lines[3].split()
        if (lines[0], arrow, kind, mark) != (INTRO, b"->", b"scrypt", b"---"):
            raise ValueError(kind)
        effort, sealed, salt, mac = int(work), _unbase64(lines[2].strip()), _unbase64(salt), _unbase64(mac)
    except ValueError as error:
        raise InvalidInput("file", "is not encrypted with a passphrase, or its first lines are damaged") from error
    if not 1 <= effort <= _MOST_WORK:
        raise InvalidInput("file", f"asks for more work than is sensible: 2^{effort}, and not at most 2^{_MOST_WORK}")
    key = _unsealed(passphrase, salt, effort, sealed)
    if not hmac.compare_digest(mac, _mac(key, b"".join(lines[:3]) + b"---")):
        raise InvalidInput("file", "was changed since it was written: its first lines are others")
    return key


def _unsealed(passphrase: str, salt: bytes, effort: int, sealed: bytes) -> bytes:
    """What a passphrase opens in one of the forms in which its letters may have been typed: composed, which we write
    since then; as it is given, which was written before; decomposed.
    """
    forms = (unicodedata.normalize("NFC", passphrase), passphrase, unicodedata.normalize("NFD", passphrase))
    problem: InvalidTag | ValueError | None = None
    for form in dict.fromkeys(forms):
        try:
            return ChaCha20Poly1305(_wrapping(form, salt, effort)).decrypt(bytes(12), sealed, None)
        except (InvalidTag, ValueError) as error:
            problem = error
    raise InvalidInput("passphrase", "does not open this file") from problem


def _wrapping(passphrase: str, salt: bytes, work: int) -> bytes:
    salt, most = b"age-encryption.org/v1/scrypt" + salt, 2**work * 1024 + 2**20
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=2**work, r=8, p=1, maxmem=most, dklen=32)


def _derived(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    """HKDF with SHA-256, of which one block is enough."""
    return hmac.digest(hmac.digest(salt or bytes(32), key, "sha256"), purpose + b"\x01", "sha256")


def _mac(key: bytes, head: bytes) -> bytes:
    return hmac.digest(_derived(key, b"", b"header"), head, "sha256")


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _base64(data: bytes) -> bytes:
    return b64encode(data).rstrip(b"=")


def _unbase64(text: bytes) -> bytes:
    return b64decode(text + b"=" * (-len(text) % 4), validate=True)
