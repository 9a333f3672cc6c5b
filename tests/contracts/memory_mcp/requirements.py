"""What the memory-mcp contract asks for, how it is met here, and which test shows it."""

from __future__ import annotations

from tests.contracts.requirement import (
    COUNTED,
    HOW_NEAR,
    NEAREST,
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    SNAPSHOTS,
    Requirement,
)

REQUIREMENTS = (
    COUNTED,
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    Requirement(
        "The server is called memory-mcp, has tools and nothing else, and a fixed sentence of instructions.",
        "Served as written, in the client's protocol version.",
        ("test_the_server_says_who_it_is",),
        "`version` is Recollect's own, here and in `get_status`, so that a report of a fault names the program that"
        " ran.",
    ),
    Requirement(
        "There are 21 tools in a fixed order, each with a fixed input schema.",
        "The schemas are served word for word; a snapshot holds them. Annotations are added.",
        (
            SNAPSHOTS,
            "test_the_tools_are_these_in_this_order",
            NEAREST,
        ),
        "Tools carry annotations (`readOnlyHint` and others), and their descriptions go on after the origin's sentence."
        " None speaks of HNSW.",
        absent="HNSW, SurrealDB and their settings. Vectors, words and graph are kept in Recollect's own store."
        f" {HOW_NEAR}",
    ),
    Requirement(
        "Results are JSON objects.",
        "They are sent as JSON text, and short ones as structured content to clients that know it.",
        (
            "test_a_memory_lives_through_its_five_tools",
            "test_structured_content_says_the_same_as_the_text",
            "contracts/test_fit.py::test_a_long_answer_is_structured_where_its_form_is_declared_and_else_text",
            "test_one_memory_is_answered_whole_and_a_page_keeps_every_entry",
        ),
        "Results are JSON text, as the origin's; one of at most 2 KB stands in `structuredContent` too. `get_memory`"
        " and `update_memory` answer their memory whole, up to 100 KB; a page of `list_memories` has every entry,"
        " with long contents and metadata cut, and its `note` says how long it is where that is above 25 KB.",
    ),
    Requirement(
        "store_memory answers an id of 20 letters and digits.",
        "Memories, entities and relations that are made through this contract have such ids.",
        ("test_what_is_stored_here_gets_an_id_of_twenty_characters",),
        "A memory that another contract stored keeps the id it has, which may be longer than 20 characters, and is"
        " accepted here.",
    ),
    Requirement(
        "The contract says nothing of storing the same content twice.",
        "A memory that is the same in content, type, user and metadata answers the id it has; any other is stored.",
        ("test_the_very_same_memory_again_is_the_one_that_is_held",),
        "The very same memory (content, type, user and metadata) stored again answers the id it has; the origin"
        " stores it twice. So a call that is repeated after a broken connection does no harm.",
    ),
    Requirement(
        "Content has 1 byte to 100 KB.",
        "Up to 102,400 bytes of UTF-8 that are not all white space; else an error names content.",
        ("test_content_has_one_byte_to_a_hundred_kilobytes",),
        "Content of white space alone is refused, and so is content above 102,400 bytes.",
    ),
    Requirement(
        "Some arguments are nullable; no schema forbids further arguments.",
        "Null means the same as leaving an argument out, for every argument; unknown ones are ignored. So is an empty"
        " text where a label may be null.",
        (
            "test_null_and_unknown_arguments_are_as_if_they_were_not_there",
            "test_whole_numbers_may_have_a_point",
        ),
        "An argument that no schema names is let pass and has no effect, as the origin does it; null is the same as"
        " leaving an argument out, and so is an empty text where null is allowed. Whole numbers may be written as 5.0.",
    ),
    Requirement(
        "get_memory shows a memory without its vector, its id as an object with table and key.",
        "So does every answer that shows whole memories: update, list, get_valid, get_valid_at.",
        ("test_a_memory_lives_through_its_five_tools",),
        "A memory of another contract that says no beginning shows the time at which it was stored as `valid_from`.",
    ),
    Requirement(
        "update_memory changes the given fields alone and embeds new content.",
        "As written; new metadata takes the place of the old.",
        (
            "test_an_update_changes_what_it_names_and_nothing_else",
            "test_updated_content_is_found_by_what_it_says_now",
        ),
    ),
    Requirement(
        "delete_memory removes for good.",
        "Versions, index, vectors and the journal's copy go too. An unknown id answers false.",
        ("test_deleting_leaves_nothing_and_deleting_nothing_says_so",),
    ),
    Requirement(
        "list_memories pages through all memories, newest first.",
        "By the time of storing; those that are no longer valid are listed and counted.",
        ("test_the_list_is_newest_first_in_pages_and_leaves_nothing_out",),
        "`list_memories` lists what is no longer valid as well; `get_valid` leaves it out.",
    ),
    Requirement(
        "Memories and code chunks are two things.",
        "Records of kind code are code chunks, all others memories, in every tool alike.",
        ("test_code_chunks_are_no_memories_but_answer_to_their_ids",),
    ),
    Requirement(
        "search goes by vectors.",
        "The score is the cosine; only valid memories are found.",
        (
            "test_three_searches_find_a_memory_each_in_its_way",
            "test_search_goes_by_meaning_alone",
            "test_searches_see_only_what_is_valid_now",
            "test_an_empty_space_is_searched_in_vain",
            "test_a_question_in_a_script_that_the_model_cannot_read_goes_by_words",
            "test_a_memory_that_the_model_cannot_read_is_found_by_words_beside_those_it_can",
            "test_a_search_for_memories_does_not_wait_for_the_vectors_of_code",
        ),
        "`search`, `search_text` and `recall` find only memories that are valid now, those of every `user_id`: none of"
        " the three takes a user.",
        score="`search` serves the cosine of question and memory, -1 to 1, unscaled, as the origin did. Which cosine"
        " is a good one depends on the model; no threshold is applied. Where the question or a"
        " memory is in a script that the model cannot read, or a memory has no vector yet, it is the share of the"
        " question's words that the memory holds, 0 to 1; a memory without a vector that holds none is left out.",
        vectors="Searches for memories never wait for the vectors of code.",
    ),
    Requirement(
        "search_text goes by BM25 and needs no model.",
        "The score is BM25; nothing of a model is loaded.",
        ("test_search_text_goes_by_words_and_loads_no_model",),
        score="`search_text` serves BM25 (k1 0.9, b 0.4): above 0, without an upper end. It orders one answer; scores"
        " of two questions cannot be compared.",
        vectors="`search_text` waits for nothing and loads no model.",
    ),
    Requirement(
        "recall combines vectors, BM25 and personalised PageRank by three weights and echoes each.",
        "The weighed sum of a scaled cosine and of BM25 and PageRank relative to their best; raw values are echoed.",
        (
            "test_recall_echoes_what_each_signal_says",
            "test_a_weight_of_zero_switches_its_signal_off",
            "test_weights_decide_the_order",
            "test_graph_weight_alone_starts_at_the_words",
        ),
        "What no signal speaks for is left out of `recall`. A signal whose weight is 0 does not lead into the graph"
        " either; with `ppr_weight` alone the words say where to begin.",
        score="`recall` serves the weighed sum of three signals, 0 to the sum of the weights: the cosine on a scale on"
        " which unrelated texts have 0, and BM25 and PageRank as shares of their best. `vector_score`, `bm25_score` and"
        " `ppr_score` are the raw values.",
    ),
    Requirement(
        "The graph reaches memories through the entities that they name and through their successors.",
        "Hits of both lists and the entities that the question names are seeds; subgraph_nodes counts what was walked.",
        (
            "test_the_graph_finds_what_neither_words_nor_vectors_would",
            "test_what_was_superseded_leads_to_its_successor",
        ),
        "Memories are linked by the names that stand in them, also before anyone makes entities of these names: the"
        " graph works without `create_entity`.",
    ),
    Requirement(
        "When memories and code are both asked for, their scores are z-scores.",
        "Of all that was fetched for each; project_id and language narrow the code alone.",
        ("test_memories_and_code_are_merged_by_z_scores",),
        "Every result of `recall` has `file_path`, `start_line` and `end_line`; they are null for memories.",
        score="Where `recall` is asked for memories and code, `score` is a z-score: standard deviations above the"
        " mean of what was fetched of its kind. About half of them are below 0.",
    ),
    Requirement(
        "Vector search while the model is not there is an error with a fixed sentence.",
        "Where no embedder is configured, or it fails. recall then goes on by words and graph.",
        ("test_recall_goes_on_without_a_model_and_search_says_that_there_is_none",),
        "`recall` goes on by words and graph where there is no model; `search`, which goes by vectors alone, says that"
        " the embedding service is not ready.",
    ),
    Requirement(
        "create_entity and create_relation answer ids; relations are directed, typed and weighted from 0 to 1.",
        "Relations join entities that are known; several of one type stand beside each other.",
        (
            "test_entities_are_made_related_and_found",
            "test_one_entity_may_have_many_relations_of_one_type",
            "test_a_relation_needs_two_entities_that_are_known",
        ),
        "An entity that is not known answers `Entity not found: X`. Names are accepted in place of entity ids.",
    ),
    Requirement(
        "The contract says nothing of two entities of one name; user_id isolates.",
        "A name that the user knows is that entity; what is given replaces what it had. Case and user tell names"
        " apart.",
        (
            "test_a_name_that_is_known_is_the_entity_that_has_it",
            "test_entities_of_other_spelling_or_of_another_user_are_left_alone",
            "test_a_name_that_two_users_have_asks_for_an_id",
        ),
        "`create_entity` with a name that the same `user_id` has used answers the id it has, and replaces what is"
        " given. Names count letter by letter. Where a name is given in place of an id and several users have it, the"
        " error lists their ids.",
    ),
    Requirement(
        "get_related walks 1 to 3 steps out of, into, or both ways from an entity.",
        "Breadth first, the nearest first, without the start.",
        (
            "test_related_entities_are_found_as_far_as_asked",
            "test_related_entities_are_found_in_the_direction_asked",
        ),
        "Entities of `get_related` have id, name, entity_type, description, user_id and created_at; relations have id,"
        " from_entity, to_entity, relation_type, weight, valid_from and valid_until. The document does not show any.",
    ),
    Requirement(
        "get_valid lists what holds now, get_valid_at what held at a time.",
        "By the period in which a memory holds, as it is known now. Newest first.",
        (
            "test_time_is_asked_for_in_three_ways",
            "test_a_memory_holds_from_when_it_was_stored_until_it_is_invalid",
            "test_a_user_is_a_label_that_can_be_asked_for",
            "test_times_are_read_in_any_zone_and_told_in_utc",
        ),
        "A `timestamp` without a zone is taken as UTC. Answers are in UTC.",
    ),
    Requirement(
        "invalidate ends a memory now, with a reason and a successor.",
        "Both are kept. An unknown id answers false, an unknown successor is an error; the first end stays the end.",
        (
            "test_a_successor_takes_over_and_the_past_still_shows_the_old",
            "test_what_ended_once_ended_then",
            "test_nothing_is_invalidated_by_an_unknown_id",
            "test_why_a_memory_was_ended_can_be_read_back",
        ),
        "`get_memory` and `update_memory` of an ended memory have `invalidation_reason`, on one line, and"
        " `superseded_by`, where they were given. `invalidate` of what has ended already keeps the first end, and takes"
        " a new reason. A `superseded_by` that is not known is an error, and then nothing is invalidated.",
    ),
    Requirement(
        "Code is indexed, searched, told of and dropped by five tools.",
        "index_project answers when it is done or after ten seconds; an unknown project is an error, or 0 dropped.",
        (
            "test_code_is_indexed_found_counted_and_dropped",
            "test_a_project_must_be_a_folder",
            "test_indexing_that_takes_long_answers_with_the_counts_so_far",
            "test_a_small_project_is_completed_when_indexing_answers",
            "test_functions_that_are_nearly_alike_are_all_found",
        ),
        "`index_project` answers when files are read and vectors computed, or after ten seconds with the counts so"
        " far; the rest goes on in the background.",
        score="`search_code` serves how probably a chunk answers, 0 to 1, not a cosine: words and names count beside"
        " vectors. Above 0.5 it most likely does.",
    ),
    Requirement(
        "decisions: progress and eta are real, and cover vectors.",
        "completed means that a search by meaning finds it; the eta is what vectors took lately, times what waits.",
        (
            "test_a_project_is_completed_when_its_vectors_are",
            "engine/test_behind.py::test_a_process_that_has_just_begun_knows_how_long_vectors_take",
        ),
        vectors="`get_index_status` says `completed` when every chunk of the project has its vector. Reading files"
        " counts as a tenth of `progress_percent`. `eta_seconds` is null until something was measured; what was is"
        " kept in the store, also over a restart. `completed_at` is when the last vector was there.",
    ),
    Requirement(
        "recall filters code by project and language.",
        "Languages in any case; what is not there is an error that names what is.",
        (
            "test_languages_are_known_in_any_case_and_what_is_not_there_is_told",
            "test_memories_and_code_are_merged_by_z_scores",
        ),
        "A `project_id` that is not indexed is an error that names those that are; so is a `language` that is neither"
        " one of the document's five nor one of indexed code. Languages may be written in capitals. Without"
        " `include_code` neither has an effect.",
    ),
    Requirement(
        "get_status counts, and tells of the embedder: loading, ready or error.",
        "Of the bound space. Nothing is loaded for it; the cache is that of the questions' vectors.",
        (
            "test_the_status_counts_and_the_reset_empties",
            "test_the_model_is_ready_when_it_has_worked_and_asking_has_it_loaded",
            "test_a_server_without_an_embedder_is_degraded_and_stores_by_words",
            "test_the_status_says_how_many_records_wait_for_their_vectors",
        ),
        "The model is loaded when it is first needed. `get_status` says `ready` once it has worked in this process,"
        " `loading` before that (and has it loaded), `error` when it failed or none is configured; `status` is"
        " `healthy`, or `degraded` while the embedder or other work in the background fails, or none is configured."
        " `ready` is said of the model: while records wait for their vectors, `embedding` says how many as `waiting`.",
    ),
    Requirement(
        "store_memory, update_memory with other content, search and index_project fail while the embedding service is"
        " not ready, with a fixed sentence.",
        "Where the embedder failed, or is on a server that has not answered yet, it is tried for a second, then the"
        " sentence is told and nothing is stored. A model on this machine is loaded meanwhile; nobody waits for it.",
        (
            "test_a_dead_embedder_is_told_wherever_it_is_needed",
            "test_who_tries_again_stores_as_soon_as_the_embedder_answers",
        ),
        "`store_memory`, `update_memory` and `index_project` say that the embedding service is not ready where it"
        " failed, or does not answer within a second; then nothing is stored, and each new try asks it again. The"
        " bundled model is loaded while they go on. With `RECOLLECT_EMBEDDER` set to `none` they store, and what they"
        " store is found by its words: nobody is told to try again in vain.",
    ),
    Requirement(
        "reset_all_memory removes everything if, and only if, confirm is true, and never fails otherwise.",
        "Of the bound space, in one transaction, journalled; the space itself stays.",
        (
            "test_a_reset_removes_all_of_its_space_and_counts_it",
            "test_a_reset_that_breaks_off_has_removed_nothing",
            "test_a_reset_is_in_the_journal_and_leaves_no_text",
            "test_after_a_reset_what_is_stored_is_found",
            "test_a_reset_by_one_server_is_seen_by_the_other",
            "test_only_a_plain_true_confirms",
            "test_a_reset_ends_what_is_being_indexed",
        ),
    ),
    Requirement(
        "Errors are results that are marked as errors, with the sentences that the contract lists.",
        "Those of memories, paths, database and embedder are word for word; a wrong argument is told with its name.",
        (
            "test_what_is_wrong_is_named",
            "test_a_store_that_fails_is_told_in_one_sentence",
            "test_errors_reach_a_client_as_results",
        ),
        "Limits and depths out of range are errors that name the argument; nothing is clamped.",
    ),
    Requirement(
        "One server is bound to one space; all contracts look at one store.",
        "What one contract stores, ends or removes is so for all; records of other kinds are memories here.",
        (
            "test_a_server_sees_its_own_space_alone",
            "test_a_server_is_bound_to_the_space_that_it_was_given",
            "test_what_one_contract_stores_another_finds",
            "test_what_is_invalid_for_one_is_invalid_for_all",
            "test_a_message_a_section_and_a_dated_record_appear_as_memories",
        ),
        "One server is bound to one space (`--space`, `default` unless told) and shares it with every other contract:"
        " drawers, messages, segments and facts that others stored there are memories here. `user_id` is a label inside"
        " of it.",
    ),
)
