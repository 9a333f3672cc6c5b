"""What can go wrong, and how does a caller tell the cases apart?

RecollectError                 code: stable, for programs; message: for people
├── InvalidInput               invalid_input     an argument is wrong; `field` names it
├── NotFound                   not_found         no such record, space, entity or journal entry
├── Conflict                   conflict          the object changed, or the name is taken
├── Forbidden                  forbidden         whoever asks may not do this
├── Cancelled                  cancelled         the caller withdrew the request
├── SourceError                source_error      what was to be ingested could not be reached or read
├── StoreError                 store_error       the store could not be read or written
│   ├── NotAStore              not_a_store       the file is not a Recollect database
│   ├── NewerStore             newer_store       the file was written by a newer Recollect
│   ├── ReadOnlyStore          read_only_store   the file or its folder cannot be written
│   ├── StoreFull              store_full        the disk (or quota) is full
│   ├── StoreBusy              store_busy        another process held the store for too long
│   ├── StoreLost              store_lost        the connection to the store's server was lost
│   ├── StoreAway              store_away        the store's server cannot be reached
│   ├── StoreReplaced          store_replaced    the file was deleted, replaced or cut off while it was open
│   ├── StoreDamaged           store_damaged     something in the store is not as it was written
│   └── WrongClock             wrong_clock       this machine's clock cannot be right
├── EmbedderError              embedder_error    the embedding model failed or is missing
├── CompleterError             completer_error   the language model failed, or is not configured
└── ConfigError                config_error      a setting has a value that cannot be used
"""

ENDING = "The server is ending, and has no answer to this yet; ask again"
"""What the caller of a `Cancelled` call is told where it was not its own wish."""


class RecollectError(Exception):
    """The root of every error that Recollect raises on purpose."""

    code = "error"


class InvalidInput(RecollectError):
    """An argument is wrong. Nothing was changed."""

    code = "invalid_input"

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(f"{field}: {problem}")


class NotFound(RecollectError):
    code = "not_found"


class Conflict(RecollectError):
    code = "conflict"


class Forbidden(RecollectError):
    """Whoever asks may not do this. Nothing was changed. `scope` is that of a token which might."""

    code = "forbidden"

    def __init__(self, message: str, *, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


class Cancelled(RecollectError):
    code = "cancelled"


class SourceError(RecollectError):
    """A file, a page or a transcript could not be reached or read. Nothing of it was stored."""

    code = "source_error"


class StoreError(RecollectError):
    code = "store_error"


class NotAStore(StoreError):
    code = "not_a_store"


class NewerStore(StoreError):
    code = "newer_store"


class ReadOnlyStore(StoreError):
    code = "read_only_store"


class StoreFull(StoreError):
    code = "store_full"


class StoreBusy(StoreError):
    code = "store_busy"


class StoreLost(StoreError):
    """The connection to the store's server was lost. Whether something was changed is said; with a key it can be asked
    for again.
    """

    code = "store_lost"


class StoreAway(StoreError):
    """The store's server cannot be reached, and was waited for. Nothing was changed."""

    code = "store_away"


class StoreReplaced(StoreError):
    """The file was deleted, replaced or cut off while it was open. What was to be written is not there."""

    code = "store_replaced"


class StoreDamaged(StoreError):
    """Something in the store is not as it was written; `recollect doctor` tells what."""

    code = "store_damaged"


class WrongClock(StoreError):
    """This machine's clock cannot be right, so nothing is stamped with it. Nothing was changed."""

    code = "wrong_clock"


class EmbedderError(RecollectError):
    code = "embedder_error"


class CompleterError(RecollectError):
    """A language model could not be asked, or did not answer with a text."""

    code = "completer_error"


class ConfigError(RecollectError):
    code = "config_error"
