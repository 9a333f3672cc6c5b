"""Which notes say themselves that something changed, by single words that an index holds?"""

from __future__ import annotations

import pytest

from recollect.retrieve.change import changing_terms, read_said
from recollect.store.terms import terms

CHANGES = """
The rent is 345 euros now.
Beatriz retired; the bookkeeping is with Nuno.
Updates moved to Sunday nights.
The bounty was raised to 12,000.
Ferenc handed the rota to Oona.
Test deadline pushed to the fourteenth.
Molar runs Debian 13 since the weekend.
Default limit lifted to 80 requests.
We switched to Barnaby for grain.
The new sitter is Mrs Dobson.
Der Drucker am Empfang ist jetzt ein Kyocera.
Die Sprechstunde wurde auf Freitag verschoben.
Les mots de passe sont maintenant dans Bitwarden.
Le cours a lieu le jeudi depuis mars.
Ahora pagamos con Bizum.
La daily agora é às dez.
Lotte heeft zwemmen nu op maandag.
Теперь взнос 11 000.
布草改给下关的洁云洗涤。
""".strip().splitlines()
STANDS = """
The rent is 310 euros, paid by standing order.
My accountant is Beatriz; she wants receipts by the fifth.
Updates are installed on Wednesday afternoons.
Bug bounty: max payout 5,000.
Screens lock after five minutes.
The choir meets in the gym on Thursdays.
Der Drucker am Empfang ist ein Brother.
Le marché a lieu le samedi.
Mi madre vive en Sevilla.
Взнос 8500 в год.
床单送古城北门老杨洗衣房。
""".strip().splitlines()


@pytest.mark.parametrize(("texts", "expected"), [(CHANGES, True), (STANDS, False)])
def test_notes_that_tell_of_a_change_are_known_by_the_terms_that_stand_in_the_index(
    texts: list[str], expected: bool
) -> None:
    told = [not changing_terms().isdisjoint(terms(text)) for text in texts]
    assert told == [expected] * len(texts)
    assert [read_said(text).changing.changing for text in texts] == [expected] * len(texts)
