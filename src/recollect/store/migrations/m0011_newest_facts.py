"""Which facts of a space were stated last?

Every recall looks at them. Without an order of their own all facts of the space were sorted for it.
"""

STATEMENTS = ("CREATE INDEX relations_space ON relations(space_no, version) WHERE retired_at IS NULL",)
