"""How did the schema of a PostgreSQL store come to have the shape it has?

A list that is only ever appended to. Each entry is the statements of one step; the table `format` says how many were
applied, and all that are missing are applied in one transaction, by one process at a time.

Texts are compared byte by byte, as SQLite does, whatever the language of the database. `@vector` stands for the schema
that pgvector was installed in.
"""

_TEXT = 'text COLLATE "C"'
_TABLES = (
    "CREATE TABLE numbers(name text PRIMARY KEY, last bigint NOT NULL)",
    "INSERT INTO numbers SELECT unnest(ARRAY['spaces', 'records', 'entities', 'relations', 'journal', 'models',"
    " 'pieces']), 0",
    f"""CREATE TABLE spaces(
        no bigint PRIMARY KEY, name {_TEXT} NOT NULL UNIQUE, description {_TEXT} NOT NULL, created_at bigint NOT NULL,
        metadata {_TEXT} NOT NULL)""",
    f"""CREATE TABLE records(
        version bigint PRIMARY KEY, space_no bigint NOT NULL, id {_TEXT} NOT NULL, kind {_TEXT} NOT NULL,
        memory_type {_TEXT} NOT NULL, title {_TEXT}, text {_TEXT} NOT NULL, role {_TEXT}, room {_TEXT},
        session {_TEXT}, position bigint NOT NULL, project {_TEXT}, "user" {_TEXT}, tags {_TEXT} NOT NULL,
        source {_TEXT}, locator {_TEXT}, importance float8 NOT NULL, confidence float8 NOT NULL,
        status {_TEXT} NOT NULL, trust {_TEXT} NOT NULL, event_time bigint NOT NULL, created_at bigint NOT NULL,
        recorded_at bigint NOT NULL, retired_at bigint, valid_from bigint, valid_until bigint, superseded_by {_TEXT},
        hash bytea NOT NULL, metadata {_TEXT} NOT NULL, grounds {_TEXT})""",
    "CREATE UNIQUE INDEX records_now ON records(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX records_past ON records(id, space_no, recorded_at) WHERE retired_at IS NOT NULL",
    "CREATE INDEX records_hash ON records(space_no, hash) WHERE retired_at IS NULL",
    "CREATE INDEX records_order ON records(space_no, created_at, version) WHERE retired_at IS NULL",
    """CREATE INDEX records_session ON records(space_no, session, position)
        WHERE retired_at IS NULL AND session IS NOT NULL""",
    """CREATE INDEX records_source ON records(space_no, source, position)
        WHERE retired_at IS NULL AND source IS NOT NULL""",
    "CREATE INDEX records_retired ON records(space_no, retired_at) WHERE retired_at IS NOT NULL",
    "CREATE INDEX records_project ON records(space_no, project, source) WHERE project IS NOT NULL",
    "CREATE INDEX records_grounds ON records(space_no, status) WHERE retired_at IS NULL AND grounds IS NOT NULL",
    f"""CREATE TABLE entities(
        version bigint PRIMARY KEY, space_no bigint NOT NULL, id {_TEXT} NOT NULL, name {_TEXT} NOT NULL, type {_TEXT},
        description {_TEXT}, aliases {_TEXT} NOT NULL, "user" {_TEXT}, metadata {_TEXT} NOT NULL,
        created_at bigint NOT NULL, recorded_at bigint NOT NULL, retired_at bigint)""",
    "CREATE UNIQUE INDEX entities_now ON entities(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX entities_id ON entities(id, space_no, recorded_at)",
    "CREATE INDEX entities_space ON entities(space_no, version) WHERE retired_at IS NULL",
    f"""CREATE TABLE relations(
        version bigint PRIMARY KEY, space_no bigint NOT NULL, id {_TEXT} NOT NULL, subject {_TEXT} NOT NULL,
        predicate {_TEXT} NOT NULL, object {_TEXT} NOT NULL, weight float8 NOT NULL, confidence float8 NOT NULL,
        provenance {_TEXT}, valid_from bigint NOT NULL, valid_until bigint, metadata {_TEXT} NOT NULL,
        created_at bigint NOT NULL, recorded_at bigint NOT NULL, retired_at bigint)""",
    "CREATE UNIQUE INDEX relations_now ON relations(id, space_no) WHERE retired_at IS NULL",
    "CREATE INDEX relations_id ON relations(id, space_no, recorded_at)",
    "CREATE INDEX relations_subject ON relations(space_no, subject, predicate)",
    "CREATE INDEX relations_object ON relations(space_no, object)",
    f"""CREATE TABLE journal(
        entry bigint PRIMARY KEY, at bigint NOT NULL, space {_TEXT} NOT NULL, verb {_TEXT} NOT NULL,
        object_type {_TEXT} NOT NULL, object_id {_TEXT} NOT NULL, before bigint, after bigint, actor {_TEXT},
        reason {_TEXT}, undoes bigint)""",
    "CREATE INDEX journal_object ON journal(object_id, entry)",
    f"""CREATE TABLE accesses(
        space_no bigint NOT NULL, id {_TEXT} NOT NULL, count bigint NOT NULL, last bigint NOT NULL,
        PRIMARY KEY(space_no, id))""",
    f"""CREATE TABLE shelves(
        space_no bigint NOT NULL, shelf {_TEXT} NOT NULL, key {_TEXT} NOT NULL, value {_TEXT} NOT NULL,
        PRIMARY KEY(space_no, shelf, key))""",
    f"""CREATE TABLE messages(
        space_no bigint NOT NULL, session {_TEXT} NOT NULL, place bigint NOT NULL, id {_TEXT} NOT NULL, role {_TEXT},
        at bigint NOT NULL, flag {_TEXT} NOT NULL, PRIMARY KEY(space_no, session, place))""",
    "CREATE TABLE faded(version bigint PRIMARY KEY, confidence float8 NOT NULL)",
    "CREATE TABLE evicted(version bigint PRIMARY KEY, at bigint NOT NULL)",
    """CREATE TABLE moved(
        run bigint NOT NULL, version bigint NOT NULL, was float8, now float8, PRIMARY KEY(run, version))""",
    f"""CREATE TABLE refs(
        space_no bigint NOT NULL, ref {_TEXT} NOT NULL, version bigint NOT NULL,
        PRIMARY KEY(space_no, ref, version))""",
    "CREATE INDEX refs_version ON refs(version)",
    f"""CREATE TABLE names(
        space_no bigint NOT NULL, name {_TEXT} NOT NULL, entity {_TEXT} NOT NULL,
        PRIMARY KEY(space_no, name, entity))""",
    # An index of words is an edition. The next one is made beside the one in use, row by row.
    "CREATE TABLE made_by(what text PRIMARY KEY, version bigint NOT NULL)",
    "INSERT INTO made_by VALUES('edition', 1)",
    """CREATE TABLE tallies(
        edition bigint NOT NULL, space_no bigint NOT NULL, records bigint NOT NULL, length bigint NOT NULL,
        PRIMARY KEY(space_no, edition))""",
    f"""CREATE TABLE lexis(
        edition bigint NOT NULL, version bigint NOT NULL, terms bytea NOT NULL, names {_TEXT} NOT NULL,
        PRIMARY KEY(version, edition))""",
    # Rows are kept short and their keys beside them: whoever looks for a common word reads many rows and no keys.
    """CREATE TABLE words(
        edition bigint NOT NULL, version bigint NOT NULL, space_no bigint NOT NULL, live boolean NOT NULL,
        length bigint NOT NULL, keys bigint[] STORAGE EXTERNAL NOT NULL, PRIMARY KEY(version, edition))
        WITH (toast_tuple_target = 128, fillfactor = 90)""",
    "CREATE INDEX words_keys ON words USING gin(keys) WITH (gin_pending_list_limit = 1024)",
    f"""CREATE TABLE models(
        no bigint PRIMARY KEY, name {_TEXT} NOT NULL UNIQUE, dim bigint NOT NULL, mean bytea NOT NULL,
        floor float8 NOT NULL, spread float8 NOT NULL)""",
    """CREATE TABLE pieces(
        piece bigint PRIMARY KEY, model bigint NOT NULL, space_no bigint NOT NULL, version bigint NOT NULL,
        live boolean NOT NULL, bits varbit NOT NULL, numbers @vector.halfvec NOT NULL) WITH (fillfactor = 90)""",
    "CREATE INDEX pieces_space ON pieces(space_no, model)",
    "CREATE INDEX pieces_version ON pieces(version)",
    "CREATE TABLE tokens(piece bigint PRIMARY KEY, tokens bytea STORAGE EXTERNAL NOT NULL)",
    """CREATE TABLE queue(
        model bigint NOT NULL, space_no bigint NOT NULL, version bigint NOT NULL,
        PRIMARY KEY(model, space_no, version))""",
    "CREATE INDEX queue_version ON queue(version)",
)

