"""What the rusty-mem contract asks for, how it is met here, and which test shows it."""

from __future__ import annotations

from tests.contracts.requirement import COUNTED, NO_SEARCH_WAITS, SHORT_ANSWERS, SNAPSHOTS, Requirement

REQUIREMENTS = (
    COUNTED,
    NO_SEARCH_WAITS,
    SHORT_ANSWERS,
    Requirement(
        "Clients are told in two fixed sentences what the server is for.",
        "The server is called rusty-mem and gives these instructions; it has tools and resources.",
        ("test_the_server_says_who_it_is",),
        "`version` is Recollect's own.",
    ),
    Requirement(
        "There are six tools: search, push, summarize, get-collections, new-collection, metrics.",
        "They are listed in this order with their arguments, limits and defaults; a snapshot holds them.",
        (
            SNAPSHOTS,
            "test_the_tools_are_these_in_this_order",
            "test_a_wrong_argument_is_named_in_backticks",
        ),
        "Descriptions of tools are Recollect's own. An argument that nobody knows is an error that names it, in every"
        " tool.",
    ),
    Requirement(
        "search answers results with id, score, text, project_id, memory_type, tags, timestamp and source_uri; beside"
        " them collection, limit, the threshold under two names, and the filters that were used.",
        "All of them are always there but source_uri, which is left out where there is none.",
        ("test_a_search_answers_with_every_documented_field",),
        score="`score` says how likely a memory answers the question, 0 to 1, or is its cosine where that is higher"
        " (the origin's score was a cosine), and it is never below that of a result further down. The order is that"
        " of how likely results answer.",
    ),
    Requirement(
        "search may answer a context: text for a prompt that cites ids in brackets.",
        "It holds the results within 2,500 tokens, the best first, and is left out where there are none.",
        (
            "test_the_context_cites_every_result_by_its_id",
            "test_a_search_that_finds_nothing_has_no_context",
            "test_chunks_that_are_nearly_alike_are_all_answered",
            "test_of_a_long_answer_the_texts_are_cut_and_the_context_is_whole",
        ),
        "`context` holds the results within 2,500 tokens, the best first, and is left out where there are none.",
    ),
    Requirement(
        "project, type and k are other names of project_id, memory_type and limit.",
        "They count where the own name is not given, in every tool that has the argument.",
        ("test_other_names_of_arguments_are_understood",),
        "`project`, `type` and `k` are understood by `push` and `summarize` too, not by `search` alone.",
    ),
    Requirement(
        "Tags match any; a single text stands for a list of one; they must not be empty.",
        "Space around them is dropped. An empty list says nothing.",
        (
            "test_tags_filter_by_any_and_a_single_one_may_stand_alone",
            "test_an_empty_list_of_tags_says_nothing_wherever_it_stands",
        ),
        "White space around tags is dropped. An empty list of tags is the same as none, in `search`, `push` and"
        " `summarize`.",
    ),
    Requirement(
        "time_range takes RFC3339 texts: in search either bound or both, in summarize both; start is not after end.",
        "Both bounds belong to the range, and are echoed as they were written.",
        ("test_times_filter_by_either_bound_or_both",),
    ),
    Requirement(
        "project_id is default where it is left out; collection overrides the default collection.",
        "A collection is a space, made by the first push; a project is a label in it. A blank project is default.",
        ("test_projects_and_collections_are_apart",),
        "A collection is a space of the store, made by the first push and shared with other contracts; a project is a"
        " label in it. To search or summarize a collection that was named and does not exist is an error; the default"
        " one may be empty.",
    ),
    Requirement(
        "score_threshold leaves out what scores less; 0.25 unless it is set.",
        "As it says. What is unrelated scores 0 and is never a result.",
        (
            "test_a_score_threshold_leaves_weak_matches_out",
            "test_questions_in_other_words_are_answered_at_the_default_threshold",
            "test_no_memory_whose_cosine_reaches_the_threshold_is_left_out",
            "test_a_general_question_is_answered_by_a_brief_that_no_threshold_shortens",
        ),
        score="`score_threshold`, 0.25 unless told, is compared with this score. So a memory that a client would have"
        " seen by its cosine is not hidden, and neither is one whose answer stands in other words. A general question"
        ' ("what do you know about this project?") is answered by the brief, in its order; nothing was asked that a'
        " memory could answer, so"
        " its `score` is its importance now (or that of a more important one further down), and no threshold hides it.",
    ),
    Requirement(
        "push splits a document into chunks of 256 to 1,024 tokens and says how many it indexed, and of which size.",
        "Tokens are wordpieces of the bundled model. Chunks are filled to 512 tokens, which is chunkSize, and end at"
        " headings, paragraphs, lines or sentences; the one chunk of a short document may be smaller.",
        ("test_a_document_is_cut_by_tokens_and_nothing_of_it_is_lost",),
        "Tokens are wordpieces of the bundled model, whichever model embeds. Chunks are filled to 512 tokens, which is"
        " `chunkSize`, and end at headings, paragraphs, lines or sentences.",
    ),
    Requirement(
        "A chunk that its project holds is not stored again: it is skipped, or updated if tags or source_uri changed.",
        "Compared are text, collection and project. What a push does not mention stays as it is.",
        (
            "test_the_same_chunk_is_not_stored_twice_in_a_project",
            "test_a_chunk_that_stands_twice_in_one_document_is_stored_once",
        ),
        "A chunk that is pushed again with another `memory_type` is updated too. `chunksIndexed` counts all chunks of"
        " the document, whether they were new or not.",
    ),
    Requirement(
        "summarize consolidates episodic memories of a time range into a semantic summary with provenance.",
        "The summary is a semantic record whose metadata names its sources; it is found by search. The answer has the"
        " documented fields; provider and model only where a model wrote. Of too many memories, the newest count.",
        (
            "test_a_summary_consolidates_what_happened",
            "test_a_summary_is_semantic_keeps_its_sources_and_is_found",
            "test_summaries_of_one_scope_replace_each_other",
        ),
        "The same memories, summarized in the same way and length, answer the same summary. A scope (collection,"
        " project, type, tags and time range) has one summary: with other memories by now, or in another length, it"
        " is written anew under its id.",
    ),
    Requirement(
        "A scope without memories cannot be summarised.",
        "An error with code -32602 that says so.",
        ("test_a_summary_needs_memories",),
    ),
    Requirement(
        "limit of summarize is 50, capped by SEARCH_MAX_LIMIT.",
        "More than that is that; used_filters tells what was used.",
        ("test_more_memories_than_the_limit_of_the_server_are_capped",),
        "A `limit` of `summarize` above `SEARCH_MAX_LIMIT` is capped, and `used_filters` tells; one of `search` is an"
        " error.",
    ),
    Requirement(
        "strategy is auto, abstractive or extractive; provider ollama or none. The answer names what was really used.",
        "auto asks a model only where one is configured. abstractive without any is an error that says how to configure"
        " one. A model that fails, or was asked for enough today, gives way to extractive, and `note` says why.",
        (
            "test_abstractive_without_a_provider_says_how_to_configure_one",
            "test_a_client_that_lends_its_model_writes_the_summary",
            "test_a_client_that_refuses_gets_chosen_sentences_and_is_told",
            "test_a_model_that_nobody_asks_is_told_in_a_note",
        ),
        "A language model that fails, or was asked for enough today, gives way to `extractive`, and `note`, a field"
        " beside the documented ones, says why; it also says so where a `model` was named and nobody asked it. The"
        " client's own model (MCP sampling) writes where nothing else is configured, or where `RECOLLECT_SUMMARIZER`"
        " is `client`.",
        absent="A language model of its own. `abstractive` needs one that is configured or lent; without any it is an"
        " error that says how to configure one.",
    ),
    Requirement(
        "get-collections lists collections; new-collection makes sure that one exists with a vector size.",
        "Collections are the spaces of the store. A size that the embedder does not have is an error; an existing"
        " collection keeps everything.",
        ("test_a_collection_is_made_once_and_only_with_the_embedders_dimension",),
        absent="Collections of different dimensions, and resizing. All collections of a store have the embedder's;"
        " another `vector_size` is an error.",
    ),
    Requirement(
        "metrics tells documentsIndexed, chunksIndexed and lastChunkSize, which is null at first.",
        "They are kept in the store: they count over restarts, and over processes that share it.",
        ("test_metrics_count_documents_and_chunks", "test_metrics_and_memories_survive_a_restart"),
        "`metrics` are kept in the store: they count over restarts, and over all processes that share it.",
    ),
    Requirement(
        "What is wrong with an argument is told as a JSON-RPC error -32602 that names the field in backticks.",
        "So it is for every argument of every tool, and nothing is stored. Whole numbers may be written as 5.0; null is"
        " the same as nothing; types and strategies may be written in capitals.",
        (
            "test_a_wrong_argument_is_named_in_backticks",
            "test_null_is_the_same_as_nothing",
            "test_errors_are_of_the_protocol_with_their_code",
        ),
        "Whole numbers may be written as 5.0, types and strategies in capitals, and null is the same as nothing.",
    ),
    Requirement(
        "Five documents can be read: memory types, health, projects, settings, usage; a template has a project's tags.",
        "Served as JSON under their addresses; usage word for word. Projects and tags are those of all"
        " collections. In a project's address a slash is written %2F.",
        (
            "test_there_are_five_documents_and_a_template",
            "test_the_documents_say_what_holds",
            "test_projects_and_their_tags_can_be_read",
            "test_usage_is_served_word_for_word",
        ),
        absent="Qdrant. `mcp://health` keeps its word `qdrant` for the store: `url` is the store's file, `reachable`"
        " says that it could be read just now.",
    ),
    Requirement(
        "Environment variables set the default collection, limits, threshold, words and the dimension.",
        "QDRANT_COLLECTION_NAME, SEARCH_DEFAULT_LIMIT, SEARCH_MAX_LIMIT, SEARCH_DEFAULT_SCORE_THRESHOLD,"
        " SUMMARIZATION_MAX_WORDS and EMBEDDING_DIMENSION are read; one that cannot be used ends the start by name.",
        ("test_the_environment_sets_defaults_and_limits", "test_a_variable_that_cannot_be_used_is_named"),
        "`--space` names the default collection as well as `QDRANT_COLLECTION_NAME` does.",
    ),
    Requirement(
        "All contracts look at one store.",
        "What another contract stored without a project is of project default; what it forgot or ended is not found.",
        ("test_what_another_contract_stored_is_a_memory_of_the_default_project",),
        "What another contract stored without a project belongs to project `default`.",
    ),
)
