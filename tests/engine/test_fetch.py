"""Is a page fetched within its limits, and from nowhere but where it may come from?"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.engine.pages import LATIN, PAGE, Pages, serve_pages

from recollect import InvalidInput, Memory, Settings, SourceError, load_settings
from recollect import open as open_memory_at
from recollect.engine.intake import fetch as fetching
from recollect.engine.intake.fetch import Fetched, check_address, fetch
from recollect.engine.read.by_signal import search_keywords


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serve_pages() as served:
        yield served


@pytest.fixture
def near(tmp_path: Path) -> Iterator[Memory]:
    """A memory that may fetch from this machine."""
    settings = Settings(home=tmp_path / "near", embedder="none", allow_private_addresses=True)
    with open_memory_at(settings=settings) as memory:
        yield memory


def get(url: str, seconds: float = 10.0) -> Fetched:
    return fetch(url, allow_private=True, seconds=seconds)


def test_a_page_comes_as_it_was_sent(pages: Pages) -> None:
    fetched = get(f"{pages.url}/page#keys")
    assert fetched == Fetched(f"{pages.url}/page", f"{pages.url}/page", PAGE, "text/html", "utf-8")
    assert get(f"{pages.url}/zipped").body == PAGE


def test_redirects_are_followed_five_times(pages: Pages) -> None:
    assert get(f"{pages.url}/moved").url == f"{pages.url}/page"
    assert get(f"{pages.url}/hop1").body == PAGE
    with pytest.raises(SourceError, match="redirects more than 5 times"):
        get(f"{pages.url}/six1")
    with pytest.raises(SourceError, match="redirects more than 5 times"):
        get(f"{pages.url}/loop")


@pytest.mark.parametrize("path", ["slow", "drip", "drip-headers"])
def test_a_server_that_takes_its_time_is_left_when_the_time_is_over(pages: Pages, path: str) -> None:
    with pytest.raises(SourceError, match=r"took longer than 0\.3 seconds"):
        get(f"{pages.url}/{path}", seconds=0.3)


def test_a_host_that_cannot_be_looked_up_in_time_is_left(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [None][: pages.over.wait(10) - 1])
    with pytest.raises(SourceError, match=r"took longer than 0\.2 seconds"):
        get("http://slow.example/", seconds=0.2)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("huge", "has 99,999,999,999 bytes; at most 10,485,760 are read"),
        ("endless", "has more than 10,485,760 bytes"),
        ("bomb", "has more than 10,485,760 bytes"),
        ("torn", "is not complete"),
        ("odd", "packed as 'br'"),
        ("missing", "answered 404"),
        ("file", "redirects to 'file:///etc/passwd', which cannot be fetched"),
        ("broken", "Invalid URL in location header"),
    ],
)
def test_what_goes_wrong_is_said(pages: Pages, path: str, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        get(f"{pages.url}/{path}")


def test_nothing_listens_and_nobody_is_called_that(pages: Pages) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(SourceError, match="cannot be reached"):
            get(f"http://127.0.0.1:{free.getsockname()[1]}/")
    assert pages.asked == []


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "file:///etc/passwd", "example.com", "http://", "http://[", "http://xn--/", ""]
)
def test_only_addresses_of_the_web_are_fetched(url: str) -> None:
    with pytest.raises(InvalidInput, match="url"):
        fetch(url)
    with pytest.raises(InvalidInput, match="must not contain a name or password"):
        fetch("http://me:secret@example.com/")


def test_this_machine_is_refused_unless_settings_allow_it(pages: Pages, memory: Memory) -> None:
    port = pages.url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433"):
        with pytest.raises(SourceError, match="not on the public web"):
            memory.ingest_url(f"http://{host}:{port}/page")
    assert pages.asked == []
    assert memory.sources() == []


def test_settings_come_from_the_environment_and_the_file(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}).allow_private_addresses is False
    assert load_settings(tmp_path, {"RECOLLECT_ALLOW_PRIVATE_ADDRESSES": "true"}).allow_private_addresses is True
    (tmp_path / "config.toml").write_text("allow_private_addresses = true\n")
    assert load_settings(tmp_path, {}).allow_private_addresses is True


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
        "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::a00:1",
        "2002:a00:1::", "2001:db8::1", "2001:0:4136:e378:8000:63bf:f5ff:fffe",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    with pytest.raises(SourceError, match="not on the public web"):
        check_address("example.com", ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_public_web_is_not(address: str) -> None:
    check_address("example.com", ipaddress.ip_address(address))


def resolving(names: dict[str, list[list[str]]]) -> Callable[..., list[tuple[object, ...]]]:
    """A resolver that knows some names, and answers each time with the next of their lists of addresses."""

    def answer(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        known = names.get(host, [[host]])
        found = known.pop(0) if len(known) > 1 else known[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    return answer


def test_a_public_page_cannot_redirect_to_a_private_address(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server here plays one on the public web: its address passes, every other is judged as always."""
    real = fetching.is_public
    monkeypatch.setattr(fetching, "is_public", lambda one: str(one) == "127.0.0.1" or real(one))
    for path, address in (("private", r"10\.0\.0\.1"), ("metadata", r"169\.254\.169\.254")):
        with pytest.raises(SourceError, match=f"is at {address}, which is not on the public web"):
            fetch(f"{pages.url}/{path}")
    assert fetch(f"{pages.url}/moved").body == PAGE


