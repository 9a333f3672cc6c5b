"""How does a caller ask one signal alone, or say how much each of them counts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from recollect.engine.embedding.semantics import WAIT_SECONDS, Ready
from recollect.engine.parse import (
    MAX_LIMIT,
    parse_filter,
    parse_limit,
    parse_question,
    parse_seconds,
    parse_space,
    parse_weight,
)
from recollect.engine.read.methods import Reading
from recollect.engine.read.results import Appraised, Scored, Weighed
from recollect.errors import EmbedderError
from recollect.types import DEFAULT_SPACE, Filter, Query, Record

_JUDGED = 50  # hits at least, among which those that were shown are looked for


def _parse(query: str, space: str, limit: int, filters: Mapping[str, object]) -> Query:
    return Query(
        text=parse_question(query),
        filter=parse_filter(space=parse_space(space), **filters),
        limit=parse_limit(limit, most=MAX_LIMIT),
    )


def _touch_likely(memory: Reading, records: Sequence[Record], query: Query) -> None:
    """Counts those of some records as recalled that probably answer, whatever they were chosen by. Judged later."""
    shown = {(record.space, record.id) for record in records}

    def likely() -> set[tuple[str, str]]:
        from recollect.engine.read.recall import recall  # brings in numpy, which is loaded by now

        asked = replace(query, limit=max(query.limit, _JUDGED), fold=False)
        hits = recall(memory.core, memory.semantics.loaded, asked)
        return {(hit.record.space, hit.record.id) for hit in hits if hit.is_likely} & shown

    if shown:
        memory.touches.add_later(likely)


def _ready(memory: Reading, query: Query, wait: float, where: Filter | None) -> Ready:
    from recollect.engine.read.recall import promising  # brings in numpy: only when something is asked

    seconds = parse_seconds(wait, "wait")
    return memory.semantics.ready(query.filter.spaces, seconds, lambda: promising(memory.core, query), where)


def search_vectors(
    memory: Reading,
    query: str,
    *,
    space: str = DEFAULT_SPACE,
    limit: int = 10,
    wait: float = WAIT_SECONDS,
    **filters: object,
) -> tuple[Scored, ...]:
    """The records whose vectors lie nearest to a question's, by cosine alone. Without a model it is an error.

    What has no vector (a question or a record that the model cannot read, or has not read yet) goes by words: the
    score is the share of the question's words that a record holds.
    """
    from recollect.engine.read.weigh import search_vectors as find  # brings in numpy: only when something is asked

    parsed = _parse(query, space, limit, filters)
    ready = _ready(memory, parsed, wait, parsed.filter)
    if ready.vectors is None:
        raise EmbedderError(ready.problem or "no embedder is configured; set RECOLLECT_EMBEDDER")
    found = find(memory.core, ready.vectors, parsed, space)
    _touch_likely(memory, [hit.record for hit in found], parsed)
    return found


def search_keywords(
    memory: Reading, query: str, *, space: str = DEFAULT_SPACE, limit: int = 10, **filters: object
) -> tuple[Scored, ...]:
    """The records that hold the words of a question, by BM25 alone. No model is loaded for it."""
    from recollect.engine.read.weigh import search_keywords as find  # brings in numpy: only when something is asked

    parsed = _parse(query, space, limit, filters)
    found = find(memory.core, parsed, space)
    _touch_likely(memory, [hit.record for hit in found], parsed)
    return found


def weigh(
    memory: Reading,
    query: str,
    *,
    vector: float,
    keyword: float,
    graph: float,
    groups: Sequence[Mapping[str, object]] = ({},),
    space: str = DEFAULT_SPACE,
    limit: int = 10,
    wait: float = WAIT_SECONDS,
) -> Weighed:
    """The records that answer a question when the caller says how much each signal counts; 0 switches one off.

    `groups` are filters, as `list` takes them: records of several groups are made comparable by z-scores.
    """
    from recollect.engine.read.weigh import weigh as find  # brings in numpy: only when something is asked
    from recollect.retrieve.weigh import Weights

    parsed = _parse(query, space, limit, {})
    weights = Weights(
        vector=parse_weight(vector, "vector"),
        keyword=parse_weight(keyword, "keyword"),
        graph=parse_weight(graph, "graph"),
    )
    filters = [parse_filter(space=space, **group) for group in groups]
    alone = filters[0] if len(filters) == 1 else None  # several groups are all of the space
    ready = _ready(memory, parsed, wait, alone) if weights.vector > 0 else None
    vectors, problem = (None, None) if ready is None else (ready.vectors, ready.problem)
    found = find(memory.core, vectors, parsed, space, filters, weights)
    _touch_likely(memory, [hit.record for hit in found.hits], parsed)
    return Weighed(hits=found.hits, nodes=found.nodes, problem=problem)


def appraise(
    memory: Reading,
    query: str,
    *,
    space: str = DEFAULT_SPACE,
    limit: int = 10,
    wait: float = WAIT_SECONDS,
    **filters: object,
) -> list[Appraised]:
    """The records of a space by fixed weights: half the cosine, a quarter the share of the question's words that
    stand in the text, a tenth how new (half-life one week), a tenth how important, a twentieth how well believed.
    """
    from recollect.engine.read import appraise as appraising  # brings in numpy: only when something is asked

    parsed = _parse(query, space, limit, filters)
    ready = _ready(memory, parsed, wait, parsed.filter)
    found = appraising.appraise(memory.core, ready.vectors, parsed, space)
    memory.asked[space] = memory.core.clock()
    _touch_likely(memory, [one.record for one in found], parsed)
    return found
