"""What the agentos contract asks for, how it is met here, and which test shows it."""

from __future__ import annotations

from tests.contracts.requirement import NO_SEARCH_WAITS, SHORT_ANSWERS, SNAPSHOTS, Requirement

REQUIREMENTS = (
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    Requirement(
        "recall, kg::query and session::list answer bare arrays.",
        "What was cut is told in a field of the last entry: an array has no other room for it.",
        ("test_no_answer_is_longer_than_25_kb_and_a_list_says_in_its_last_entry_what_is_missing",),
        "Where an answer that is an array was cut, its last entry has a field `note` that says what is missing.",
    ),
    Requirement(
        "Nine functions: store, recall, evict, consolidate, kg::add, kg::query, session::list, ::compact, ::repair.",
        "They are invoked by these ids over the iii protocol; as MCP tools they have _ for ::.",
        (
            "test_the_tools_are_these_in_this_order_with_honest_annotations",
            SNAPSHOTS,
            "test_the_server_says_who_it_is_and_answers_in_json_text",
        ),
        "Over MCP the functions are tools with `_` for `::` (`memory_kg_add`), since clients refuse `:`. Over the iii"
        " protocol they have their own ids.",
    ),
    Requirement(
        "store keeps a text with role, importance and hash; the same text of an agent is kept once.",
        "The id is a UUID (version 4). A duplicate names the memory that holds the text, whatever its session.",
        (
            "test_a_text_is_kept_once_for_each_agent",
            "test_agent_and_role_may_be_left_out",
            "test_a_message_that_repeats_an_earlier_one_is_listed_where_it_was_said",
        ),
        "Where none is given, the agent is `default` and the role `user`. A duplicate answers the id of the memory that"
        " holds the text, with `stored: false`; its session lists the message all the same.",
    ),
    Requirement(
        "Importance is worked out from length, role and words.",
        "0.5; assistant +0.1; over 500 bytes +0.1; error, bug, fix or critical as a word +0.15; a code fence +0.1.",
        ("test_importance_is_read_from_length_role_and_words",),
    ),
    Requirement(
        "recall scores 50 % cosine, 25 % share of query words, 10 % recency, 10 % importance, 5 % confidence.",
        "Recency halves every week. Words are lower case, without punctuation around them, looked for in the text.",
        (
            "test_recall_weighs_five_signals_as_documented",
            "test_a_word_that_is_asked_for_twice_counts_twice",
            "test_recall_is_a_bare_list_best_first_and_empty_for_strangers",
        ),
        "Of an agent with very many memories, candidates come from the vector and the keyword index, and each of them"
        " is scored exactly.",
        score="Half the cosine, a quarter the share of the question's words that stand in the text, a tenth recency (it"
        " halves every week), a tenth importance, a twentieth confidence: the document's formula, not a probability.",
    ),
    Requirement(
        "What is recalled has its access counted, which keeps it from fading.",
        "Counted in memory and written within seconds, always before upkeep looks at it.",
        (
            "test_being_recalled_counts_and_keeps_from_fading",
            "engine/test_touches.py::test_what_was_shown_counts_as_recalled_only_if_it_probably_answers",
            "engine/test_touches.py::test_of_very_many_questions_at_once_only_the_last_are_judged",
        ),
        "Recalls count accesses, and are marked `readOnlyHint: true` all the same: counting is bookkeeping, written"
        " within seconds. A memory counts as accessed if it probably answers (0.5 or more), where the origin counts"
        " all that it returned; so noise does not fade more slowly. Of more than 32 questions within five seconds the"
        " last are counted.",
    ),
    Requirement(
        "consolidate multiplies the confidence of what was not used for seven days by 1 - decayRate, down to 0.1.",
        "What is at 0.1 is left alone. The rate is 0.05 where none is given. memoriesMerged is 0.",
        ("test_consolidation_lowers_confidence_to_a_tenth_and_no_further",),
        absent="Merging by `consolidate`: `memoriesMerged` is always 0. Exact duplicates are never stored.",
    ),
    Requirement(
        "evict takes, of all agents, what is older than maxAge and below minImportance, or has a confidence below 0.1,"
        " or is beyond the cap.",
        "The least important go first beyond the cap. What goes is archived: the journal brings it back.",
        (
            "test_eviction_takes_what_is_old_and_unimportant_of_all_agents",
            "test_eviction_takes_what_is_hardly_believed_and_what_is_beyond_the_cap",
        ),
        "`evict` takes memories, messages and summaries alone: documents, code and governed knowledge of other"
        " contracts live by rules of their own. What goes is archived, and the journal brings it back.",
    ),
    Requirement(
        "Arguments have names, types and limits.",
        "What does not fit, and a name that nobody knows, is an error that names the field.",
        ("test_what_is_wrong_is_named", "test_what_carriers_add_and_nulls_are_left_alone"),
        "Null is the same as nothing, 5.0 is 5, and arguments that begin with `_` are left to the carrier. Any other"
        " that nobody knows is an error.",
    ),
    Requirement(
        "kg::add stores an entity and, for each relation, its inverse; updates keep what others said.",
        "Properties join, relations are added once, and a target that is missing is made. The way back is one with the"
        " way there, so that neither can be without the other.",
        (
            "test_an_entity_is_added_with_the_way_back_of_each_relation",
            "test_adding_again_joins_and_repeats_nothing",
            "test_ids_are_exact_and_an_unknown_one_has_nothing",
            "test_a_relation_without_a_type_is_related_to",
        ),
        "A relation without a `type` is `related_to`. Ids count letter by letter.",
    ),
    Requirement(
        "kg::query walks breadth first to a depth, visits nothing twice, and answers in the order of discovery.",
        "Depth counts steps from the start. Relations of other contracts are walked too.",
        ("test_a_walk_goes_breadth_first_and_ends_at_its_depth", "test_what_others_related_is_walked_too"),
        "`kg::query` also walks what other contracts related in the same space.",
    ),
    Requirement(
        "Consolidation runs every six hours, eviction daily at three.",
        "While agentos is served; one process does it, and what was missed is made up for once.",
        (
            "engine/test_schedule.py::test_what_the_settings_say_is_done_when_it_is_due",
            "engine/test_schedule.py::test_a_machine_that_slept_for_days_catches_up_once",
        ),
        "`consolidate` and `evict` also run by themselves while agentos is served, at the origin's hours in UTC;"
        " `RECOLLECT_CONSOLIDATE_SCHEDULE` and `RECOLLECT_EVICT_SCHEDULE` set others, or `off`"
        " ([more](../lifecycle.md)).",
    ),
    Requirement(
        "session::list answers metadata of an agent's sessions.",
        "id, agentId, messageCount, createdAt and updatedAt in milliseconds.",
        ("test_sessions_are_listed_the_most_recent_first",),
    ),
    Requirement(
        "session::compact summarises all but the last messages of a session that has reached the threshold.",
        "Chunks of 80,000 characters at most; the summary is a system message of importance 0.9 and heads the list.",
        (
            "test_a_short_session_is_not_compacted",
            "test_a_long_session_keeps_a_summary_and_its_last_messages",
            "test_what_is_summarised_at_once_is_at_most_80_000_characters",
            "test_a_summary_alone_is_not_summarised_again",
            "test_a_summary_of_a_summary_keeps_the_days",
            "test_the_clients_model_writes_the_summary_where_it_is_lent",
            "test_a_model_that_failed_is_told_with_what_was_done_instead",
            "test_a_summary_has_what_was_said_again_by_whoever_said_it",
            "serve/test_iii_engine.py::test_compaction_has_the_engine_write_and_says_where_it_could_not",
        ),
        "`llm::complete` is called where Recollect is a worker of an iii engine (`--iii-engine`). Elsewhere, and"
        " where it fails, a configured model writes, or else a summary is made of sentences of the messages; `note` in"
        " the answer says what failed and what was done instead. Messages that were summarised stay memories.",
    ),
    Requirement(
        "session::repair mends a session in seven phases and is idempotent.",
        "Of duplicates the first stays; the order is put right before anything is merged. Orphans and oversized"
        " messages are flagged in the list and counted once.",
        (
            "test_every_kind_of_damage_is_repaired_and_a_second_time_there_is_none",
            "test_what_a_list_leaves_out_its_memories_know",
            "test_merged_messages_keep_all_their_texts",
            "test_system_messages_in_a_row_stay_apart",
            "test_an_evicted_message_is_an_orphan_until_it_returns",
            "test_a_session_that_nobody_knows_cannot_be_repaired",
            "test_repair_keeps_first_places_orders_and_only_then_merges",
            "test_an_emptied_session_is_still_a_session",
        ),
        "Out of order means that a later message stands before an earlier one: it is moved, and times are kept; the"
        " origin changes the times. Messages are put in order before those in a row are merged, which keeps both"
        " texts. A message that was said again is no duplicate, and is neither dropped nor merged. A session without"
        " messages is one still; one that nobody knows is an error.",
    ),
    Requirement(
        "Embeddings are generated via embedding::generate if available.",
        "Asked for each text where Recollect is a worker of an engine that has it; else the configured embedder is.",
        ("serve/test_iii_engine.py::test_vectors_are_the_engines_where_it_computes_some",),
        "`embedding::generate` is called where Recollect is a worker of an iii engine (`--iii-engine`) that has it, and"
        " no other embedder is configured; `RECOLLECT_ENGINE_EMBEDDINGS=false` keeps the bundled one. Elsewhere vectors"
        " are the bundled model's. They are computed in the background, and no answer shows them.",
    ),
    Requirement(
        "All contracts look at one store.",
        "An agent is a space; what another contract stored is recalled here, and the other way round.",
        ("test_what_is_stored_is_shared_with_other_contracts",),
        "An agent is a space of the store: what another contract stored in it is recalled here, and the other way"
        " round.",
    ),
)
