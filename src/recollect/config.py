"""Where does every setting come from?

In this order: an argument, an environment variable `RECOLLECT_…`, `config.toml` in the store's folder, the default.
This is the only module that reads the environment.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from recollect.environment import HOOK_SECONDS, home_of
from recollect.errors import ConfigError
from recollect.forms import convert
from recollect.plain import part_complaint, told_value, told_wanted

_FILE = "config.toml"
_SECRET = ("embed_key", "summarizer_key", "passphrase", "token")
_FOLDERS = ("home", "backup_folder", "tls_cert", "tls_key")
_PASSWORD = re.compile(r"://[^/]*:.*@|[?&]\w*password=")
"""In the address of a database: one of its user, or among its options."""
_WORD = re.compile(r"'([^']+)'")
_Amount = Annotated[int, msgspec.Meta(ge=0)]
_Price = Annotated[float, msgspec.Meta(ge=0)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. Names in config.toml are these; in the environment RECOLLECT_ + upper case."""

    home: Path
    store: str | None = None
    """The address of a PostgreSQL database that keeps the memory; without one, it is a file in the folder."""
    embedder: str = "bundled"
    embed_model: str | None = None
    embed_url: str | None = None
    embed_key: str | None = None
    embed_dim: int | None = None
    embed_threads: int | None = None
    embed_delay: float = 1.0
    """Seconds of quiet after a write before vectors are computed in the background."""
    engine_embeddings: bool = True
    """As a worker of an iii engine: are vectors its `embedding::generate`'s, where it has that? Else the embedder's."""
    summarizer: str = "none"
    """Whose language model writes summaries: ollama, openai, anthropic, client (that of the agent), or none."""
    summarizer_model: str | None = None
    summarizer_url: str | None = None
    summarizer_key: str | None = None
    summarizer_daily_tokens: _Amount = 500_000
    """What a provider may be asked for in a day (UTC), read and written; 0 means no limit."""
    summarizer_daily_spend: _Price = 0.0
    """The same in money; 0 means no limit."""
    summarizer_price_in: _Price = 0.0
    """What a million tokens cost that the model reads; without prices nothing counts as spent."""
    summarizer_price_out: _Price = 0.0
    consolidate_schedule: str = "0 */6 * * *"
    """When a server of agentos lets unused memories fade: a cron expression in UTC, or off."""
    evict_schedule: str = "0 3 * * *"
    """When a server of agentos evicts stale memories: a cron expression in UTC, or off."""
    history_days: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None
    """So long history is kept: what ended earlier is removed for good, daily while a server runs. Unset: for ever."""
    backup_schedule: str = "30 2 * * *"
    """When `recollect up` backs the memory up: a cron expression in UTC, or off. What was missed is made up for."""
    backup_folder: str | None = None
    """Where those backups go; without one, to `backups` in the store's folder."""
    backup_keep: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 7
    """So many of the newest stay; of the four weeks before, one each."""
    backup_command: str | None = None
    """A command that is given each backup, to take it elsewhere; {path} in it stands for the file."""
    hook_seconds: Annotated[float, msgspec.Meta(gt=0, le=60)] = HOOK_SECONDS
    """So long a client's hook may look for something at the start of a session or at a prompt; then it is silent."""
    log_level: str = "warning"
    allow_private_addresses: bool = False
    """May pages be fetched from this machine and its network, not from the public web alone?"""
    passphrase: str | None = None
    """What exports are encrypted with, where that is asked for, and opened again."""
    shared: Literal["on", "off"] = "on"
    """Is a client served by the process that has the memory open already, if there is one? Else each has its own."""
    readers: Annotated[int, msgspec.Meta(ge=0, le=64)] | None = None
    """So many processes `recollect up` may start to answer recalls beside it. Unset: one; none on one processor."""
    vectors_mb: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None
    """So many megabytes of vectors are kept in memory to be compared again. Unset: 16; for `recollect up` 96."""
    rate: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Requests a second that the service answers to one client; 0 means no limit. Unset: 50 beyond this machine."""
    tls_cert: Path | None = None
    """The file with the certificates of the service; with `tls_key` it speaks HTTPS."""
    tls_key: Path | None = None
    oauth_issuer: str | None = None
    """Whose signed tokens the service lets in, beside its own: the address of an OAuth 2.1 authorization server."""
    oauth_resource: str | None = None
    """How that issuer knows the service: its address as clients see it."""
    token: str | None = None
    """What a client on the web must show; without one only this machine is served."""

    def __post_init__(self) -> None:
        for name in _FOLDERS:
            given: object = getattr(self, name)
            if isinstance(given, str):
                msgspec.structs.force_setattr(self, name, _folder(given, name))
            elif given is not None and not isinstance(given, Path):
                raise ConfigError(f"{name} must be a path, not {told_value(given)}")


def named_home(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder that `RECOLLECT_HOME` names, if it does."""
    named = environment.get("RECOLLECT_HOME", "").strip()
    return _folder(named, "RECOLLECT_HOME") if named else None


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """`RECOLLECT_HOME`, else the platform's folder for a user's data."""
    named = named_home(environment)
    if named is not None:
        return named
    return Path(home_of(environment))


