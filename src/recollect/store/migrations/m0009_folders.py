"""Where is it kept which files were brought in?

On shelves: `projects` by id, `code:ID` for the files of a project by their path in it, and `documents` for those of a
space by their whole path. Projects and files of code had tables of their own; what was known of documents was told
by the metadata of their sources, which still say it.
"""


def _moment(column: str) -> str:
    return (
        f"iif({column} IS NULL, NULL, strftime('%Y-%m-%dT%H:%M:%S', {column} / 1000000, 'unixepoch')"
        f" || printf('.%06dZ', {column} % 1000000))"
    )


STATEMENTS = (
    f"""INSERT INTO shelves
        SELECT projects.space_no, 'projects', id, json_object(
            'id', id, 'space', name, 'path', path, 'created_at', {_moment("projects.created_at")}, 'state', state,
            'total', total, 'done', done, 'base', base, 'chunks', chunks, 'started_at', {_moment("started_at")},
            'completed_at', {_moment("completed_at")}, 'problem', problem, 'skipped', json(skipped),
            'problems', json(problems))
        FROM projects JOIN spaces ON spaces.no = projects.space_no""",
    """INSERT INTO shelves
        SELECT space_no, 'code:' || id, files.path, json_object(
            'size', size, 'mtime', mtime, 'read_at', read_at, 'hash', lower(hex(hash)), 'count', files.chunks,
            'problem', files.problem)
        FROM files JOIN projects ON projects.no = files.project_no""",
    """INSERT INTO shelves
        SELECT space_no, 'documents', path, json_object(
            'size', size, 'mtime', mtime, 'read_at', max(read_at), 'hash', hash, 'count', count(*),
            'made', json_group_array(fingerprint), 'reader', reader)
        FROM (SELECT space_no, coalesce(json_extract(metadata, '$.file.path'), source) AS path,
                json_extract(metadata, '$.file.size') AS size, json_extract(metadata, '$.file.mtime') AS mtime,
                json_extract(metadata, '$.file.read_at') AS read_at,
                coalesce(json_extract(metadata, '$.file.hash'), json_extract(metadata, '$.fingerprint')) AS hash,
                json_extract(metadata, '$.fingerprint') AS fingerprint,
                json_extract(metadata, '$.adapter.version') AS reader
            FROM records WHERE retired_at IS NULL AND kind = 'source')
        WHERE typeof(size) = 'integer' AND typeof(mtime) = 'integer' AND typeof(read_at) = 'integer'
            AND typeof(path) = 'text' AND typeof(hash) = 'text' AND typeof(fingerprint) = 'text'
            AND typeof(reader) = 'text'
        GROUP BY space_no, path""",
    "DROP TABLE files",
    "DROP TABLE projects",
)