_SAFETY = (
    *(
        f"ALTER TABLE {table} ADD COLUMN checksum bigint"
        for table in ("spaces", "records", "entities", "relations", "journal")
    ),
    "ALTER TABLE journal ADD COLUMN stamp bigint, ADD COLUMN act bigint",
    "CREATE INDEX journal_stamp ON journal(entry) WHERE stamp IS NOT NULL",
    "CREATE INDEX journal_act ON journal(act) WHERE act IS NOT NULL",
    "CREATE INDEX records_superseded ON records(superseded_by) WHERE superseded_by IS NOT NULL",
)
"""What a store needs to notice damage and clocks that jump, and to know what was done together."""

_MINE = "SELECT members.space_no FROM members WHERE members.role = current_user"
_BY_SPACE = (
    "records", "entities", "relations", "accesses", "messages", "refs", "names", "tallies", "words", "pieces", "queue",
)  # fmt: skip
_BY_VERSION = ("lexis", "faded", "evicted", "moved")
_POLICIES = {
    **{table: f"space_no IN ({_MINE})" for table in _BY_SPACE},
    **{table: f"EXISTS(SELECT 1 FROM records WHERE records.version = {table}.version)" for table in _BY_VERSION},
    "spaces": f"no IN ({_MINE})",
    "shelves": f"space_no = 0 OR space_no IN ({_MINE})",
    "journal": "space IN (SELECT name FROM spaces)",
    "tokens": "EXISTS(SELECT 1 FROM pieces WHERE pieces.piece = tokens.piece)",
    "members": "role = current_user",
}
"""What a role that is limited to some spaces sees of each table, and may change. The tables' owner is not limited."""
_WRITTEN = ", ".join(table for table in _POLICIES if table not in ("members", "spaces"))
_LIMITS = (
    f"CREATE TABLE members(role {_TEXT} NOT NULL, space_no bigint NOT NULL, PRIMARY KEY(role, space_no))",
    *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in _POLICIES),
    *(f"CREATE POLICY by_space ON {table} USING ({seen})" for table, seen in _POLICIES.items()),
    f"""CREATE FUNCTION admit(role text, space text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE home text := current_schema();
        BEGIN
            INSERT INTO members SELECT admit.role, no FROM spaces WHERE name = admit.space ON CONFLICT DO NOTHING;
            IF NOT FOUND AND NOT EXISTS(SELECT 1 FROM spaces WHERE name = admit.space) THEN
                RAISE EXCEPTION 'there is no space named %', admit.space;
            END IF;
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, admit.role);
            EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', home, admit.role);
            EXECUTE format('GRANT UPDATE ON numbers TO %I', admit.role);
            EXECUTE format('GRANT INSERT, UPDATE, DELETE ON {_WRITTEN} TO %I', admit.role);
        END $$""",
    """CREATE FUNCTION dismiss(role text, space text) RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
        DELETE FROM members USING spaces
        WHERE members.role = dismiss.role AND spaces.no = members.space_no AND spaces.name = dismiss.space $$""",
    "REVOKE ALL ON FUNCTION admit(text, text), dismiss(text, text) FROM PUBLIC",
)