def foreign_home(variable: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder that another program's variable names; `RECOLLECT_HOME` and `RECOLLECT_STORE` go before it."""
    named = environment.get(variable, "").strip()
    if not named or environment.get("RECOLLECT_STORE", "").strip() or named_home(environment) is not None:
        return None
    return _folder(named, variable)


def load_settings(home: str | os.PathLike[str] | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings for one store: that in a folder, or at a URL. A value that cannot be used is an error that names it."""
    url = home if isinstance(home, str) and "://" in home else None
    folder = default_home(environment) if home is None or url is not None else _folder(home, "folder")
    around = _from_environment(environment)
    if home is not None:
        around.pop("store", None)  # whoever names a place means that one, whatever the environment says
    values: dict[str, object] = {**_from_file(folder / _FILE), **around, "home": folder}
    if url is not None:
        values["store"] = url
    try:
        return convert(values, Settings, strict=False, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        raise ConfigError(_told_wrong(str(error), values, folder, environment)) from error


def _told_wrong(complaint: str, values: Mapping[str, object], folder: Path, environment: Mapping[str, str]) -> str:
    """Which setting is wrong, where it was set, and what it must be."""
    problem, name = part_complaint(complaint)
    if problem.startswith("Object contains unknown field"):
        return f"{folder / _FILE}: there is no setting {problem.split('`')[1]!r}"
    kind = Settings.__annotations__.get(name, "")
    known = f"be one of {', '.join(_WORD.findall(kind))}"
    wanted = known if problem.startswith("Invalid enum value") else told_wanted(problem)
    where = origin_of(name, folder, environment)
    said = where if where.startswith("RECOLLECT_") else f"{where}: {name}"
    return f"{said} must {wanted}, not {told_value(values.get(name))}"


class RustyMemSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What rusty-mem reads from the environment, under its own names (these, in upper case)."""

    qdrant_collection_name: str = "rusty-mem"
    search_default_limit: Annotated[int, msgspec.Meta(ge=1)] = 5
    search_max_limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 50
    search_default_score_threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.25
    summarization_max_words: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 250
    embedding_dimension: Annotated[int, msgspec.Meta(ge=1)] | None = None


def rusty_mem_settings(environment: Mapping[str, str] = os.environ) -> RustyMemSettings:
    """The settings of a rusty-mem server; one that cannot be used is an error that names its variable."""
    names = RustyMemSettings.__struct_fields__
    given = {name: environment.get(name.upper(), "").strip() for name in names}
    try:
        found = convert({k: v for k, v in given.items() if v}, RustyMemSettings, strict=False)
    except msgspec.ValidationError as error:
        wrong = next((name for name in names if f"$.{name}`" in str(error)), "")
        problem = str(error).partition(" - at ")[0].replace("`", "")
        raise ConfigError(f"{wrong.upper()}={given.get(wrong, '')}: {problem}") from error
    if found.search_default_limit > found.search_max_limit:
        raise ConfigError(
            f"SEARCH_DEFAULT_LIMIT={found.search_default_limit}: is above SEARCH_MAX_LIMIT ({found.search_max_limit})"
        )
    return found


class Around(NamedTuple):
    """The variables of the environment that settings come from: those to be shown, and the names of secret ones."""

    plain: Mapping[str, str]
    secret: Sequence[str]


def settings_around(
    home: str | os.PathLike[str] | None = None, environment: Mapping[str, str] = os.environ
) -> Around:  # fmt: skip
    """What a process with another environment would have to be given to find the same memory, with the same settings.

    A folder that is named by an argument goes before what the environment names, and is not among it.
    """
    found = {name: str(value) for name, value in _from_environment(environment).items()}
    named = named_home(environment)
    at_url = home is not None and "://" in str(home)
    if home is not None:
        found.pop("store", None)
    if at_url:
        found["store"] = str(home)
    if named is not None and (home is None or at_url):
        found["home"] = str(named)
    secret = [name for name, value in found.items() if name in _SECRET or (name == "store" and _PASSWORD.search(value))]
    plain = {
        f"RECOLLECT_{name.upper()}": str(_folder(value, name)) if name in _FOLDERS else value
        for name, value in found.items()
        if name not in secret
    }
    return Around(plain, [f"RECOLLECT_{name.upper()}" for name in secret])


def origin_of(name: str, home: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Where the value of a setting comes from, in words."""
    if name in _from_environment(environment):
        return f"RECOLLECT_{name.upper()}"
    return f"{home / _FILE}" if name in _from_file(home / _FILE) else "the default"


_FOREIGN_LEVELS = {
    "trace": "debug", "debug": "debug", "info": "info", "warn": "warning", "error": "error", "off": "error",
}  # fmt: skip


def foreign_log_level(variable: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The log level that another program's filter asks for (`info`, `its_module=debug,warn`); the last part counts."""
    parts = environment.get(variable, "").lower().split(",")
    levels = [_FOREIGN_LEVELS.get(part.rpartition("=")[2].strip()) for part in parts]
    return next((level for level in reversed(levels) if level is not None), None)


class ClientFolders(msgspec.Struct, frozen=True, kw_only=True):
    """Where programs that speak to us keep their own settings."""

    home: Path
    apps: Path
    """Holds a folder for each desktop program."""
    claude: Path
    codex: Path
    xdg: Path
    """Where programs keep settings that go by XDG on every platform."""
    named: tuple[Path, ...] = ()
    """Those that the environment names: a program may not start where such a one is missing."""


def client_folders(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> ClientFolders:
    """The folders of this user on this platform."""
    home = Path(environment.get("HOME") or Path.home())
    if platform == "darwin":
        apps = home / "Library" / "Application Support"
    elif platform == "win32":
        apps = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        apps = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    named = (environment.get(name) for name in ("APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"))
    return ClientFolders(
        named=tuple(Path(one) for one in named if one),
        home=home,
        apps=apps,
        claude=Path(environment.get("CLAUDE_CONFIG_DIR") or home),
        codex=Path(environment.get("CODEX_HOME") or home / ".codex"),
        xdg=Path(environment.get("XDG_CONFIG_HOME") or home / ".config"),
    )


def _folder(named: str | os.PathLike[str], setting: str) -> Path:
    """The folder that a setting names; an empty name is not taken for the working directory."""
    text = os.fspath(named)
    if not text.strip() or "\0" in text:
        raise ConfigError(f"{setting}: {text!r} names no folder")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:  # ~someone, where there is no such user
        raise ConfigError(f"{setting}: {text}: {error}") from error


def _to_path(type_: type, value: object) -> object:
    return type_(value)


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    names = [name for name in Settings.__struct_fields__ if name != "home"]
    found = {name: environment.get(f"RECOLLECT_{name.upper()}", "").strip() for name in names}
    return {name: value for name, value in found.items() if value}


def _from_file(path: Path) -> dict[str, object]:
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path}: it is a folder, a pipe or a device, and not a plain file")
    try:
        text = path.read_text("utf-8")
        import tomllib  # only where there is such a file: it costs start-up time

        values = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    if "home" in values:
        raise ConfigError(f"{path}: home cannot be set here; use RECOLLECT_HOME")
    return values
