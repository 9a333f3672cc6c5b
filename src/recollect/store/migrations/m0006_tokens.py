"""Where are the vectors of single wordpieces kept?

Of each piece that has a vector, one small int8 vector for each of its wordpieces, one after another. Derived, like the
vectors beside them; a model that gives none leaves no row.
"""

STATEMENTS = ("CREATE TABLE tokens(vector INTEGER PRIMARY KEY, tokens BLOB NOT NULL)",)