_FOR_ALL = (
    "backups", "conflicts", "counters", "dream", "erased", "index", "ledger", "pace", "paused", "runs", "settings",
    "slots", "steering", "undone",
)  # fmt: skip
"""Shelves of a whole store that tell of no space; what stands on others, such as answers, is its writer's own."""
_OWN_SHELVES = (
    "ALTER TABLE shelves ADD COLUMN owner text NOT NULL DEFAULT current_user",
    "DROP POLICY by_space ON shelves",
    f"""CREATE POLICY by_space ON shelves USING (space_no IN ({_MINE})
        OR space_no = 0 AND (owner = current_user OR shelf IN ({", ".join(map(repr, _FOR_ALL))})))""",
)

_NEWEST_FACTS = ("CREATE INDEX relations_space ON relations(space_no, version) WHERE retired_at IS NULL",)
"""Every recall looks at the facts of a space that were stated last."""

_OWN = "SELECT -no FROM roles WHERE role = current_user"
_OF_ALL = ("index", "move", "sealed")
"""Shelves that every process of a store reads, and its owner alone writes."""
_COUNTED_TOGETHER = (*_OF_ALL, "counters", "erased", "ledger", "pace")
"""What a role may have begun to count before roles counted for themselves, and which is the store's."""
_STATED = "EXISTS(SELECT 1 FROM records WHERE records.version = {0}.version)"
_OWN_KEYS = "NOT EXISTS(SELECT 1 FROM unnest(keys) AS key WHERE key >> 34 <> space_no)"
_ADDED = {
    **{
        table: f"{key} <= (SELECT last FROM numbers WHERE name = '{table}')"
        for table, key in (
            ("records", "version"),
            ("entities", "version"),
            ("relations", "version"),
            ("journal", "entry"),
        )
    },
    "pieces": f"piece <= (SELECT last FROM numbers WHERE name = 'pieces') AND {_STATED.format('pieces')}",
    "words": f"{_STATED.format('words')} AND {_OWN_KEYS}",
}
"""What a row must be beside that to be written by such a role: no number that is another's, or will be."""
_READ_ONLY = ("format", "made_by", "models", "numbers")
_LIMITED_ROLES = """
    SELECT role FROM members UNION
    SELECT rolname FROM pg_class, aclexplode(relacl), pg_roles
    WHERE pg_class.oid = 'records'::regclass AND pg_roles.oid = grantee
    EXCEPT SELECT rolname FROM pg_class, pg_roles WHERE pg_class.oid = 'records'::regclass
    AND (rolbypassrls OR pg_has_role(pg_roles.oid, relowner, 'USAGE'))"""
