"""How does a person say what can be believed?"""

from __future__ import annotations

from recollect.cli.options import AnySpace, AsJson, Home, Reason, RecordId
from recollect.cli.place import open_or_fail
from recollect.cli.write import answer

_BY_HAND = "by hand"


def promote(
    id: RecordId, reason: Reason = None, space: AnySpace = None, home: Home = None, as_json: AsJson = False
) -> int:
    """Vouch for a record: a candidate, or what is contested or stale, becomes active.

    \b
    Example:
      recollect show k3v9x2m4q8ab
      recollect promote k3v9x2m4q8ab --reason "I read the page"
    """
    with open_or_fail(home) as memory:
        receipt = memory.promote(id, space=space, reason=reason or _BY_HAND)
    return answer(receipt, as_json=as_json, done="active:")


def contest(
    id: RecordId, reason: Reason = None, space: AnySpace = None, home: Home = None, as_json: AsJson = False
) -> int:
    """Say that a record is in doubt. It is still recalled, and says so.

    \b
    Example:
      recollect contest k3v9x2m4q8ab --reason "the other page says Monday"
    """
    with open_or_fail(home) as memory:
        receipt = memory.contest(id, space=space, reason=reason or _BY_HAND)
    return answer(receipt, as_json=as_json, done="contested:")
