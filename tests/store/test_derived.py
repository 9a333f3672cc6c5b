"""What must every store do? What records rest on, and pieces of a source."""

from __future__ import annotations

from recollect.types import Claim, Evidence, Grounds

CLAIM = Claim(subject="s", predicate="p", value=1)
GROUNDS = Grounds(scopes=("x",), subjects=("n",), evidence=(Evidence(source="src:1"),), claim=CLAIM)
