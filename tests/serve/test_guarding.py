"""What keeps others out of the service: how often they come, who listens on the way, and whose tokens are let in."""

from __future__ import annotations

import datetime
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from jwt.algorithms import RSAAlgorithm
from test_tokens import run
from test_up import Up

from recollect.serve.admission import Refused
from recollect.serve.limits import TRIES, TRY_SECONDS, Limits, Pace
from recollect.serve.message import MOST_IN_BATCH
from recollect.serve.oauth import Issuer as OauthIssuer
from recollect.serve.oauth import Unsure

RESOURCE = "https://memory.example.org"
CSP = "default-src 'none'; frame-ancestors 'none'"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def begin(*more: str, **variables: str) -> Up:
        started.append(Up(tmp_path / "home", *more, **variables))
        return started[-1]

    yield begin
    for server in started:
        server.close()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One service for those who only ask."""
    server = Up(tmp_path_factory.mktemp("asked"))
    yield server
    server.close()


# How often


def test_a_client_may_do_so_much_at_once_and_then_so_much_a_second() -> None:
    now = [0.0]
    pace = Pace(2.0, 4.0, lambda: now[0])
    done: list[float] = []
    for at in (0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 10.0):
        now[0] = at
        done.append(pace.wait("a"))
        if not done[-1]:
            pace.take("a")
    assert done == [0, 0, 0, 0, 0.5, 0, 0.5, 0]
    assert pace.wait("b") == 0


def test_wrong_tokens_are_refused_in_another_way_after_some_and_let_in_again_later() -> None:
    now = [0.0]
    limits = Limits(clock=lambda: now[0])
    for _ in range(TRIES):
        limits.failed("here")
    with pytest.raises(Refused) as refused:
        limits.failed("here")
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, f"{TRY_SECONDS:g}")
    limits.failed("elsewhere")
    now[0] = TRY_SECONDS
    limits.failed("here")


def test_too_many_requests_are_refused_with_the_time_to_come_back(start: Callable[..., Up]) -> None:
    server = start(RECOLLECT_RATE="1")
    answers = [server.web.get("/readyz") for _ in range(5)]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert (refused.headers["retry-after"], "1 requests a second" in refused.json()["error"]) == ("1", True)


def test_whoever_shows_no_token_is_counted_by_address(start: Callable[..., Up]) -> None:
    server = start(RECOLLECT_RATE="1", RECOLLECT_TOKEN="0123456789abcdef01")
    answers = [server.web.get("/api/records").status_code for _ in range(5)]
    assert (answers[:2], 429 in answers) == ([401, 401], True)
    known = server.web.get("/api/records", headers={"authorization": "Bearer 0123456789abcdef01"})
    assert known.status_code in (200, 429)


def test_each_message_of_a_batch_is_counted_as_a_request(start: Callable[..., Up]) -> None:
    server = start(RECOLLECT_RATE="20")
    about = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    session = {"mcp-session-id": server.post("initialize", about).headers["mcp-session-id"]}
    ping = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(MOST_IN_BATCH + 1)]
    long = server.web.post("/mcp", json=ping, headers=session)
    assert (long.status_code, f"at most {MOST_IN_BATCH}" in long.json()["error"]["message"]) == (400, True)
    first, second = (server.web.post("/mcp", json=ping[1:], headers=session) for _ in range(2))
    assert (first.status_code, len(first.json()), second.status_code) == (200, MOST_IN_BATCH, 429)
    assert int(second.headers["retry-after"]) >= 2


def test_guessing_tokens_ends_soon_and_locks_nobody_out(start: Callable[..., Up], tmp_path: Path) -> None:
    token = run(tmp_path / "home", "token", "create", "--all-spaces").stdout.strip()
    server = start()
    wrong = [server.alone("tools/list", {}, authorization=f"Bearer rcl_{n}").status_code for n in range(TRIES + 3)]
    assert wrong[:TRIES] == [401] * TRIES
    assert 429 in wrong[TRIES:]
    assert server.alone("tools/list", {}, authorization=f"Bearer {token}").status_code == 200


@pytest.mark.parametrize("path", ["/mcp", "/readyz", "/metrics", "/healthz", "/nowhere", "/api/openapi.json"])
def test_no_answer_may_do_anything_in_a_browser(up: Up, path: str) -> None:
    headers = up.web.get(path).headers
    assert (headers["content-security-policy"], headers["x-content-type-options"]) == (CSP, "nosniff")
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
def test_a_page_of_another_site_cannot_use_its_readers_browser(up: Up, method: str) -> None:
    refused = up.web.request(method, "/mcp", headers={"origin": "https://elsewhere.example"}, content=b"{}")
    assert refused.status_code == 403


# Who listens on the way


def make_certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    cert, private = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return cert, private


def test_it_speaks_https_with_a_certificate(start: Callable[..., Up], tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    server = start("--tls-cert", str(cert), "--tls-key", str(key))
    assert server.url.startswith("https://")
    trusted = ssl.create_default_context(cafile=str(cert))
    with httpx.Client(base_url=server.url.replace("127.0.0.1", "localhost"), verify=trusted) as web:
        assert web.get("/readyz").json()["ready"]


def test_a_certificate_that_cannot_be_used_is_told_at_once(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    home = tmp_path / "home"
    alone = run(home, "up", "--tls-cert", str(cert))
    swapped = run(home, "up", "--tls-cert", str(key), "--tls-key", str(cert))
    assert (alone.returncode, "go together" in alone.stderr) == (1, True)
    assert (swapped.returncode, "cannot be used" in swapped.stderr) == (1, True)


# Whose tokens


class Issuer:
    """An authorization server, as far as others see it: where its keys are, and the keys."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kids = ["one"]
        issuer = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                known: dict[str, Any] = {
                    "/.well-known/oauth-authorization-server": {"issuer": issuer.url, "jwks_uri": f"{issuer.url}/keys"},
                    "/keys": {"keys": [issuer.told(kid) for kid in issuer.kids]},
                }
                found = known.get(self.path)
                self.send_response(200 if found else 404)
                self.end_headers()
                self.wfile.write(json.dumps(found).encode())

            def log_message(self, format: str, *args: object) -> None:
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def told(self, kid: str) -> dict[str, object]:
        made = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        return {**made, "kid": kid, "alg": "RS256", "use": "sig"}

    def token(self, *, kid: str = "one", key: Any = None, algorithm: str = "RS256", **claims: object) -> str:
        usual: dict[str, object] = {
            "iss": self.url, "aud": f"{RESOURCE}/mcp", "sub": "ann", "exp": time.time() + 600,
            "scope": "recollect:write recollect:space:work",
        }  # fmt: skip
        said = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return jwt.encode(said, key or self.key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    made = Issuer()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[Up]:
    variables = {"RECOLLECT_OAUTH_ISSUER": issuer.url, "RECOLLECT_OAUTH_RESOURCE": RESOURCE}
    server = Up(tmp_path_factory.mktemp("oauth"), "--http", "0.0.0.0:0", **variables)
    yield server
    server.close()


def test_who_comes_without_a_token_is_told_where_to_get_one(guarded: Up, issuer: Issuer) -> None:
    refused = guarded.alone("tools/list", {})
    place = f"{RESOURCE}/.well-known/oauth-protected-resource/mcp"
    assert refused.status_code == 401
    assert f'resource_metadata="{place}"' in refused.headers["www-authenticate"]
    told = guarded.web.get("/.well-known/oauth-protected-resource/mcp").json()
    assert (told["resource"], told["authorization_servers"]) == (f"{RESOURCE}/mcp", [issuer.url])
    assert "recollect:read" in told["scopes_supported"]
    assert guarded.web.get("/.well-known/oauth-protected-resource/mcp/agentos").status_code == 200
    assert guarded.web.get("/.well-known/oauth-protected-resource/anything").status_code == 404


def test_a_token_of_the_issuer_reaches_its_spaces_alone(guarded: Up, issuer: Issuer) -> None:
    bearer = {"authorization": f"Bearer {issuer.token()}"}
    store = {"name": "remember", "arguments": {"text": "The lamp is green.", "space": "work"}}
    assert '"outcome":"stored"' in guarded.alone("tools/call", store, **bearer).text
    elsewhere = {"name": "remember", "arguments": {"text": "The lamp is green.", "space": "vault"}}
    assert "does not reach the space 'vault'" in guarded.alone("tools/call", elsewhere, **bearer).text
    reading = {"authorization": f"Bearer {issuer.token(scope='recollect:read recollect:space:*')}"}
    refused = guarded.alone("tools/call", store, **reading)
    assert (refused.status_code, "its scope is read" in refused.text) == (403, True)
    named = 'error="insufficient_scope", scope="recollect:write recollect:space:*"'
    assert named in refused.headers["www-authenticate"]
    session = guarded.initialize(**reading)
    assert guarded.post("tools/call", store, mcp_session_id=session, **reading).status_code == 403


WRONG: dict[str, dict[str, Any]] = {
    "expired": {"exp": time.time() - 3600},
    "for another service": {"aud": "https://elsewhere.example/mcp"},
    "for a service whose name begins alike": {"aud": f"{RESOURCE}.evil.example/mcp"},
    "for an address that there is not": {"aud": f"{RESOURCE}/mcp/anything"},
    "for nobody": {"aud": None},
    "of another issuer": {"iss": "https://elsewhere.example"},
    "without an end": {"exp": None},
    "with a key that is not known": {"kid": "two"},
    "signed by somebody else": {"key": rsa.generate_private_key(public_exponent=65537, key_size=2048)},
    "signed with a secret": {"key": "x" * 32, "algorithm": "HS256"},
    "not signed": {},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_that_is_wrong_is_not_let_in(guarded: Up, issuer: Issuer, wrong: str) -> None:
    given = WRONG[wrong]
    token = issuer.token(**given) if given else issuer.token().rpartition(".")[0] + "."
    answer = guarded.alone("tools/list", {}, authorization=f"Bearer {token}")
    assert answer.status_code in (401, 429)
    assert "error" in answer.json()


@pytest.mark.parametrize("scope", ["recollect:space:work", "recollect:write"])
def test_a_token_whose_scopes_are_too_few_is_told_what_it_lacks(guarded: Up, issuer: Issuer, scope: str) -> None:
    bearer = {"authorization": f"Bearer {issuer.token(scope=scope)}"}
    told = [guarded.alone("tools/list", {}, **bearer) for _ in range(TRIES + 1)][-1]
    assert told.status_code == 403  # nor is it a guess, of which there may be only so many
    assert 'error="insufficient_scope"' in told.headers["www-authenticate"]


def test_with_the_scopes_that_a_refusal_names_one_is_let_in(guarded: Up, issuer: Issuer) -> None:
    told = guarded.alone("tools/list", {}).headers["www-authenticate"]
    [scope] = re.findall(r'scope="([^"]+)"', told)
    bearer = {"authorization": f"Bearer {issuer.token(scope=scope)}"}
    assert guarded.alone("tools/list", {}, **bearer).status_code == 200
    refused = guarded.web.post("/api/records", json={"text": "The lamp is green."}, headers=bearer)
    assert refused.status_code == 403
    assert 'error="insufficient_scope", scope="recollect:write ' in refused.headers["www-authenticate"]


def test_a_new_key_of_the_issuer_is_known_at_once_and_an_unknown_one_is_no_guess(tmp_path: Path) -> None:
    issuer = Issuer()
    asking = OauthIssuer(issuer.url, RESOURCE)
    assert asking.grant(issuer.token()).name == "oauth:ann"
    issuer.kids = ["three"]
    assert asking.grant(issuer.token(kid="three")).spaces == ("work",)
    with pytest.raises(Unsure):
        asking.grant(issuer.token(kid="four"))
    variables = {"RECOLLECT_OAUTH_ISSUER": issuer.url, "RECOLLECT_OAUTH_RESOURCE": RESOURCE}
    server = Up(tmp_path, **variables)
    unknown = {"authorization": f"Bearer {issuer.token(kid='four')}"}
    assert {server.alone("tools/list", {}, **unknown).status_code for _ in range(TRIES + 2)} == {401}
    server.close()
    issuer.server.shutdown()
    issuer.server.server_close()


@pytest.mark.parametrize(
    ("sub", "name"), [("page", "oauth:page"), ("a\nb" + "c" * 5000, f"oauth:a b{'c' * 97}"), ("ann", "oauth:ann")]
)
def test_an_issuers_name_for_somebody_is_never_one_of_ours(issuer: Issuer, sub: str, name: str) -> None:
    assert OauthIssuer(issuer.url, RESOURCE).grant(issuer.token(sub=sub)).name == name


def test_tokens_of_our_own_are_let_in_beside(guarded: Up) -> None:
    token = run(guarded.home, "token", "create", "--all-spaces").stdout.strip()
    assert guarded.alone("tools/list", {}, authorization=f"Bearer {token}").status_code == 200


def test_an_issuer_without_an_address_of_ours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_OAUTH_ISSUER", "https://issuer.example")
    done = run(tmp_path, "up", "--http", "127.0.0.1:0")
    assert (done.returncode, "go together" in done.stderr) == (1, True)
    monkeypatch.setenv("RECOLLECT_OAUTH_RESOURCE", "http://plain.example")
    done = run(tmp_path, "up", "--http", "127.0.0.1:0")
    assert (done.returncode, "https://" in done.stderr) == (1, True)