def test_a_name_with_one_private_address_among_public_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolving({"two.example": [["93.184.216.34", "192.168.0.1"]]}))
    with pytest.raises(SourceError, match=r"two\.example is at 192\.168\.0\.1"):
        fetch("http://two.example/")


def test_the_connection_goes_to_the_address_that_was_checked(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is answered otherwise the second time is looked up but once."""
    port = pages.url.rpartition(":")[2]
    names = {"turns.example": [["127.0.0.1"], ["10.0.0.1"]]}
    monkeypatch.setattr(socket, "getaddrinfo", resolving(names))
    fetched = get(f"http://turns.example:{port}/page")
    assert (fetched.body, pages.hosts) == (PAGE, [f"turns.example:{port}"])
    assert names["turns.example"] == [["10.0.0.1"]]


def test_proxies_of_the_environment_are_not_used(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert get(f"{pages.url}/page").body == PAGE


def test_a_page_becomes_a_source_without_its_menu(near: Memory, pages: Pages) -> None:
    done = near.ingest_url(f"{pages.url}/page", tags=["web"])
    assert (done.outcome, done.source_kind, done.title) == ("stored", "web", "The gateway")
    [source] = near.sources()
    assert (source.id, source.source, source.trust, source.tags) == (done.id, f"{pages.url}/page", "imported", ("web",))
    text = "\n".join(segment.text for segment in near.segments(done.id))
    assert "Keys are rotated" in text
    assert "Menu" not in text
    assert [s.locator["heading_path"] for s in near.segments(done.id) if s.locator][-1] == ["The gateway", "Keys"]


def test_the_same_page_again_is_unchanged_and_another_version_replaces_it(near: Memory, pages: Pages) -> None:
    first = near.ingest_url(f"{pages.url}/page")
    assert near.ingest_url(f"{pages.url}/page").outcome == "unchanged"
    pages.page = PAGE.replace(b"first day of a month", b"last day of a week")
    again = near.ingest_url(f"{pages.url}/page")
    assert (again.id, again.outcome, again.added, again.removed) == (first.id, "updated", 1, 1)
    assert search_keywords(near, "last day week")


@pytest.mark.parametrize(
    ("path", "kind", "said"),
    [
        ("notes.md", "web", "The cache is warm."), ("plain", "web", "Just a line"), ("data", "web", "RS256"),
        ("latin", "web", "Schöne Grüße"), ("latin-said", "web", "Schöne Grüße"), ("html-as-text", "web", "rotated"),
        ("html-as-pdf", "web", "rotated"),
    ],
)  # fmt: skip
def test_what_is_in_a_body_counts_more_than_what_its_server_says(
    near: Memory, pages: Pages, path: str, kind: str, said: str
) -> None:
    done = near.ingest_url(f"{pages.url}/{path}")
    assert done.source_kind == kind
    text = "\n".join(segment.text for segment in near.segments(done.id))
    assert said in text
    assert "<p>" not in text
    assert "Grüße" in LATIN


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("image-as-html", "not a document"), ("video", "video/mp4, which is not read"), ("nothing", "is empty"),
        ("script-only", "no readable text"),
    ],
)  # fmt: skip
def test_what_is_no_page_is_refused_and_nothing_stored(near: Memory, pages: Pages, path: str, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        near.ingest_url(f"{pages.url}/{path}")
    assert near.sources() == []
