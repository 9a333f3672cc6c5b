"""What the memory-substrate contract asks of its envelope, memory_query, memory_remember, documents and prompts."""

from __future__ import annotations

from tests.contracts.requirement import NO_SEARCH_WAITS, SHORT_ANSWERS, Requirement

REQUIREMENTS = (
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    Requirement(
        "There are four tools, each with modes; agents may have to find them by a search for tools.",
        "Served in the contract's order, with a schema for each mode and annotations; the instructions say how to find"
        " them and in which order to use them.",
        ("test_the_server_says_who_it_is", "test_four_tools_have_an_alternative_for_each_mode"),
    ),
    Requirement(
        "Three documents and two prompts can be read.",
        "As Markdown, in our words: policy, playbook and summary; one prompt for the beginning and one for the end.",
        ("test_documents_and_prompts_can_be_read",),
        "The texts of documents and prompts are Recollect's own. The arguments of prompts may be left out.",
    ),
    Requirement(
        "Calls have args with mode, input_data and perhaps options; unexpected fields fail.",
        "Everything that is wrong is told at once, each with its place. Options are checked per mode.",
        (
            "test_a_field_that_nobody_knows_fails", "test_everything_that_is_wrong_is_told_at_once",
            "test_missing_parts_of_the_envelope_are_named", "test_bounds_of_options_are_kept",
            "test_what_is_wrong_inside_is_told_by_its_place_once",
        ),
        "Fields beside `args` fail too. `max_items` is at most 1,000.",
    ),
    Requirement(
        "The contract does not say how lenient its validation is.",
        "The envelope may be JSON text, options null, and a text may stand for a number, as clients are used to.",
        ("test_an_envelope_as_text_null_options_and_numbers_as_text_are_understood",),
        "The envelope may be JSON text, options may be null, and a text may stand for a number.",
    ),
    Requirement(
        "An unsupported mode is a clear ValueError.",
        "A result marked as an error, with that word, the mode and the modes that there are.",
        ("test_an_unsupported_mode_is_a_clear_value_error",),
    ),
    Requirement(
        "Modes of memory_maintain that change memory need options.apply=true.",
        "Without it, or with false, nothing happens and the error names options.apply.",
        ("test_modes_that_change_memory_must_be_confirmed",),
    ),
    Requirement(
        "Looking up an object that is missing keeps its id in the error.",
        "Object not found: ID, and Knowledge not found: ID for the lifecycle.",
        (
            "test_an_object_that_is_not_there_is_named",
            "test_a_lifecycle_write_needs_a_reason_and_knowledge_that_is_there",
        ),
    ),
    Requirement(
        "The root is configured outside of calls: a default folder, or MEMORY_SUBSTRATE_ROOT.",
        "The variable names the store's folder unless --home or RECOLLECT_HOME does. A server has one space.",
        (
            "test_the_root_of_the_origin_names_the_store_where_nothing_of_ours_does",
            "test_a_server_is_bound_to_the_space_that_it_is_given", "test_spaces_do_not_see_each_other",
        ),
        "The default folder is Recollect's, so that all contracts look at one store. `MEMORY_SUBSTRATE_ROOT` names"
        " another, unless `--home` or `RECOLLECT_HOME` does. A server sees one space (`--space`).",
    ),
    Requirement(
        "Knowledge has kind, title, summary, reason, memory_source, scope_refs, and may have subjects, evidence and a"
        " structured payload.",
        "Stored with an id of its own form; the answer has status after governance, patch, audit ids and counts.",
        (
            "test_knowledge_as_the_contract_shows_it", "test_knowledge_is_a_candidate_without_confidence_unless_told",
            "test_blank_and_overlong_words_are_refused_where_they_stand",
            "test_knowledge_cannot_be_of_a_kind_that_is_another_object", "test_a_date_stands_for_its_midnight",
            "test_a_month_and_words_name_a_time_as_everywhere",
        ),
        "`projection_count` counts the objects whose derived indexes were renewed.",
    ),
    Requirement(
        "Activities and work items are created alike.",
        "Activities are finalized, work items open and of medium priority unless told otherwise.",
        (
            "test_an_activity_and_a_work_item_as_the_contract_shows_them",
            "test_references_of_work_items_are_kept_and_followed",
            "test_what_is_wrong_with_a_work_item_is_told_once_and_where_it_stands",
        ),
        "A source that an activity or a work item names and that is not known yet is kept as a reference; it is no"
        " evidence.",
    ),
    Requirement(
        "Active claims of agents become candidates; active needs evidence or someone's word.",
        "Told by the status in the answer, or refused.",
        ("test_what_an_agent_inferred_is_a_candidate_and_active_needs_evidence",),
    ),
    Requirement(
        "Exact duplicates of structured claims are rejected, conflicting ones contested.",
        "The error names the claim that stands; the answer names the claims that are contradicted.",
        (
            "test_the_same_claim_is_rejected_and_the_one_that_stands_is_named",
            "test_another_value_for_the_same_subject_and_predicate_is_contested",
        ),
        "`conflicts_with` stands in the answer where there is a conflict.",
    ),
    Requirement(
        "Similar knowledge without a claim is stored, and possible_duplicates lists what it may repeat.",
        "As written, for the very same text too.",
        ("test_similar_plain_knowledge_is_stored_and_told",),
    ),
    Requirement(
        "Evidence must exist, and match in locator and hash where these are given.",
        "Refused otherwise, with the place of the reference and what it points at. A line within a segment matches it.",
        (
            "test_evidence_is_checked_down_to_locator_and_hash",
            "test_a_stale_fact_is_renewed_by_new_evidence_or_by_somebodys_word",
        ),
        "To state a stale claim again with new evidence, or as `user_declared` or `human_curated`, is no duplicate: it"
        " renews the stale one, which keeps its id.",
    ),
    Requirement(
        "Knowledge can be promoted, contested and superseded.",
        "Each with a reason; the new knowledge becomes active where it may be.",
        ("test_knowledge_is_promoted_contested_and_superseded",),
    ),
    Requirement(
        "A batch has entries that create.",
        "All are stored in one transaction or none is; problems are told with the entry they are in.",
        (
            "test_a_batch_stores_all_entries", "test_a_batch_with_one_bad_entry_stores_nothing",
            "test_a_batch_takes_only_entries_that_create",
            "test_a_batch_a_pack_and_a_graph_point_at_nothing_that_was_left_out",
        ),
        "A batch is atomic: all entries are stored, or none. An empty batch is a noop. Of a large one the answer shows"
        " the first results, and `object_ids` of all.",
    ),
    Requirement(
        "Answers carry patch and audit ids.",
        "They are entries of the journal, under the name of the client or of the actor given, and can be undone.",
        (
            "test_audit_ids_are_journal_entries_that_can_be_undone", "test_the_reason_of_a_write_stands_in_the_journal",
            "test_a_change_that_the_audit_shows_can_be_undone_by_a_person",
            "test_an_actor_that_is_named_is_the_one_in_the_journal",
        ),
        absent="A tool that takes a change back. `audit` shows each change with its `entry`, and a person undoes it by"
        " `recollect undo ENTRY`.",
    ),
    Requirement(
        "search and context sanitize long texts.",
        "Above 400 characters: the last labelled line, else the last question, else a labelled sentence, else the end.",
        (
            "test_a_prompt_in_place_of_a_question_is_sanitized",
            "test_a_prompt_in_one_paragraph_is_cut_at_its_sentences",
            "test_a_labelled_question_is_found_wherever_it_stands",
            "test_a_question_of_any_length_is_answered",
        ),
    ),
    Requirement(
        "search normalizes the query, widens it by words that mean the same, and tells how.",
        "Inferred filters are told and widen the search; they are not applied, so that nothing better is hidden.",
        (
            "test_a_search_says_how_it_was_made", "test_words_for_open_work_widen_the_search_and_hide_nothing",
            "test_a_question_about_nothing_that_is_stored_finds_nothing",
            "test_questions_for_open_work_find_it_whatever_else_holds_a_word",
        ),
        "Filters that a question seems to ask for widen the search and are told; they are not applied, so that nothing"
        " better is hidden. A question that asks for nothing but a kind of objects (\"what is left to do\") has"
        " them first.",
    ),
    Requirement(
        "Words match by phrase, terms, ids, metadata, locators and pairs of CJK characters; titles count most.",
        "As written; the words of structured claims count too.",
        (
            "test_scripts_without_spaces_are_searched_by_pairs",
            "test_a_phrase_in_a_title_goes_before_one_below_it", "test_an_id_in_the_question_finds_its_object",
            "test_claims_are_found_by_what_they_say", "test_nodes_are_found_by_a_part_of_their_name",
            "test_metadata_reasons_and_scopes_are_searched", "test_an_exact_id_or_path_stands_first",
        ),
        "What a question names by its id, path or address stands first, whatever the streams say.",
    ),
    Requirement(
        "Streams are fused by reciprocal ranks; items tell their streams, ranks and scores.",
        "k is 60. Each stream ranks by its own score, and takes in what stands out in it.",
        (
            "test_ranks_are_fused_by_their_reciprocals",
            "test_search_has_the_answer_first_nearly_as_often_as_the_engine",
            "test_the_score_of_a_source_is_that_of_its_likeliest_segment",
            "test_each_stream_ranks_by_its_own_score_and_the_score_is_a_probability",
            "test_only_likely_answers_count_as_accessed",
            "test_what_answers_goes_before_a_repository_that_more_leads_to",
            "test_a_source_with_very_many_matches_hides_no_other_object",
            "test_a_source_far_down_in_folders_is_read_like_any_other",
            "test_other_words_of_the_same_meaning_are_found_by_the_semantic_stream",
            "test_records_that_relations_lead_to_are_found_by_the_graph_stream",
        ),
        "The semantic stream is always there; `semantic_backend` of an answer names the model that serves it. Searching"
        " counts accesses, of likely answers alone (a `score` of 0.5 or more); `memory_query` counts as read-only all"
        " the same.",
        score="`score` is the probability that an object answers, between 0 and 1, of a source that its likeliest"
        " segment does; it is 1 where the question names the object or its kind. `rank_score` is reciprocal rank fusion"
        " (k = 60) of the streams in `retrieval_ranks`, and what the items are ordered by. Each stream ranks by its own"
        " score: `semantic_score` is how near the models"
        " that were asked find an object, between 0 and 1, `lexical_score` has no upper end. What holds words of the"
        " question is in the semantic stream as well only where it is about as likely an answer as the likeliest, so"
        " that a word that many objects share lifts none of them above the answer.",
    ),
    Requirement(
        "A hit in a source shows the chunks that matched.",
        "A source is found by its segments, and shows at most two of them.",
        ("test_a_source_is_found_by_its_segments_which_are_shown",),
        score="`distance` of a chunk is 1 less its `semantic_score`.",
    ),
    Requirement(
        "Filters by type, kind, status, node and source, in the singular or plural.",
        "All of them, together and alone; a type or status that does not exist is an error.",
        (
            "test_each_filter_leaves_what_it_names", "test_filters_that_name_nothing_that_exists_are_errors",
            "test_a_question_that_cannot_be_searched_for_is_an_error_at_its_place",
            "test_superseded_and_archived_objects_are_found_only_by_status",
        ),
    ),
    Requirement(
        "context answers with sections that point into items, tiers and a budget.",
        "As written; items alone say what things are.",
        (
            "test_a_context_pack_points_from_its_sections_into_its_items",
            "test_a_context_without_anything_says_so", "test_contested_items_are_named_as_conflicts",
            "test_a_context_shows_the_segment_that_matches_and_where_it_stands",
            "test_a_batch_a_pack_and_a_graph_point_at_nothing_that_was_left_out",
        ),
        "A source among the items of a context shows the segment that matches best, with its locator. Each of"
        " `deep_search_hints` is a whole call: a tool, a mode, its `input_data` and `options`.",
    ),
    Requirement(
        "max_items and snippet_chars bound answers.",
        "Twelve items in a context and ten elsewhere by default; titles, summaries, locators and payloads are cut too.",
        (
            "test_twelve_items_are_the_default_of_a_context_and_ten_of_the_others",
            "test_no_answer_is_larger_than_its_budget",
        ),
    ),
    Requirement(
        "page is compact unless full is asked for, and never full for a repo.",
        "As written; segments stand beside the object, and what was cut is told.",
        (
            "test_a_page_is_compact_unless_all_is_asked_for",
            "test_segments_stand_beside_the_object_when_asked_for", "test_the_page_of_a_repo_is_never_full",
            "test_a_page_names_the_opponents_of_a_contested_claim",
        ),
        "A full page of a source shows `max_items` of its segments, each whole. The page of a claim names those that"
        " contradict it in `conflicts_with`, and says of each piece of evidence whether it still says what it said.",
    ),
    Requirement(
        "expand shows an object with what is connected with it, and segments.",
        "The object itself comes first; other items say by which relation they were reached.",
        (
            "test_an_object_is_expanded_to_what_it_rests_on_and_what_rests_on_it",
            "test_evidence_that_moved_is_followed_and_evidence_that_is_gone_is_told",
            "test_evidence_in_an_archived_source_is_the_text_that_was_cited_or_none",
        ),
        "Evidence is followed by the hash of its text: where a segment moved within its source, it is shown where it"
        " stands now; where it is gone, a warning says so and nothing else is shown in its place.",
    ),
    Requirement(
        "graph shows nodes and edges around an object, with a schema of where each edge comes from.",
        "One step, or two across the subject of a claim.",
        (
            "test_a_graph_tells_where_each_edge_comes_from", "test_what_is_only_named_is_a_node_that_can_be_asked_for",
            "test_references_between_objects_are_edges_in_both_directions", "test_names_are_compared_exactly",
        ),
        "What is only named (as a subject or an object of a payload, as a scope, as a reference, as a file) is a node"
        " of kind `stub` or `scope`, and can be asked for by that name, letter by letter. A payload's subject and"
        " object without a predicate are kept among `subject_refs`.",
    ),
    Requirement(
        "recent lists what was changed last.",
        "By the time of the last change; segments show as their source.",
        (
            "test_recent_objects_are_those_that_were_changed_last",
            "test_recent_objects_are_found_behind_many_segments",
        ),
    ),
    Requirement(
        "The contract knows nothing of other servers.",
        "Records of other contracts are knowledge of their kind, and can be governed; what ended elsewhere has ended.",
        (
            "test_a_memory_of_another_contract_is_knowledge_of_its_kind",
            "test_an_id_of_another_contract_can_be_governed_here",
            "test_a_node_of_another_contract_is_a_node_at_the_end_of_an_edge",
            "test_what_no_longer_holds_elsewhere_does_not_hold_here", "test_two_processes_share_what_is_written",
            "test_what_was_written_is_there_for_another_process_and_after_a_restart",
        ),
        "Records of other contracts are knowledge of their kind, and can be governed; what ended elsewhere has ended"
        " here.",
    ),
)  # fmt: skip
