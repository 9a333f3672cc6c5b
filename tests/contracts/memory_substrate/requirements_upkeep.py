"""What the memory-substrate contract asks of memory_ingest and memory_maintain."""

from __future__ import annotations

from tests.contracts.memory_substrate.requirements import Requirement

REQUIREMENTS = (
    Requirement(
        "repo stores a light map of a repository: code files, parsed modules, documents and sections, with lines.",
        "One source whose payload holds the indexes; its segments are the sections and how each module begins.",
        (
            "test_a_clean_repository_is_captured", "test_the_map_has_the_indexes_of_the_document",
            "test_other_patterns_are_no_noop", "test_a_repository_says_what_its_map_leaves_out",
            "test_patterns_that_fit_nothing_leave_the_map_as_it_was",
        ),
        "The map of a repository is capped at 300 documents, 400 sections, 500 code files and 200 modules; `left_out`"
        " says what the map does not hold. The repository, its languages and its 50 foremost modules become nodes.",
    ),
    Requirement(
        "Local and agent state is left out of a repo, and pending decisions name it, unless options.force is true.",
        "As written, wherever in the repository the state lies.",
        (
            "test_state_of_agents_is_left_out_until_somebody_decides",
            "test_state_of_agents_is_taken_in_when_forced",
        ),
    ),
    Requirement(
        "A repo whose fingerprint is unchanged is a noop that writes nothing.",
        "The fingerprint covers files and patterns.",
        ("test_an_unchanged_repository_is_a_noop_where_its_preflight_passes",),
        "A repo whose preflight does not pass is never a noop: it answers `completed_with_pending_decisions`, and"
        " writes nothing where nothing changed. A noop carries suggestions.",
    ),
    Requirement(
        "Sources say how they were captured, and how fresh that is.",
        "adapter and freshness in the metadata of the source.",
        (
            "test_adapter_and_freshness_say_how_evidence_was_captured",
            "test_evidence_in_an_archived_source_is_the_text_that_was_cited_or_none",
        ),
        "`freshness` is that of the last ingest: nobody looks at a file or a page in between. `is_current` is false of"
        " a source that was archived.",
    ),
    Requirement(
        "file, markdown, pdf, web and conversation capture one source each.",
        "The same path, address or conversation again replaces what it held; unchanged, it is a noop.",
        (
            "test_a_file_is_captured_in_segments_with_locators", "test_a_conversation_is_captured_message_by_message",
            "test_a_page_of_a_private_address_is_refused", "test_a_wrong_ingest_says_what_is_wrong",
            "test_messages_keep_what_was_said_of_them_and_are_found_by_it",
            "test_a_short_page_keeps_headings_code_tables_and_lists",
            "test_a_conversation_that_was_forgotten_stays_so_when_it_is_captured_again",
        ),
        "What was forgotten here stays so, and a warning counts it; where nothing else is left, the noop says"
        " `forgotten` as its reason. Messages of a conversation show their role, name and metadata as they were given,"
        " and their time in UTC. A"
        " web page of at most 20,000 characters is kept whole but for menus, footers and forms; of a longer one the"
        " main part is.",
        absent="Pages of private and loopback addresses: `web` refuses them.",
    ),
    Requirement(
        "Answers of an ingest carry advice in brief: candidates for concepts, a handoff, diagnostics.",
        "As written. Ingest stores no knowledge.",
        (
            "test_terms_that_may_deserve_a_memory_are_told_in_brief", "test_ingest_hands_over_to_the_agent",
            "test_concept_candidates_are_headings_and_terms_and_no_fragments",
            "test_commands_paths_licences_and_headings_of_changelogs_are_no_concepts",
        ),
    ),
    Requirement(
        "Answers carry the ids of the patch and of audit events.",
        "They are entries of the journal: the audit shows each, and each can be undone.",
        (
            "test_the_audit_shows_every_id_that_answers_carry",
            "test_every_change_of_a_round_can_be_undone_by_its_audit_id",
            "test_long_lists_of_an_answer_are_cut_and_counted",
        ),
        "An answer lists 100 audit ids at most, and counts the others.",
    ),
    Requirement(
        "Modes of memory_maintain that change memory need options.apply=true; report and others do not.",
        "As written. reindex only renews what is derived.",
        (
            "test_a_mode_that_changes_memory_must_be_confirmed", "test_other_modes_need_no_confirmation",
            "test_a_wrong_call_of_upkeep_says_what_is_wrong",
        ),
        "`reindex` takes `apply`, and ignores it: it only renews what is derived.",
    ),
    Requirement(
        "Nothing to do is a success with zero counts.",
        "status noop, no patch and no audit events.",
        ("test_nothing_to_do_is_a_success",),
    ),
    Requirement(
        "configure sets backends: file or kuzu, lancedb.",
        "They are recorded with the space; the answer says that Recollect's own graph and vectors serve.",
        ("test_backends_are_recorded_and_the_engine_that_serves_is_named", "test_derived_indexes_are_made_anew"),
        absent="Kuzu, LanceDB and graph files. Their names are accepted and recorded; Recollect's own graph and vectors"
        " serve, and every answer that names a backend says so.",
    ),
    Requirement(
        "repair drops references that are missing, and tells how derived indexes are.",
        "References of every field. What a claim says is told and kept.",
        (
            "test_references_that_lead_nowhere_are_found_and_repaired",
            "test_dangling_references_of_every_field_are_found_and_mended",
            "test_repair_leaves_alone_what_other_trackers_and_people_are_called",
        ),
        "A node that was given a name of its own (`node:harbour`), a person or the ticket of another tracker is there"
        " by being named: what can lead nowhere are ids that begin with `src:`, `know:`, `act:` or `work:`, and ids of"
        " nodes that this server minted. Those in a claim or a scope are told, and kept.",
    ),
    Requirement(
        "promote_candidates, merge_duplicates, decay_stale, and cycle as all three.",
        "By the engine's governance: only evidence that still says what it said promotes.",
        (
            "test_candidates_that_are_sure_and_evidenced_are_promoted", "test_claims_that_say_the_same_become_one",
            "test_what_was_not_verified_for_long_is_stale", "test_a_cycle_promotes_merges_and_decays",
            "test_a_cycle_with_a_wrong_time_does_nothing", "test_nothing_is_stale_before_the_first_year",
        ),
    ),
    Requirement(
        "archive_source retires a source; what rests on it alone is stale, what rests on others too is named.",
        "As written.",
        ("test_an_archived_source_makes_what_rests_on_it_alone_stale",),
    ),
    Requirement(
        "resolve_duplicates records a decision on soft duplicates that are still reported, with a reason.",
        "All of it or nothing, in one transaction. Pairs beyond those that a report lists are accepted as well.",
        (
            "test_the_newer_of_two_soft_duplicates_can_take_the_place_of_the_older",
            "test_both_can_be_kept_once_they_are_told_apart", "test_unclear_duplicates_can_be_contested",
            "test_a_resolution_that_cannot_be_is_refused", "test_what_is_no_soft_duplicate_cannot_be_resolved",
        ),
    ),
    Requirement(
        "report lists candidates, stale knowledge, duplicates and concept candidates, and changes nothing.",
        "Lists are cut; counts are whole, and left_out says what is missing.",
        (
            "test_a_report_of_an_empty_memory_is_empty", "test_candidates_are_told_apart_by_their_evidence",
            "test_evidence_that_changed_no_longer_promotes", "test_what_was_verified_long_ago_is_a_stale_candidate",
            "test_a_report_names_what_would_decay",
            "test_what_rests_on_text_that_changed_is_named_even_if_it_is_active",
            "test_a_soft_duplicate_comes_with_a_resolution_that_works",
            "test_a_concept_candidate_comes_with_knowledge_that_can_be_stored",
            "test_long_lists_are_cut_and_what_was_left_out_is_counted", "test_a_report_changes_nothing",
        ),
    ),
    Requirement(
        "Facts are checked: similar names of nodes, facts past their time, claims that differ.",
        "Claims are compared whatever their scopes and kinds; contested ones are still told.",
        ("test_facts_that_cannot_all_hold_are_issues",),
    ),
    Requirement(
        "Graph health compares counts and gives four insights, when a graph backend is configured.",
        "Always: objects are compared with the index of references. Nodes and relations are read where they stand.",
        (
            "test_the_health_of_the_graph_has_counts_and_four_insights",
            "test_what_is_only_named_is_part_of_the_graphs_health",
            "test_an_index_that_lost_something_says_so_until_it_is_made_anew",
        ),
        absent="`backend_counts` of nodes and relations: they are read where they are stored, and there is nothing to"
        " compare them with.",
    ),
)  # fmt: skip