_GRANTS = f"""
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, one);
            EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', home, one);
            EXECUTE format('REVOKE UPDATE ON numbers FROM %I', one);
            EXECUTE format('GRANT INSERT, UPDATE, DELETE ON {_WRITTEN} TO %I', one);
            EXECUTE format('REVOKE UPDATE, DELETE ON journal FROM %I', one);
            EXECUTE format('GRANT UPDATE(before, after, reason, checksum) ON journal TO %I', one);
            EXECUTE format('GRANT EXECUTE ON FUNCTION take(text, bigint) TO %I', one);"""
_ROLES = (
    f"CREATE TABLE roles(role {_TEXT} PRIMARY KEY, no bigint GENERATED ALWAYS AS IDENTITY)",
    f"INSERT INTO roles(role) {_LIMITED_ROLES} ORDER BY 1",
    f"""UPDATE shelves SET space_no = -roles.no FROM roles WHERE shelves.owner = roles.role AND space_no = 0
        AND shelf NOT IN ({", ".join(map(repr, _COUNTED_TOGETHER))})""",
    "DROP POLICY by_space ON shelves",
    "ALTER TABLE shelves DROP COLUMN owner",
    f"CREATE POLICY by_space ON shelves USING (space_no IN ({_MINE}) OR space_no = ({_OWN}))",
    f"""CREATE POLICY of_all ON shelves FOR SELECT
        USING (space_no = 0 AND shelf IN ({", ".join(map(repr, _OF_ALL))}))""",
    *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in ("roles", *_READ_ONLY)),
    *(f"CREATE POLICY of_all ON {table} FOR SELECT USING (true)" for table in _READ_ONLY),
    "CREATE POLICY by_role ON roles FOR SELECT USING (role = current_user)",
    *(f"ALTER POLICY by_space ON {table} WITH CHECK ({_POLICIES[table]} AND {held})" for table, held in _ADDED.items()),
    # Whoever has the right to run it has those of its owner: it looks for tables in the schema alone.
    """CREATE FUNCTION take(counter text, wanted bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            UPDATE numbers SET last = wanted WHERE name = counter AND wanted BETWEEN last AND last + 1000000
                AND counter IN ('records', 'entities', 'relations', 'journal', 'pieces');
            IF NOT FOUND THEN
                RAISE insufficient_privilege
                    USING MESSAGE = format('the numbers of %s cannot be set to %s', counter, wanted);
            END IF;
        END $$""",
    """DO $$ BEGIN
        EXECUTE format('ALTER FUNCTION take(text, bigint) SET search_path = %I, pg_temp', current_schema());
    END $$""",
    "REVOKE ALL ON FUNCTION take(text, bigint) FROM PUBLIC",
    f"""DO $$ DECLARE home text := current_schema(); one text;
        BEGIN
            FOR one IN SELECT role FROM roles JOIN pg_roles ON rolname = role LOOP{_GRANTS}
            END LOOP;
        END $$""",
    f"""CREATE OR REPLACE FUNCTION admit(role text, space text) RETURNS void LANGUAGE plpgsql
        SET search_path FROM CURRENT AS $$
        DECLARE home text := current_schema(); one text := admit.role;
        BEGIN
            IF NOT EXISTS(SELECT 1 FROM spaces WHERE name = admit.space) THEN
                RAISE EXCEPTION 'there is no space named %', admit.space;
            END IF;
            INSERT INTO roles(role) VALUES(one) ON CONFLICT DO NOTHING;
            INSERT INTO members SELECT one, no FROM spaces WHERE name = admit.space ON CONFLICT DO NOTHING;{_GRANTS}
        END $$""",
)
"""One rule for whatever is kept for the whole store and not for a space. The owner's is the owner's; what a role keeps
is its own, under a number of its own; what all need to read, the owner alone writes. Numbers only ever go on.
"""

