"""Which folders were made for clients' files, so that they go again with what was written into them?

A folder that was there before stays, also where it is empty without us. The list stands beside the store; where it
cannot be written, nothing is removed later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from recollect import private

FILE = "made-folders.json"


def missing_above(path: Path) -> list[Path]:
    """The folders that a file needs and that are not there, the innermost first."""
    return [folder for folder in path.resolve().parents if not folder.exists()]


def note_made(home: Path, folders: Sequence[Path]) -> None:
    """Keeps that some folders were made, and the one beside the store for that, if it was."""
    if not folders:
        return
    with suppress(OSError):
        own = missing_above(home / FILE)
        private.make_folder(home)
        _write(home, dict.fromkeys([*read_made(home), *folders, *own]))


def read_made(home: Path) -> list[Path]:
    try:
        return [Path(str(one)) for one in json.loads(private.read_file(home / FILE))]
    except (OSError, ValueError):
        return []


def drop_made(home: Path, paths: Iterable[Path], left: Iterable[Path]) -> None:
    """Removes those of the folders above some files that were made for them and are empty now.

    Where one holds what others put there, it is theirs from now on, unless something of ours is `left` in it.
    """
    made = read_made(home)
    if not made:
        return
    needed = {folder for path in left for folder in path.resolve().parents}
    for folder in [folder for path in paths for folder in path.resolve().parents]:
        if (
            folder in made
            and folder not in needed
            and (_is_removed(folder) or not any(folder in other.parents for other in made))
        ):
            made.remove(folder)
    own = [folder for folder in (home / FILE).resolve().parents if folder in made]
    with suppress(OSError):
        if set(made) == set(own):
            (home / FILE).unlink(missing_ok=True)
            all(map(_is_removed, own))  # from the innermost outwards, up to the first that holds something
        else:
            _write(home, made)


def _is_removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _write(home: Path, folders: Iterable[Path]) -> None:
    private.write_text(home / FILE, json.dumps([str(folder) for folder in folders], indent=1) + "\n")
