"""How does a database follow relations for some hops, in one statement?"""

from __future__ import annotations

from recollect.store.base import Walk
from recollect.store.sql.database import Condition, Database

_WAYS = (("subject", "object"), ("object", "subject"))
_FIRST = "row_number() OVER (PARTITION BY far ORDER BY way, version DESC) AS nth"


def walk_relations(db: Database, home: Condition, holds: Condition, walk: Walk, most: int) -> Condition:
    """The statement: of each hop its relations, newest first; and before them names of the entities they came by.

    `front` are the entities at which a hop begins: those that the one before came upon, and none had come upon before.
    """
    hops = walk.hops
    begins, values = db.dialect.listed(walk.starts)
    tables = [f"front0(id) AS ({begins})"]
    for hop in range(hops):
        for way, (near, far) in enumerate(_WAYS):
            tables.append(
                f"way{hop}_{way} AS (SELECT {hop} AS hop, {way} AS way, relations.version AS version,"
                f" relations.{near} AS near, relations.{far} AS far, relations.weight AS weight FROM relations"
                f" WHERE {holds[0]} AND relations.{near} IN (SELECT id FROM front{hop})"
                f" ORDER BY relations.version DESC LIMIT {most})"
            )
            values = [*values, *holds[1]]
        tables.append(f"hop{hop} AS (SELECT * FROM way{hop}_0 UNION ALL SELECT * FROM way{hop}_1)")
        if hop + 1 == hops:
            break
        seen = " UNION ALL ".join(["SELECT id FROM front0", *(f"SELECT far FROM hop{one}" for one in range(hop))])
        new = f"SELECT far, way, version, {_FIRST} FROM hop{hop} WHERE far NOT IN ({seen})"
        tables.append(
            f"front{hop + 1}(id) AS (SELECT far FROM ({new}) AS new WHERE nth = 1 ORDER BY way, version DESC"
            f" LIMIT {walk.widest})"
        )
    fronts = " UNION ".join(f"SELECT id FROM front{hop}" for hop in range(hops))
    links = " UNION ALL ".join(f"SELECT hop, way, version, near, far, weight FROM hop{hop}" for hop in range(hops))
    names = f"SELECT -1, 0, 0, entity, name, 0.0 FROM names WHERE space_no = {home[0]} AND entity IN ({fronts})"
    sql = f"WITH {', '.join(tables)} SELECT hop, near, far, weight FROM ({links} UNION ALL {names}) AS every"
    return f"{sql} ORDER BY hop, way, version DESC, far", [*values, *home[1]]