_AT_HOME = "EXISTS(SELECT 1 FROM records WHERE records.version = {0}.version AND records.space_no = {0}.space_no)"
_NOTED_TYPES = {"record": "records", "entity": "entities", "relation": "relations"}
_OTHERS = "{0}.version = {1}.version AND {0}.space_no <> {1}.space_no"


def _of_its_space(column: str) -> str:
    """Is a version that an entry names one of the space that it is an entry of?"""
    kinds = " ".join(
        f"WHEN '{kind}' THEN EXISTS(SELECT 1 FROM {table} JOIN spaces ON spaces.no = {table}.space_no"
        f" WHERE {table}.version = journal.{column} AND spaces.name = journal.space)"
        for kind, table in _NOTED_TYPES.items()
    )
    return f"(journal.{column} IS NULL OR CASE journal.object_type {kinds} ELSE false END)"


def _an_entry_of_it(column: str) -> str:
    return (
        f"(journal.{column} IS NULL OR EXISTS(SELECT 1 FROM own_entries WHERE own_entries.entry = journal.{column}"
        " AND own_entries.space = journal.space))"
    )


_NAMED = {
    "queue": _AT_HOME.format("queue"),
    "refs": _AT_HOME.format("refs"),
    "pieces": f"{_ADDED['pieces']} AND {_AT_HOME.format('pieces')}",
    "words": f"{_ADDED['words']} AND {_AT_HOME.format('words')}",
    "journal": " AND ".join(
        (
            _ADDED["journal"], "checksum IS NOT NULL", _of_its_space("before"), _of_its_space("after"),
            _an_entry_of_it("act"), _an_entry_of_it("undoes"),
        )
    ),
}  # fmt: skip
"""What a row of such a role must be where it names a version, or an entry: one of the very space that the row is of."""
_GRANT_ALL = f"""DO $$ DECLARE home text := current_schema(); one text;
        BEGIN
            FOR one IN SELECT role FROM roles JOIN pg_roles ON rolname = role LOOP{_GRANTS}
            END LOOP;
        END $$"""
