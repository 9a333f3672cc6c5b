"""What does the trusty-memory contract ask for, how is it met, and which test shows it?"""

from __future__ import annotations

from tests.contracts.requirement import HOW_NEAR, NEAREST, NO_SEARCH_WAITS, SHORT_ANSWERS, Requirement

HTTP, IMPORT = "serve/test_http.py", "cli/test_import.py"
DREAM, PLACES, FOREMOST = "engine/test_dream.py", "engine/test_places.py", "engine/test_foremost.py"

REQUIREMENTS = (
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    # 1 Invocation
    Requirement(
        "1: --palace binds the server to a palace, which is made if it is missing",
        "the space is made before the first message is read",
        ("test_the_default_palace_is_made_at_the_start",),
    ),
    Requirement(
        "1: with --palace calls may leave out the palace; one that is given wins",
        "an argument goes before the default",
        ("test_a_named_palace_wins_over_the_default",),
    ),
    Requirement(
        "1: RUST_LOG filters the log, warn by default; the log goes to stderr alone",
        "the last level that the filter names is taken; --log-level goes before it",
        ("test_the_log_level_of_the_origin_is_honoured",),
        absent="Log levels of single modules in `RUST_LOG`: the last level that it names is taken for all.",
    ),
    Requirement(
        "1: the flags are those of the contract",
        "--palace with another contract, and --space with this one, are usage errors",
        ("test_the_flags_of_other_contracts_are_refused",),
    ),
    # 2 Transport
    Requirement(
        "2: notifications are never answered",
        "initialized and cancelled are heard in silence",
        ("test_notifications_get_no_answer",),
    ),
    Requirement(
        "2, 6: a line that is not JSON, or not UTF-8, is answered with -32700",
        "the id is null, since nobody can know it",
        ("test_what_is_not_json_or_not_text_is_a_parse_error",),
    ),
    Requirement(
        "2, 6: an unknown method is answered with -32601 and named",
        "Method not found: foo",
        ("test_every_example_is_answered_as_documented",),
    ),
    # 3 Handshake
    Requirement(
        "3: initialize answers with version, the tools capability and the server's name",
        "the client's protocol version, where we speak it, and Recollect's own version",
        ("test_every_example_is_answered_as_documented",),
        "`initialize` answers in the client's protocol version, up to the newest; the origin always says 2024-11-05.",
    ),
    Requirement(
        "3: serverInfo.default_palace is there with --palace and absent without",
        "as documented",
        ("test_the_server_names_its_palace_only_if_it_has_one",),
    ),
    # 4 The list of tools
    Requirement(
        "4: ten tools with these names, descriptions and schemas",
        "word for word, in the same order",
        ("test_there_are_ten_tools_in_the_documented_order",),
    ),
    Requirement(
        "4: the list as it stands on the wire",
        "a snapshot that derives from the table",
        ("test_the_documented_list_of_tools_is_sent_as_it_is", NEAREST),
        "Each tool also carries annotations (`readOnlyHint` and others).",
        f"HNSW, of which descriptions speak in the origin's words. {HOW_NEAR}",
    ),
    Requirement(
        "4: with --palace the palace leaves the required arguments and stays among the known",
        "nothing else changes",
        ("test_with_a_default_palace_nothing_but_the_requirement_changes",),
    ),
    Requirement(
        "decisions: honest annotations",
        "reading tools are read-only, memory_forget alone destroys, kg_assert alone is not idempotent",
        ("test_hints_tell_what_a_tool_may_do",),
    ),
    Requirement(
        "4: schemas are open: they do not forbid other properties",
        "arguments that no schema names are ignored",
        ("test_arguments_that_a_schema_does_not_name_are_ignored", "test_a_whole_number_may_have_a_point"),
        "An argument that no schema names has no effect, as the schemas allow it. Null is the same as leaving an"
        " argument out, and whole numbers may be written as 5.0.",
    ),
    Requirement(
        "4: nine named rooms, General when omitted, anything else a custom room",
        "rooms are exact strings",
        ("test_a_room_is_an_exact_string",),
    ),
    Requirement(
        "decisions: records of other contracts appear as drawers in General",
        "so does what was stored without a room",
        ("test_what_names_no_room_is_in_general",),
    ),
    # 5 Calls
    Requirement(
        "5: a result is one text part that holds JSON",
        "no structured content, no isError; fields in the documented order",
        ("test_every_example_is_answered_as_documented",),
    ),
    Requirement(
        "5 memory_remember: stores in a room with tags; answers with the drawer's UUID",
        "UUIDs of version 4",
        ("test_a_drawer_gets_a_random_uuid",),
    ),
    Requirement(
        "5 memory_remember: every call answers stored",
        "the same text in the same room keeps its drawer and gains the tags",
        ("test_the_same_text_in_one_room_is_one_drawer_with_all_tags",),
        "The same text in the same room keeps its drawer and gains the tags. The origin stores it twice, and recalls"
        " it twice.",
    ),
    Requirement(
        "decisions for all: a write that is not stored says so",
        "a text that recall itself made is refused with the reason",
        ("test_a_text_that_recall_made_is_refused_and_says_why",),
        "A text that a recall of Recollect rendered for a prompt is refused with the reason, so that memory does not"
        " fill with copies of itself.",
    ),
    Requirement(
        "decisions: memory_remember and kg_assert make the palace",
        "on first use",
        ("test_stating_a_triple_makes_the_palace",),
    ),
    Requirement(
        "decisions: memory_remember makes the palace",
        "on first use",
        ("test_remembering_makes_the_palace",),
    ),
    Requirement(
        "decisions: reading a palace that does not exist is an error",
        "open palace X: and why; nothing is made",
        ("test_reading_a_palace_that_is_not_there_fails_and_makes_nothing", "test_a_palace_must_exist_to_be_read"),
    ),
    Requirement(
        "5 memory_recall: layers 0, 1 and 2",
        "relevance first: a real match stands above what only importance brought in",
        (
            "test_recall_has_the_answer_first_as_often_as_the_search_of_another_contract",
            "test_nearly_every_answer_is_among_the_ten",
            "test_no_match_stands_below_what_is_only_important_nor_is_cut_off_by_it",
        ),
        "Relevance goes first: what the search found stands in its order, and a drawer that only its importance brought"
        " in fills what is left of `top_k`. The origin appends layers unsorted, so that fifteen important drawers stand"
        " before the answer.",
        score="A drawer that the search found (layer 2 or 3) scores how probably it answers, 0 to 1: above 0.5 it most"
        " likely does, below 0.25 most likely nothing in the palace does. The origin's scores are cosines; thresholds"
        " that were set by those do not fit.",
    ),
    Requirement(
        "decisions: what only L1 brought in scores importance x 0.15",
        "and where real matches are weaker than that, no more than the weakest of them",
        (
            "test_what_only_importance_brought_in_scores_a_share_of_it",
            "test_a_general_question_is_answered_by_a_brief_whose_scores_are_importance",
        ),
        score="A drawer that only layer 1 brought in scores importance × 0.15, and never more than the weakest that the"
        ' search found. A general question ("what do you know about this project?") is answered by the brief, in its'
        " order: nothing was asked that a drawer could answer, and every `score` is the importance of its drawer now.",
    ),
    Requirement(
        "decisions: what only L1 brought in stands below any real match",
        "its score is never above theirs",
        ("test_what_only_importance_brought_in_stands_below_the_weakest_match",),
    ),
    Requirement(
        "decisions: L1 is the fifteen most important drawers",
        "by importance now",
        ("test_no_more_than_fifteen_come_in_by_importance",),
    ),
    Requirement(
        "decisions: L0 is identity.txt; its row comes first and does not count against top_k",
        "its id is the nil UUID; no row where there is no text",
        ("test_the_identity_comes_first_and_does_not_count",),
        "The identity row has the nil UUID, comes first and does not count against `top_k`; without an identity there"
        " is none.",
    ),
    Requirement(
        "decisions: identity.txt lies in the palace's data_dir",
        "what a person writes there is read by the next call",
        ("test_the_data_dir_is_a_real_folder_of_the_palace",),
    ),
    Requirement(
        "decisions: the identity is also set by the command line",
        "recollect spaces identity",
        ("cli/test_cli_spaces.py::test_the_identity_of_a_space_is_shown_set_and_cleared",),
    ),
    Requirement(
        "5 memory_recall_deep: the exhaustive search, in the same shape",
        "three times the candidates, and nothing is folded behind a near-duplicate",
        ("test_deep_recall_looks_further_and_folds_nothing", "test_deep_recall_finds_as_much_as_the_plain_one"),
        "`memory_recall` shows the best of several near-identical drawers alone. `memory_recall_deep` looks at three"
        " times the candidates, has a second model read the best together with the question, and shows near-duplicates"
        " where `top_k` leaves room for them.",
    ),
    Requirement(
        "5 memory_recall_deep: slower, yet below 150 ms",
        "the second model reads while the answer is likely to come within 100 ms; what is not read keeps its place",
        (
            "engine/test_deep.py::test_reading_ends_when_its_time_is_over_and_the_answer_is_that_of_the_rest",
            "engine/test_deep.py::test_a_deep_recall_without_time_reads_as_much_as_a_plain_one",
        ),
        "How many of the best twenty the second model reads depends on their length and on the machine: it reads"
        " as long as the whole answer is likely to come within 100 ms, and what it has not read goes by the other"
        " signals. In a palace of up to 1,000 drawers a plain recall has the"
        " best five read too, if they are short.",
    ),
    Requirement(
        "decisions: what other contracts stored appears as drawers, but no code or documents in recall",
        "recall leaves them out, also of layer 1; memory_list and the count have them",
        ("test_code_and_documents_of_others_are_no_drawers_unless_their_room_is_asked_for",),
        "Memories of other contracts are recalled as drawers. Chunks of code and of documents are not: only"
        " `memory_list` and, over HTTP, a recall with a `room` show them, and `drawer_count` counts them.",
    ),
    Requirement(
        "5 memory_recall_deep: the example",
        "layer 3",
        ("test_the_example_of_deep_recall_has_the_same_shape",),
    ),
    Requirement(
        "decisions: effective importance = base halving in 90 days + 0.05 a recall up to 0.3, within 0.05..1",
        "computed whenever it is read; nothing is overwritten",
        (f"{FOREMOST}::test_importance_fades_and_use_keeps_it_up",),
    ),
    Requirement(
        "decisions: accesses count",
        "a drawer that was shown as a likely answer was accessed; one that only stood by was not",
        (
            "test_likely_answers_grow_more_important_and_what_else_was_shown_does_not",
            "engine/test_touches.py::test_what_was_shown_counts_as_recalled_only_if_it_probably_answers",
        ),
        "Recalls count accesses, and are marked `readOnlyHint: true` all the same: counting is bookkeeping, written"
        " within seconds. A drawer was accessed if it was shown with a score of 0.5 or more; what only stood by was"
        " not, so that noise does not grow important.",
    ),
    Requirement(
        "5 memory_list: by importance descending, 50 unless told otherwise",
        "by importance now, of equals the newest",
        ("test_drawers_are_listed_by_importance_now",),
    ),
    Requirement(
        "5 memory_list: filtered by room and tag, cut to limit",
        "as documented",
        ("test_drawers_are_filtered_by_tag_and_cut_to_the_limit",),
    ),
    Requirement(
        "5: times are RFC 3339 in UTC",
        "whole seconds with Z, as in the examples; order never depends on them",
        ("test_times_are_whole_seconds_and_order_does_not_depend_on_them",),
        "`created_at` is when something happened, where that is known, so that imported drawers keep their age.",
    ),
    Requirement(
        "5 memory_forget: deletes a drawer by its UUID",
        "for good: text, versions and vectors",
        ("test_a_drawer_is_deleted_for_good", "test_a_drawer_of_another_palace_is_left_alone"),
    ),
    Requirement(
        "decisions: forgetting an unknown id answers deleted",
        "the state that was asked for holds",
        ("test_forgetting_what_is_not_there_is_deleted_too",),
    ),
    Requirement(
        "decisions: a malformed id is an error",
        "memory_forget: invalid drawer_id UUID: ...",
        (
            "test_a_malformed_id_is_refused",
            "test_a_uuid_is_understood_in_all_its_forms",
            "test_what_is_no_uuid_is_not_taken_for_one",
            "test_an_id_in_another_form_of_uuid_is_found",
            "test_the_identity_is_no_drawer_to_delete",
        ),
    ),
    Requirement(
        "decisions for all: the id of any record in the space is accepted",
        "a record of another contract is shown and forgotten by its own id",
        ("test_a_record_of_another_contract_is_shown_and_forgotten_by_its_own_id",),
    ),
    Requirement(
        "5 palace_create: idempotent, and an error on conflict (it says both)",
        "answers created, keeps everything; a new description replaces the old",
        ("test_creating_a_palace_twice_keeps_everything_and_takes_the_new_description",),
    ),
    Requirement(
        "5 palace_info: id, name, number of drawers, folder",
        "the folder is there once the palace is",
        (
            "test_the_data_dir_is_a_real_folder_of_the_palace",
            "test_the_folder_of_a_palace_is_there_once_the_palace_is",
        ),
    ),
    Requirement(
        "5 kg_assert: closes the active triple of the same subject and predicate",
        "valid_to of the old is valid_from of the new, in one transaction; as_of still sees the old",
        (
            "test_a_new_triple_closes_the_one_before_it",
            "test_a_triple_keeps_the_spelling_it_was_stated_with",
            "test_the_clock_going_backwards_leaves_one_active_triple",
            "test_subjects_count_letter_by_letter",
        ),
    ),
    Requirement(
        "5 kg_assert: a prior active triple is closed before the new one is inserted",
        "also where both say the same: it holds anew from now on",
        ("test_a_triple_that_is_stated_again_holds_from_now",),
    ),
    Requirement(
        "decisions: confidence outside of 0..1 is an error",
        "nothing is made or changed",
        ("test_confidence_outside_of_its_range_is_an_error_and_changes_nothing",),
        "A confidence outside of 0..1 is an error; the origin clamps it.",
    ),
    # 6 Errors
    Requirement(
        "6: an unknown tool is -32603, unknown tool: NAME",
        "as documented",
        ("test_an_unknown_tool_is_an_internal_error",),
    ),
    Requirement(
        "6: a missing argument is -32603 with missing 'NAME'",
        "the tool's name stands before it, as in the document's longer example",
        ("test_a_missing_argument_is_named_with_its_tool",),
    ),
    Requirement(
        "6: no palace and no default is -32603 with the documented sentence",
        "before anything else that is missing",
        ("test_without_any_palace_the_message_says_so_first",),
    ),
    Requirement(
        "6: messages are for people and name the cause",
        "a value that does not fit is named with its field and its range",
        (
            "test_values_out_of_range_are_clear_errors",
            "test_a_value_of_another_type_is_told_as_the_schema_has_it",
            "test_a_fault_of_ours_is_told_with_its_cause",
        ),
    ),
    # 7 Shutdown
    Requirement(
        "7: SIGTERM and SIGINT end it with 0; running calls complete",
        "nothing that was answered is lost",
        ("test_a_signal_under_load_loses_nothing_that_was_answered",),
    ),
    Requirement(
        "7: the end of input ends it with 0",
        "after everything that was asked is answered",
        ("test_the_end_of_input_ends_the_server_after_its_work",),
    ),
    Requirement(
        "decisions for all: one store for all processes",
        "two servers on one palace see each other at once",
        ("test_two_servers_on_one_palace_see_each_other_at_once", "test_a_drawer_is_found_by_the_next_call"),
    ),
    Requirement(
        "decisions for all: what is stored is durable before the answer is written",
        "two servers that write at once lose nothing",
        ("test_both_write_at_once_and_nothing_is_lost",),
    ),
    # The dreamer
    Requirement(
        "decisions: near-identical drawers (cosine 0.95) are merged; the more important stays, tags are united",
        "the other is superseded",
        (f"{DREAM}::test_near_identical_records_become_one_with_all_tags",),
        "Near-identical drawers are not merged where a number or a negation differs, nor across rooms.",
    ),
    Requirement(
        "decisions: what was merged is kept in history and can be brought back",
        "every merge is a row of the journal; what was brought back is not merged again",
        (f"{DREAM}::test_a_merge_is_in_the_journal_and_undoing_it_holds",),
    ),
    Requirement(
        "decisions: closets are refreshed",
        "a closet is what the keyword index holds of a record; what differs from the text is mended",
        (f"{DREAM}::test_a_closet_that_differs_from_its_text_is_mended",),
    ),
    Requirement(
        "decisions: importance decays",
        "by age when it is read; the cycle counts what has faded",
        (f"{DREAM}::test_without_vectors_nothing_is_merged_and_the_rest_is_done",),
        "Importance fades by age when it is read; the dreamer overwrites nothing, so that nothing decays twice.",
    ),
    Requirement(
        "decisions: a palace dreams when it has been idle for 300 s",
        "and something is to be done in it",
        (f"{DREAM}::test_a_space_is_due_when_it_was_left_alone_for_long_enough",),
    ),
    Requirement(
        "decisions: with a budget of 5 s a cycle",
        "what is not done by then is left to the next",
        (f"{DREAM}::test_a_cycle_without_time_is_not_finished_and_the_next_goes_on",),
    ),
    Requirement(
        "7: dreamers are cancelled and end within two seconds",
        "at the next of many small steps",
        (f"{DREAM}::test_a_cancelled_cycle_ends_at_its_next_step",),
    ),
    Requirement(
        "7: dreamers run beside the calls",
        "a thread that ends with the server",
        (f"{DREAM}::test_the_thread_dreams_and_ends_when_it_is_told_to",),
    ),
    Requirement(
        "decisions for all: processes share a store",
        "one process at a time dreams of a palace, and a crash frees it",
        (f"{DREAM}::test_only_one_process_dreams_of_a_space_and_a_crash_frees_it",),
    ),
    Requirement(
        "decisions: it also runs on demand",
        "recollect dream, with --dry-run",
        ("cli/test_cli_dream.py::test_a_dream_is_told_and_a_dry_run_changes_nothing",),
    ),
    Requirement(
        "decisions: any name is a palace's",
        "each has a folder of its own on every file system",
        (f"{PLACES}::test_no_two_spaces_share_a_folder_even_where_case_is_ignored",),
    ),
    # The companion
    Requirement(
        "1, 7: --http serves the same engine in the same process",
        "what one way stores, the other finds",
        (
            f"{HTTP}::test_a_call_by_http_and_one_by_stdio_reach_the_same_engine",
            "test_without_http_nothing_of_the_web_is_loaded",
            "test_what_cannot_be_served_is_told_at_once",
            "test_the_token_may_stand_in_the_environment",
        ),
    ),
    Requirement(
        "7: the companion ends with stdin, and the other way round",
        "listeners are sent away first",
        (f"{HTTP}::test_it_ends_when_the_input_ends_and_listeners_are_sent_away",),
    ),
    Requirement(
        "decisions: GET /health answers ok",
        "as plain text, without a token",
        (f"{HTTP}::test_health_is_a_plain_ok",),
    ),
    Requirement(
        "decisions: GET /sse begins with connected",
        "heard by a real HTTP client",
        (f"{HTTP}::test_the_first_event_says_connected",),
    ),
    Requirement(
        "decisions: events for palaces, drawers, dreams and the status",
        "whoever made the change, in whichever contract or process",
        (
            "test_every_change_is_told_in_the_words_of_palaces",
            "test_changes_over_the_web_are_journalled_as_such",
            "test_changes_of_other_processes_and_contracts_are_told_too",
            "test_counts_are_those_of_the_moment_also_where_much_happens_at_once",
        ),
    ),
    Requirement(
        "decisions: palaces under /api/v1",
        "made, listed and described",
        (
            "test_palaces_are_made_listed_and_described",
            "test_status_counts_everything",
            "test_vectors_are_counted_where_there_are_some",
            "test_names_are_decoded",
        ),
        vectors="Over [HTTP](../http.md) `status` counts vectors as they are now; the event `status_changed` follows"
        " changes, so that vectors computed later are told with the next one.",
    ),
    Requirement(
        "decisions: drawers and recall under /api/v1",
        "the values of the tools",
        (
            "test_a_drawer_is_stored_listed_recalled_and_deleted",
            "test_drawers_are_filtered_and_paged",
            "test_the_text_of_a_drawer_may_be_called_content",
            "test_deep_recall_says_so_by_its_layer",
            "test_what_cannot_be_is_refused_by_name",
            "test_answers_over_the_web_are_whole_however_long",
        ),
        "Over [HTTP](../http.md) answers are whole, however long, and an unknown drawer cannot be deleted (404).",
    ),
    Requirement(
        "decisions: triples under /api/v1",
        "the values of the tools",
        ("test_triples_are_stated_and_queried",),
    ),
    Requirement(
        "decisions: dream/run and dream/status",
        "one cycle in every palace, and what the last ones did",
        ("test_dreams_are_run_and_told_of",),
        "`pruned` and `compacted` of `dream/run` and `dream/status` are always 0: a dream deletes nothing.",
    ),
    Requirement(
        "decisions: loopback needs no token, another address does not start without one",
        "and then every request but /health must show it",
        (f"{HTTP}::test_beyond_this_machine_nothing_is_served_without_a_token",),
    ),
    Requirement(
        "decisions: an existing data root can be taken over",
        "recollect import trusty-memory tells what it could not read",
        (f"{IMPORT}::test_what_cannot_be_read_is_told_with_its_reason_and_the_rest_comes",),
    ),
)
