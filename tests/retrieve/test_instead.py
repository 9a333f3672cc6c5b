"""What stands in the place of the word that is asked for: of another thing, or of the same in other words?"""

from __future__ import annotations

import pytest

from recollect.retrieve.instead import says_instead
from recollect.store.terms import query_terms

OF_ANOTHER = [
    ("The gate code is 11-33-K.", "The cabin code is 88-20-K.", "gate code"),
    ("The Canon printer takes toner T650.", "The Brother printer takes toner B220.", "which toner for the Canon?"),
    ("Checkout API times out after 3 s.", "Catalog API times out after 8 s.", "checkout timeout"),
    ("Dev cluster runs Kubernetes 1.28.", "Prod cluster runs Kubernetes 1.31.", "Kubernetes version of dev"),
    ("Painted the study in Sage No. 4", "Painted the bedroom in Chalk No. 9", "what colour is the study?"),
    (
        "Beginners' class Saturdays 11:00, eight places, Ida teaches",
        "Advanced class Tuesdays 18:00, ten places, Ugo teaches",
        "who teaches beginners?",
    ),
    ("Oven: 45 minutes at 180 for the rye", "Oven: 35 minutes at 220 for the rolls", "how long does the rye bake?"),
]
OF_THE_SAME = [
    ("The gate code is 1133.", "The gate code is 8820.", "gate code"),
    ("The API gateway listens on port 8080.", "Gateway is on 9090 these days, the old port clashed.", "gateway port?"),
    ("We send newsletters with Mailchimp.", "The newsletter goes out through Buttondown.", "what sends newsletters?"),
    ("Our family doctor is Dr. Weiss.", "Our family doctor is Dr. Adeyemi.", "who is our doctor?"),
    ("The design review is every Tuesday at 10.", "The design review is every Thursday at 14.", "design review"),
    ("The choir meets Mondays 19:30 in the hall", "The choir meets Tuesdays 20:00 in the crypt", "choir"),
    ("Membership 36 euros a year, students 18", "The fee is 42 euros a year, students 20", "membership fee"),
    ("Standup 9:30 on Mondays", "Daily 10:15 on Tuesdays", "when is standup?"),
    ("Loaf 7: 70 % water, 2 g salt, best crumb", "Loaf 9: 75 % water, 3 g salt, 1 h autolyse, a record", "best loaf"),
    ("Rent is due on the 1st.", "We pay the rent on the 5th of each month.", "when is the rent due?"),
    ("Postgres runs on port 5432.", "Postgres runs on port 5433 because Docker takes 5432.", "postgres port"),
]


@pytest.mark.parametrize(("older", "newer", "question"), OF_ANOTHER)
def test_another_word_in_the_place_of_the_one_that_is_asked_for_is_of_another_thing(
    older: str, newer: str, question: str
) -> None:
    assert says_instead(frozenset(query_terms(question)), older, newer)


@pytest.mark.parametrize(("older", "newer", "question"), OF_THE_SAME)
def test_another_value_or_other_words_are_of_the_same_thing(older: str, newer: str, question: str) -> None:
    assert not says_instead(frozenset(query_terms(question)), older, newer)