_NAMES_ITS_OWN = (
    f"""CREATE VIEW own_entries WITH (security_barrier) AS SELECT entry, space FROM journal
        WHERE space IN (SELECT spaces.name FROM spaces WHERE spaces.no IN ({_MINE}))""",
    *(f"ALTER POLICY by_space ON {table} WITH CHECK ({_POLICIES[table]} AND {held})" for table, held in _NAMED.items()),
    *(
        f"CREATE POLICY sealed ON {table} AS RESTRICTIVE FOR INSERT WITH CHECK (checksum IS NOT NULL)"
        for table in _NOTED_TYPES.values()
    ),
    _GRANT_ALL,
    # What was named so before.
    *(f"DELETE FROM {table} USING records WHERE {_OTHERS.format('records', table)}" for table in ("queue", "refs")),
    f"UPDATE pieces SET space_no = records.space_no FROM records WHERE {_OTHERS.format('records', 'pieces')}",
    *(
        f"""UPDATE journal SET before = NULL, after = NULL, checksum = NULL FROM {table}, spaces
            WHERE object_type = '{kind}' AND journal.{column} = {table}.version AND spaces.no = {table}.space_no
            AND spaces.name <> journal.space"""
        for kind, table in _NOTED_TYPES.items()
        for column in ("before", "after")
    ),
)
"""No row that a limited role writes tells of a space that it was not admitted to, whatever it says that it is about."""

