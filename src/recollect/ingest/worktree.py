"""Which project does a folder belong to?

That of the git repository around it: the name of its remote, or else of its folder. No process is started: git's own
files are read, which are small. A worktree and every clone of one remote are the same project.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOST_CONFIG = 1_000_000  # bytes; a configuration has a few hundred
_LONGEST = 200
_SECTION = re.compile(r"\[\s*(?P<name>[\w.-]+)(?:\s+\"(?P<which>[^\"]*)\")?\s*\]")
_URL = re.compile(r"url\s*=\s*(?P<url>\S+)")


def project_of(folder: str | os.PathLike[str]) -> str | None:
    """The project that a folder belongs to; None outside of any repository, and where it cannot be read."""
    try:
        start = Path(folder).expanduser().absolute()
        for place in (start, *start.parents):
            git = _git_folder(place / ".git")
            if git is not None:
                return _name_of(git, place)
    except (OSError, ValueError, RuntimeError):  # such as a folder that is not ours to read
        return None
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


def _name_of(git: Path, place: Path) -> str | None:
    config = git / "config"
    remotes = _remotes(_read(config)) if config.is_file() else {}
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    home = git.parent if git.name == ".git" else place  # of a worktree: the repository that it belongs to
    return (None if url is None else remote_name(url)) or home.name[:_LONGEST] or None


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
    last = re.split(r"[/:\\]", url.rstrip("/\\"))[-1].removesuffix(".git")
    return last[:_LONGEST] if last.strip(".") else None


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_CONFIG).decode("utf-8", "replace")
