"""What may a language model be asked for today, and what was it asked for?

Before a call what it may take at most is set aside, in one transaction with the question whether it still fits, so that
processes that share a store keep to one limit together. Afterwards the row says what was really used. A call that fails
costs nothing; a process that dies in a call leaves what was set aside: the careful side.
"""

from __future__ import annotations

from msgspec import Struct

from recollect.engine.core import Core
from recollect.errors import CompleterError, ConfigError
from recollect.store.base import Edit, Shelf, View


class Spending(Struct, frozen=True, kw_only=True):
    """What a provider of a language model was asked for on one day (UTC); `spent` is in the currency of the prices."""

    day: str
    provider: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    spent: float = 0.0


_MILLION = 1_000_000
_PLACES = 6
LEDGER = Shelf("ledger", Spending)
"""A day (UTC) of a provider, under both."""


class OverLimit(CompleterError):
    """A call would take a provider over what it may be asked for in a day."""


class SetAside(Struct, frozen=True):
    """What a call may take at most, as it stands in the ledger."""

    held: Spending


def set_aside(core: Core, provider: str, tokens_in: int, tokens_out: int) -> SetAside:
    """Sets aside what a call may take, or raises `OverLimit`."""
    settings = core.settings
    if settings.summarizer_daily_spend > 0 and not _priced(core, provider):
        raise ConfigError(
            "RECOLLECT_SUMMARIZER_DAILY_SPEND needs prices: set RECOLLECT_SUMMARIZER_PRICE_IN and"
            " RECOLLECT_SUMMARIZER_PRICE_OUT, for a million tokens"
        )
    with core.store.write(actor=core.actor) as edit:
        day = edit.now.date().isoformat()
        more = _spending(core, day, provider, 1, tokens_in, tokens_out)
        so_far = _read(edit, day, provider)
        tokens = so_far.tokens_in + so_far.tokens_out + tokens_in + tokens_out
        if 0 < settings.summarizer_daily_tokens < tokens:
            raise OverLimit(
                f"{provider} may take {settings.summarizer_daily_tokens:,} tokens a day"
                f" (RECOLLECT_SUMMARIZER_DAILY_TOKENS), and this would be {tokens:,}"
            )
        spent = so_far.spent + more.spent
        if 0 < settings.summarizer_daily_spend < spent:
            raise OverLimit(
                f"{provider} may cost {settings.summarizer_daily_spend:g} a day"
                f" (RECOLLECT_SUMMARIZER_DAILY_SPEND), and this would be {spent:.4f}"
            )
        _add(edit, more)
    return SetAside(more)


def settle(core: Core, aside: SetAside, tokens_in: int, tokens_out: int) -> None:
    """Puts what was really used in place of what was set aside; (0, 0) where nothing came of it."""
    held = aside.held
    calls = 1 if tokens_in or tokens_out else 0
    used = _spending(core, held.day, held.provider, calls, tokens_in, tokens_out)
    with core.store.write(actor=core.actor) as edit:
        _add(edit, used, instead_of=held)


def spendings(view: View, days: int) -> list[Spending]:
    """The ledger of the last so many days on which anything was asked, the newest first."""
    asked = [row for row in view.kept(LEDGER).values() if row.calls > 0]
    named = sorted({row.day for row in asked}, reverse=True)[:days]
    return [row for day in named for row in asked if row.day == day]


def _read(view: View, day: str, provider: str) -> Spending:
    key = f"{day} {provider}"
    return view.kept(LEDGER, keys=(key,)).get(key) or Spending(day=day, provider=provider)


def _add(edit: Edit, more: Spending, instead_of: Spending | None = None) -> None:
    """Adds to a day of a provider, and takes off what was set aside for it."""
    so_far, off = _read(edit, more.day, more.provider), instead_of or Spending(day="", provider="")
    total = Spending(
        day=more.day, provider=more.provider, calls=so_far.calls + more.calls - off.calls,
        tokens_in=so_far.tokens_in + more.tokens_in - off.tokens_in,
        tokens_out=so_far.tokens_out + more.tokens_out - off.tokens_out,
        spent=round(so_far.spent + more.spent - off.spent, _PLACES),
    )  # fmt: skip
    edit.keep(LEDGER, {f"{more.day} {more.provider}": total})


def _priced(core: Core, provider: str) -> bool:
    """Models on this machine and the client's own cost us nothing; others need a price."""
    settings = core.settings
    return provider in ("ollama", "client") or settings.summarizer_price_in > 0 or settings.summarizer_price_out > 0


def _spending(core: Core, day: str, provider: str, calls: int, tokens_in: int, tokens_out: int) -> Spending:
    settings = core.settings
    own = provider == settings.summarizer
    price = settings.summarizer_price_in * tokens_in + settings.summarizer_price_out * tokens_out if own else 0.0
    return Spending(
        day=day, provider=provider, calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, spent=price / _MILLION
    )
