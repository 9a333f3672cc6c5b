"""Where does somebody work who works in a folder?

In the git repository around it, or else in that folder. No process is started: git's own files are read, which are
small. A worktree and every clone of one remote are the same place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

_MOST_CONFIG = 1_000_000  # bytes; a configuration has a few hundred
_LONGEST = 200
_SECTION = re.compile(r"\[\s*(?P<name>[\w.-]+)(?:\s+\"(?P<which>[^\"]*)\")?\s*\]")
_URL = re.compile(r"url\s*=\s*(?P<url>\S+)")
_ADDRESS = re.compile(r"(?:\w[\w+.-]*://)?(?:[^/@]*@)?(?P<host>[^/:@]{2,}|)(?:(?<=.):\d+(?=/)|(?<=.):)?(?P<path>.*)")
_SCP = re.compile(r"[^/@\\]+@[^/:\\]+:")  # git@host:owner/name
_FOR_ALL = ("/tmp", "/var/tmp", "/private/tmp")  # folders in which nobody works on something of their own


class Workplace(Struct, frozen=True):
    """A repository, or a `plain` folder: its name, its folder, and the address of its remote where it has one."""

    name: str
    folder: str
    remote: str | None = None
    plain: bool = False

    def names(self) -> Iterator[str]:
        """What it may be called: its name, and then with ever more of what stands before it."""
        yield self.name
        parts = [part for part in (self.remote or self.folder).replace("\\", "/").split("/") if part]
        for count in range(2, len(parts) + 1):
            yield "/".join(parts[-count:])[-_LONGEST:]


def find_workplace(folder: str | os.PathLike[str]) -> Workplace | None:
    """The repository around a folder, or else the folder; None where that is the home of all one's work, or is not
    there or cannot be read.
    """
    try:
        start = Path(folder).expanduser().absolute()
        for place in (start, *start.parents):
            git = _git_folder(place / ".git")
            if git is not None:
                return _repository(git, place)
        if not start.is_dir() or str(start) in _FOR_ALL or start in (home := Path.home(), *home.parents):
            return None
        return Workplace(name=start.name[:_LONGEST], folder=str(start), plain=True)
    except (OSError, ValueError, RuntimeError):  # such as a folder that is not ours to read
        return None


def _git_folder(dot_git: Path) -> Path | None:
    """Where git keeps the repository's own files: `.git`, or where a worktree's or a submodule's file points."""
    if dot_git.is_dir():
        return dot_git if (dot_git / "HEAD").is_file() else None
    if not dot_git.is_file():
        return None
    told = _read(dot_git).strip()
    if not told.startswith("gitdir:"):
        return None
    own = dot_git.parent / told.removeprefix("gitdir:").strip()
    common = own / "commondir"
    return (own / _read(common).strip()).resolve() if common.is_file() else own.resolve()


def _repository(git: Path, place: Path) -> Workplace | None:
    config = git / "config"
    remotes = _remotes(_read(config)) if config.is_file() else {}
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    home = git.parent if git.name == ".git" else place  # of a worktree: the repository that it belongs to
    called = None if url is None else remote_name(url)
    name = called or home.name[:_LONGEST]
    if not name:
        return None
    if url is None or called is None:
        return Workplace(name, str(home))
    return Workplace(name, str(home), remote_address(os.path.normpath(home / url) if url.startswith(".") else url))


def _remotes(config: str) -> dict[str, str]:
    """The first address of each remote."""
    found: dict[str, str] = {}
    remote: str | None = None
    for line in map(str.strip, config.splitlines()):
        if section := _SECTION.match(line):
            remote = section["which"] if section["name"].lower() == "remote" else None
        elif remote is not None and (told := _URL.match(line)):
            found.setdefault(remote, told["url"].strip('"'))
    return found


def remote_name(url: str) -> str | None:
    """The last part of a remote's address, without what programs add to it: `git@host:owner/name.git` is `name`."""
    last = re.split(r"[/:\\]", _bare(url).rstrip("/\\"))[-1].removesuffix(".git")
    return last[:_LONGEST] if last.strip(".") else None


def _bare(url: str) -> str:
    """A remote's address without what may stand behind it, such as a token."""
    return re.split(r"[?#]", url, maxsplit=1)[0] if "://" in url or _SCP.match(url) else url


def remote_address(url: str) -> str:
    """Where a remote is, however one gets there: `git@host:owner/name.git` is `host/owner/name`."""
    whole = _bare(url).replace("\\", "/").rstrip("/").removesuffix(".git").rstrip("/")
    found = _ADDRESS.fullmatch(whole)
    if found is None or not found["host"] or (len(whole) > 1 and whole[1] == ":"):
        return whole.removeprefix("file://")
    return f"{found['host'].lower()}/{found['path'].strip('/')}"


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_CONFIG).decode("utf-8", "replace")