_ITSELF = "role = current_user AND number = quote_ident(current_user)::regrole::oid"
_ADMITTED = f"SELECT members.space_no FROM members WHERE {_ITSELF}"
_BY_NUMBER = {table: seen.replace(_MINE, _ADMITTED) for table, seen in _POLICIES.items() if _MINE in seen} | {
    "shelves": f"space_no IN ({_ADMITTED}) OR space_no = (SELECT -no FROM roles WHERE {_ITSELF})",
    "members": _ITSELF,
}
_NOTED_COLUMNS = {
    "entry": "bigint", "at": "bigint", "space": "text", "verb": "text", "object_type": "text", "object_id": "text",
    "before": "bigint", "after": "bigint", "actor": "text", "reason": "text", "undoes": "bigint", "act": "bigint",
    "stamp": "bigint",
}  # fmt: skip
_PACKED = " || ".join(f"packed({name}::{type_})" for name, type_ in _NOTED_COLUMNS.items())
_SEALED = f"checksum = crc(set_byte('\\x00', 0, 144 + num_nonnulls({', '.join(_NOTED_COLUMNS)})) || {_PACKED})"
"""The checksum of an entry, as `seal` makes it: the CRC of a MessagePack array of all that is not NULL."""
_CHECKS = {**_ADDED, **_NAMED, "journal": f"{_NAMED['journal']} AND {_SEALED}"}
_FUNCTIONS = (
    r"""CREATE FUNCTION packed(value bigint) RETURNS bytea LANGUAGE sql IMMUTABLE RETURN CASE
        WHEN value IS NULL THEN ''::bytea
        WHEN value < 0 THEN NULL
        WHEN value < 128 THEN substring(int8send(value) FROM 8)
        WHEN value < 256 THEN '\xcc'::bytea || substring(int8send(value) FROM 8)
        WHEN value < 65536 THEN '\xcd'::bytea || substring(int8send(value) FROM 7)
        WHEN value < 4294967296 THEN '\xce'::bytea || substring(int8send(value) FROM 5)
        ELSE '\xcf'::bytea || int8send(value) END""",
    r"""CREATE FUNCTION packed(value text) RETURNS bytea LANGUAGE sql IMMUTABLE RETURN CASE
        WHEN value IS NULL THEN ''::bytea
        WHEN octet_length(value) < 32 THEN set_byte('\x00'::bytea, 0, 160 + octet_length(value))
        WHEN octet_length(value) < 256 THEN '\xd9'::bytea || substring(int4send(octet_length(value)) FROM 4)
        WHEN octet_length(value) < 65536 THEN '\xda'::bytea || substring(int4send(octet_length(value)) FROM 3)
        ELSE '\xdb'::bytea || int4send(octet_length(value)) END || coalesce(convert_to(value, 'UTF8'), ''::bytea)""",
    """CREATE FUNCTION crc(data bytea) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT
        SET search_path = pg_catalog AS $$
        DECLARE
            found bigint := 4294967295;
            steps bigint[] := ARRAY[0, 498536548, 997073096, 651767980, 1994146192, 1802195444, 1303535960, 1342533948,
                3988292384, 4027552580, 3604390888, 3412177804, 2607071920, 2262029012, 2685067896, 3183342108];
        BEGIN
            FOR place IN 0 .. length(data) - 1 LOOP
                found := found # get_byte(data, place);
                found := (found >> 4) # steps[(found & 15) + 1];
                found := (found >> 4) # steps[(found & 15) + 1];
            END LOOP;
            RETURN found # 4294967295;
        END $$""",
    # Numbers of entries that are taken and not used would look as if somebody had deleted what they told.
    """CREATE FUNCTION use_taken() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            IF (SELECT count(*) FROM journal WHERE entry BETWEEN NEW.first AND NEW.last) <= NEW.last - NEW.first THEN
                RAISE insufficient_privilege
                    USING MESSAGE = format('entries %s to %s of the journal were taken and not written', NEW.first,
                        NEW.last);
            END IF;
            DELETE FROM taken WHERE taken.first = NEW.first;
            RETURN NULL;
        END $$""",
    """CREATE CONSTRAINT TRIGGER use_taken AFTER INSERT ON taken DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION use_taken()""",
    """CREATE OR REPLACE FUNCTION take(counter text, wanted bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
        DECLARE had bigint;
        BEGIN
            SELECT last INTO had FROM numbers WHERE name = counter
                AND counter IN ('records', 'entities', 'relations', 'journal', 'pieces') FOR UPDATE;
            IF NOT coalesce(wanted BETWEEN had AND had + 1000000, false) THEN
                RAISE insufficient_privilege
                    USING MESSAGE = format('the numbers of %s cannot be set to %s', counter, wanted);
            END IF;
            UPDATE numbers SET last = wanted WHERE name = counter;
            IF counter = 'journal' AND wanted > had THEN
                INSERT INTO taken VALUES(had + 1, wanted);
            END IF;
        END $$""",
    f"""CREATE OR REPLACE FUNCTION admit(role text, space text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE home text := current_schema(); one text := admit.role; its oid;
        BEGIN
            SELECT oid INTO its FROM pg_roles WHERE rolname = one;
            IF its IS NULL THEN
                RAISE EXCEPTION 'there is no role named %', one;
            END IF;
            IF NOT EXISTS(SELECT 1 FROM spaces WHERE name = admit.space) THEN
                RAISE EXCEPTION 'there is no space named %', admit.space;
            END IF;
            IF EXISTS(SELECT 1 FROM pg_class, pg_roles WHERE pg_class.oid = 'records'::regclass AND pg_roles.oid = its
                    AND (rolsuper OR rolbypassrls OR pg_has_role(its, relowner, 'USAGE'))) THEN
                RAISE EXCEPTION '% has the whole store already: it owns the tables or is above row-level security', one;
            END IF;
            DELETE FROM shelves USING roles
                WHERE roles.role = one AND roles.number <> its AND shelves.space_no = -roles.no;
            DELETE FROM members WHERE members.role = one AND members.number <> its;
            DELETE FROM roles WHERE roles.role = one AND roles.number <> its;
            INSERT INTO roles(role, number) VALUES(one, its) ON CONFLICT DO NOTHING;
            INSERT INTO members(role, space_no, number) SELECT one, no, its FROM spaces WHERE name = admit.space
                ON CONFLICT DO NOTHING;{_GRANTS}
        END $$""",
    """CREATE OR REPLACE FUNCTION dismiss(role text, space text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT EXISTS(SELECT 1 FROM spaces WHERE name = dismiss.space) THEN
                RAISE EXCEPTION 'there is no space named %', dismiss.space;
            END IF;
            DELETE FROM members USING spaces
                WHERE members.role = dismiss.role AND spaces.no = members.space_no AND spaces.name = dismiss.space;
            IF NOT FOUND AND NOT EXISTS(SELECT 1 FROM pg_roles WHERE rolname = dismiss.role) THEN
                RAISE EXCEPTION 'there is no role named %', dismiss.role;
            ELSIF NOT FOUND THEN
                RAISE EXCEPTION '% was not admitted to %', dismiss.role, dismiss.space;
            END IF;
        END $$""",
    # They have the rights of whoever owns them or runs them: nothing but the schema is looked into.
    """DO $$ DECLARE one text;
        BEGIN
            FOREACH one IN ARRAY ARRAY['take(text, bigint)', 'use_taken()', 'admit(text, text)', 'dismiss(text, text)']
            LOOP
                EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
            END LOOP;
        END $$""",
    "REVOKE ALL ON FUNCTION use_taken() FROM PUBLIC",
)
_GRANTED = """SELECT grantee FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = 'records'::regclass
    AND grantee <> relowner"""
