"""What did the first version of the store look like?

`retired_at IS NULL` marks the version of an object that holds now. Times are microseconds since 1970 in UTC.
"""

_CANONICAL = (
    """CREATE TABLE spaces(
        no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
        created_at INTEGER NOT NULL, metadata TEXT NOT NULL)""",
    """CREATE TABLE records(
        version INTEGER PRIMARY KEY AUTOINCREMENT, space_no INTEGER NOT NULL, id TEXT NOT NULL,
        kind TEXT NOT NULL, memory_type TEXT NOT NULL, title TEXT, text TEXT NOT NULL, role TEXT, room TEXT,
        session TEXT, position INTEGER NOT NULL, project TEXT, user TEXT, tags TEXT NOT NULL, source TEXT,
        locator TEXT, importance REAL NOT NULL, confidence REAL NOT NULL, status TEXT NOT NULL, trust TEXT NOT NULL,
        event_time INTEGER NOT NULL, created_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, retired_at INTEGER,
        valid_from INTEGER, valid_until INTEGER, superseded_by TEXT, hash BLOB NOT NULL, metadata TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX records_now ON records(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX records_past ON records(id, space_no, recorded_at) WHERE retired_at IS NOT NULL",
    "CREATE INDEX records_hash ON records(space_no, hash) WHERE retired_at IS NULL",
    "CREATE INDEX records_order ON records(space_no, created_at, version) WHERE retired_at IS NULL",
    """CREATE INDEX records_session ON records(space_no, session, position)
        WHERE retired_at IS NULL AND session IS NOT NULL""",
    """CREATE INDEX records_source ON records(space_no, source, position)
        WHERE retired_at IS NULL AND source IS NOT NULL""",
    "CREATE INDEX records_retired ON records(space_no, retired_at) WHERE retired_at IS NOT NULL",
    """CREATE TABLE entities(
        version INTEGER PRIMARY KEY AUTOINCREMENT, space_no INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
        type TEXT, description TEXT, aliases TEXT NOT NULL, user TEXT, metadata TEXT NOT NULL,
        created_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, retired_at INTEGER)""",
    "CREATE UNIQUE INDEX entities_now ON entities(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX entities_id ON entities(id, space_no, recorded_at)",
    "CREATE INDEX entities_space ON entities(space_no, version) WHERE retired_at IS NULL",
    """CREATE TABLE relations(
        version INTEGER PRIMARY KEY AUTOINCREMENT, space_no INTEGER NOT NULL, id TEXT NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, weight REAL NOT NULL,
        confidence REAL NOT NULL, provenance TEXT, valid_from INTEGER NOT NULL, valid_until INTEGER,
        metadata TEXT NOT NULL, created_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, retired_at INTEGER)""",
    "CREATE UNIQUE INDEX relations_now ON relations(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX relations_id ON relations(id, space_no, recorded_at)",
    "CREATE INDEX relations_subject ON relations(space_no, subject, predicate)",
    "CREATE INDEX relations_object ON relations(space_no, object)",
    """CREATE TABLE journal(
        entry INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, space TEXT NOT NULL, verb TEXT NOT NULL,
        object_type TEXT NOT NULL, object_id TEXT NOT NULL, before INTEGER, after INTEGER, actor TEXT, reason TEXT,
        undoes INTEGER)""",
    "CREATE INDEX journal_object ON journal(object_id, entry)",
    """CREATE TABLE accesses(
        space_no INTEGER NOT NULL, id TEXT NOT NULL, count INTEGER NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY(space_no, id)) WITHOUT ROWID""",
)

_DERIVED = (
    "CREATE TABLE made_by(what TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tallies(space_no INTEGER PRIMARY KEY, records INTEGER NOT NULL, length INTEGER NOT NULL)",
    "CREATE TABLE lexis(version INTEGER PRIMARY KEY, terms BLOB NOT NULL, names TEXT NOT NULL)",
    """CREATE VIRTUAL TABLE words USING fts5(
        tokens, content='', detail=none, columnsize=0, tokenize='ascii')""",
    """CREATE TABLE names(
        space_no INTEGER NOT NULL, name TEXT NOT NULL, entity TEXT NOT NULL, PRIMARY KEY(space_no, name, entity))
        WITHOUT ROWID""",
    """CREATE TABLE models(
        no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL, mean BLOB NOT NULL,
        floor REAL NOT NULL, spread REAL NOT NULL)""",
    """CREATE TABLE signs(
        vector INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, space_no INTEGER NOT NULL,
        version INTEGER NOT NULL, bits BLOB NOT NULL)""",
    "CREATE INDEX signs_space ON signs(model, space_no, vector)",
    "CREATE INDEX signs_version ON signs(version)",
    "CREATE TABLE halves(vector INTEGER PRIMARY KEY, half BLOB NOT NULL)",
    """CREATE TABLE queue(
        model INTEGER NOT NULL, space_no INTEGER NOT NULL, version INTEGER NOT NULL,
        PRIMARY KEY(model, space_no, version)) WITHOUT ROWID""",
    "CREATE INDEX queue_version ON queue(version)",
)

STATEMENTS = _CANONICAL + _DERIVED
