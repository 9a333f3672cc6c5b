"""How many requests may one client make, and how many wrong tokens may be tried from one address?"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from recollect.serve.admission import Refused

TRIES = 10
"""So many wrong tokens may come from one address in a row; then one more every `TRY_SECONDS`."""
TRY_SECONDS = 6.0
BURST_SECONDS = 2.0
"""A client that was silent may make the requests of so many seconds at once."""
_KNOWN = 10_000  # clients that are kept in mind


class Pace:
    """Lets each client do something so many times a second, and some times at once. Lives in an event loop alone."""

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = monotonic) -> None:
        self._a_second = a_second
        self._at_once = at_once
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """So many seconds until the client may do it again; 0 where it may now."""
        left = self._now(client)
        return 0.0 if left >= 1.0 else (1.0 - left) / self._a_second

    def take(self, client: str, times: int = 1) -> None:
        """It is done; more often than is left means a longer wait until the next time."""
        self._left[client] = (self._now(client) - times, self._clock())
        self._left.move_to_end(client)
        while len(self._left) > _KNOWN:
            self._left.popitem(last=False)

    def _now(self, client: str) -> float:
        left, at = self._left.get(client, (self._at_once, self._clock()))
        return min(self._at_once, left + (self._clock() - at) * self._a_second)


class Limits:
    """What a server lets one client do. Without a rate, requests are not counted; wrong tokens always are."""

    def __init__(self, rate: float = 0.0, clock: Callable[[], float] = monotonic) -> None:
        self._requests = Pace(rate, max(rate * BURST_SECONDS, 1.0), clock) if rate > 0 else None
        self._tries = Pace(1 / TRY_SECONDS, TRIES, clock)
        self._rate = rate

    def failed(self, host: str) -> None:
        """A wrong token came from an address; refused in its own way where that happens too often."""
        seconds = self._tries.wait(host)
        if seconds:
            raise _too_many("too many tokens that are not known here came from your address", seconds)
        self._tries.take(host)

    def count(self, client: str) -> None:
        """A request of a client; refused where it makes too many."""
        if self._requests is None:
            return
        seconds = self._requests.wait(client)
        if seconds:
            raise _too_many(f"more than {self._rate:g} requests a second", seconds)
        self._requests.take(client)

    def count_more(self, client: str, requests: int) -> None:
        """What came with a request that was let in: the next one waits for these too."""
        if self._requests is not None:
            self._requests.take(client, requests)


def _too_many(why: str, seconds: float) -> Refused:
    return Refused(429, why, {"Retry-After": str(max(1, round(seconds)))})