"""The numbers of roles that were admitted: one that was made anew since is not among them."""
_WHO = (
    *(f"ALTER TABLE {table} ADD COLUMN number oid" for table in ("members", "roles")),
    *(
        f"UPDATE {table} SET number = pg_roles.oid FROM pg_roles WHERE rolname = role AND pg_roles.oid IN ({_GRANTED})"
        for table in ("members", "roles")
    ),
    "DELETE FROM shelves USING roles WHERE shelves.space_no = -roles.no AND roles.number IS NULL",
    *(f"DELETE FROM {table} WHERE number IS NULL" for table in ("members", "roles")),
    *(f"ALTER TABLE {table} ALTER COLUMN number SET NOT NULL" for table in ("members", "roles")),
    *(f"ALTER POLICY by_space ON {table} USING ({seen})" for table, seen in _BY_NUMBER.items()),
    f"ALTER POLICY by_role ON roles USING ({_ITSELF})",
    "CREATE TABLE taken(first bigint NOT NULL, last bigint NOT NULL)",
    "ALTER TABLE taken ENABLE ROW LEVEL SECURITY",
    *_FUNCTIONS,
    *(
        f"ALTER POLICY by_space ON {table} WITH CHECK ({_BY_NUMBER.get(table, _POLICIES[table])} AND {held})"
        for table, held in _CHECKS.items()
    ),
    f"""CREATE OR REPLACE VIEW own_entries WITH (security_barrier) AS SELECT entry, space FROM journal
        WHERE space IN (SELECT spaces.name FROM spaces WHERE spaces.no IN ({_ADMITTED}))""",
    # Whoever admitted the owner had taken the numbers away from it.
    """DO $$ DECLARE owner text := (SELECT relowner::regrole FROM pg_class WHERE oid = 'numbers'::regclass);
        BEGIN
            EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO %s', current_schema(), owner);
        END $$""",
    _GRANT_ALL,
)
"""A role is its name and its number, since a role that was dropped and made anew has the name alone; and what it writes
in the journal is sound and without gaps.
"""

_EMPTIES = ("before", "after", "reason")
_LATEST = 253_370_764_800_000_000  # the year 9999, in microseconds: no moment beyond it can be told
_EMPTIED = " OR ".join(f"NEW.{name} IS NOT NULL AND NEW.{name} IS DISTINCT FROM OLD.{name}" for name in _EMPTIES)
_LASTING = (
    """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE insufficient_privilege USING MESSAGE = TG_ARGV[0];
        END $$""",
    f"""CREATE TRIGGER only_emptied BEFORE UPDATE ON journal FOR EACH ROW WHEN ({_EMPTIED})
        EXECUTE FUNCTION refuse('what the journal tells is emptied, and never changed')""",
    *(
        f"""CREATE TRIGGER stays_sealed BEFORE UPDATE ON {table} FOR EACH ROW
            WHEN (OLD.checksum IS NOT NULL AND NEW.checksum IS NULL)
            EXECUTE FUNCTION refuse('a version that has a checksum keeps one')"""
        for table in _NOTED_TYPES.values()
    ),
    "DELETE FROM queue WHERE model NOT IN (SELECT no FROM models)",
    *(
        f"CREATE POLICY possible ON {table} AS RESTRICTIVE FOR INSERT WITH CHECK ({held})"
        for table, held in (
            ("journal", f"entry > 0 AND at BETWEEN 0 AND {_LATEST} AND coalesce(stamp, 0) BETWEEN 0 AND {_LATEST}"),
            ("queue", "model IN (SELECT no FROM models)"),
            ("pieces", "piece > 0"),
            *((table, "version > 0") for table in _NOTED_TYPES.values()),
        )
    ),
)
"""No row of a limited role stops the others or changes what was told: what it may not be is refused to everybody."""

_MARKS: tuple[str, ...] = ()
"""What is gone for good leaves its mark in a bucket with others, where an earlier release would not look for it."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _TABLES, _SAFETY, _LIMITS, _OWN_SHELVES, _NEWEST_FACTS, _ROLES, _NAMES_ITS_OWN, _WHO, _LASTING, _MARKS,
)  # fmt: skip
