"""How many secrets are recognised, and how much of what only looks like one?

Both sets are made anew for a seed: no key of anybody stands in this file. What is true are the forms that issuers
document and the ways in which people hand them on; what only looks alike is what fills repositories and conversations.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import time
import uuid
from collections.abc import Callable, Iterator

from bench import secrets_noted
from bench.secrets_said import NUMBERS, ONLY_SPOKEN_OF, OTHERWISE_SAID, PASSWORD_SAID, WEAK, WEAK_SAID, everyday
from bench.table import Plan, Table, within
from recollect.ingest.secrets import find_secrets

LIMIT_FOUND, LIMIT_FALSE = 0.95, 0.01

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
WORD = LOWER + UPPER + DIGITS
HEX = "0123456789abcdef"
URL = WORD + "-_"


def _of(rng: random.Random, letters: str, count: int) -> str:
    while True:
        made = "".join(rng.choice(letters) for _ in range(count))
        if letters == HEX or count < 12 or any(map(str.isdigit, made)) or not any(map(str.isdigit, letters)):
            return made


def _b64(rng: random.Random, count: int) -> str:
    return base64.b64encode(rng.randbytes(count)).decode()


def _jwt(rng: random.Random) -> str:
    part = [base64.urlsafe_b64encode(raw).decode().rstrip("=") for raw in
            (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"' + rng.randbytes(6).hex().encode() + b'","iat":1700000000}', rng.randbytes(32))]  # fmt: skip
    return ".".join(part)


def _pem(rng: random.Random, kind: str) -> str:
    body = _b64(rng, 300)
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


def _password(rng: random.Random) -> str:
    words = ("harbor", "Maple", "tiger", "Quartz", "violet", "Monday", "falcon", "Bright")
    forms: list[Callable[[], str]] = [
        lambda: rng.choice(words) + str(rng.randint(10, 9999)) + rng.choice("!?#$%&*"),
        lambda: _of(rng, WORD + "!#%^&*", 14),
        lambda: f"{rng.choice(words)}-{rng.choice(words)}-{rng.randint(1, 99)}",
        lambda: (
            rng.choice(words).replace("a", "4").replace("i", "1").replace("e", "3") + str(rng.randint(1, 999)) + "x"
        ),
    ]
    return rng.choice(forms)()


def _strong(rng: random.Random) -> str:
    """A password as rules about passwords want it."""
    word = rng.choice(("Harbor", "Maple", "Tiger", "Quartz", "Violet"))
    made = rng.choice(
        (f"{word}{rng.choice('!#%*')}{rng.randint(10, 999)}x", f"{word.lower()}-{word}{rng.randint(1, 99)}")
    )
    return (
        made
        if rng.random() < 0.7
        else f"{_of(rng, LOWER, 3)}{rng.randint(1, 9)}{_of(rng, UPPER, 2)}#{_of(rng, WORD, 5)}"
    )


PLAIN_WORDS = ("purple", "monkey", "staple", "battery", "orchid", "ladder", "comet", "biscuit", "harvest", "lantern")
TOKENS: tuple[Callable[[random.Random], str], ...] = (
    lambda r: "AKIA" + _of(r, UPPER + "234567", 16),
    lambda r: "ghp_" + _of(r, WORD, 36),
    lambda r: "ghs_" + _of(r, WORD, 36),
    lambda r: "github_pat_" + _of(r, WORD, 22) + "_" + _of(r, WORD, 59),
    lambda r: "glpat-" + _of(r, URL, 20),
    lambda r: f"xoxb-{r.randint(10**11, 10**12 - 1)}-{r.randint(10**12, 10**13 - 1)}-" + _of(r, WORD, 24),
    lambda r: "https://hooks.slack.com/services/T" + _of(r, UPPER + DIGITS, 8) + "/B" + _of(r, UPPER + DIGITS, 8) + "/" + _of(r, WORD, 24),
    lambda r: "sk-ant-api03-" + _of(r, URL, 93) + "AA",
    lambda r: "sk-proj-" + _of(r, URL, 120),
    lambda r: "sk-" + _of(r, WORD, 20) + "T3Blbk" + "FJ" + _of(r, WORD, 20),
    lambda r: "sk-or-v1-" + _of(r, HEX, 64),
    lambda r: "sk_live_" + _of(r, WORD, 24),
    lambda r: "rk_test_" + _of(r, WORD, 24),
    lambda r: "AIza" + _of(r, URL, 35),
    lambda r: "GOCSPX-" + _of(r, URL, 28),
    lambda r: "ya29." + _of(r, URL, 120),
    lambda r: _of(r, WORD, 3) + "8Q~" + _of(r, WORD + "~._-", 34),
    lambda r: "npm_" + _of(r, WORD, 36),
    lambda r: "pypi-AgEIcHlwaS5vcmc" + _of(r, URL, 120),
    lambda r: "dckr_pat_" + _of(r, URL, 27),
    lambda r: "hf_" + _of(r, LOWER + UPPER, 34),
    lambda r: "SG." + _of(r, URL, 22) + "." + _of(r, URL, 43),
    lambda r: "shpat_" + _of(r, HEX, 32),
    lambda r: "dop_v1_" + _of(r, HEX, 64),
    lambda r: "lin_api_" + _of(r, WORD, 40),
    lambda r: "glsa_" + _of(r, WORD, 32) + "_" + _of(r, HEX, 8),
    lambda r: "ATATT3xFfGF0" + _of(r, URL, 180) + "=" + _of(r, "0123456789ABCDEF", 8),
    lambda r: f"{r.randint(10**9, 10**10 - 1)}:AA" + _of(r, URL, 33),
    lambda r: "dapi" + _of(r, HEX, 32),
    lambda r: "hvs." + _of(r, URL, 90),
    lambda r: _of(r, WORD, 14) + ".atlasv1." + _of(r, URL, 67),
    lambda r: "AGE-SECRET-KEY-1" + _of(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    lambda r: "dp.pt." + _of(r, WORD, 43),
    lambda r: "gsk_" + _of(r, WORD, 52),
    lambda r: "xai-" + _of(r, WORD, 80),
    lambda r: "sbp_" + _of(r, HEX, 40),
    lambda r: "ntn_" + _of(r, WORD, 46),
    lambda r: "pat" + _of(r, WORD, 14) + "." + _of(r, HEX, 64),
    lambda r: "PMAK-" + _of(r, HEX, 24) + "-" + _of(r, HEX, 34),
    lambda r: "tskey-auth-" + _of(r, WORD, 12) + "-" + _of(r, WORD, 32),
    _jwt,
)  # fmt: skip
IN_TALK = ("{}", "my key is {}", "export TOKEN={}", "use {} for staging, please", '{{"key": "{}"}}', "curl -H 'X-Key: {}' https://example.org",
           "I pasted it here: `{}`, is that fine?", "TOKEN: {}\nREGION: eu-west-1")  # fmt: skip
BY_PLACE: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"aws_secret_access_key = {_of(r, WORD + '/+', 40)}",
    lambda r: f'DB_PASSWORD="{_password(r)}"',
    lambda r: f"password: {_password(r)}",
    lambda r: f"the password is {_password(r)}",
    lambda r: f"The wifi password for the office is {_password(r)}.",
    lambda r: f"postgres://app:{_password(r).replace('#', '').replace('?', '')}@db.internal:5432/ledger",
    lambda r: f"mongodb+srv://svc:{_of(r, WORD, 16)}@cluster0.example.net/app",
    lambda r: f"redis://:{_of(r, WORD, 20)}@cache:6379/0",
    lambda r: f"Server=tcp:db;Database=x;User Id=sa;Password={_of(r, WORD, 14)};Encrypt=true",
    lambda r: f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={_b64(r, 64)};EndpointSuffix=core.windows.net",
    lambda r: f"Authorization: Bearer {_of(r, URL, 40)}",
    lambda r: f"curl -u admin:{_password(r)} https://example.org/api",
    lambda r: f"mysql -h db --password={_password(r)}",
    lambda r: f"api_key = '{_of(r, WORD, 32)}'",
    lambda r: f'"client_secret": "{_of(r, URL, 32)}"',
    lambda r: f"STRIPE_API_KEY={_of(r, WORD, 30)}",
    lambda r: f"API_TOKEN={_of(r, HEX, 40)}",
    lambda r: f"heroku api key: {uuid.UUID(bytes=r.randbytes(16))}",
    lambda r: f"machine api.example.org login me password {_password(r)}",
    lambda r: f"here is the API token for staging: {_of(r, WORD, 32)}",
    lambda r: f"const secretKey = \"{_of(r, WORD, 24)}\";",
    lambda r: f"passphrase: '{_password(r)}'",
    lambda r: f"set the admin password to {_password(r)} on all three boxes",
    lambda r: f"the API key is {_of(r, HEX, 32)}",
    lambda r: f"set the deploy token to {_of(r, HEX, 40)}, please",
    lambda r: f"our key {_of(r, HEX, 32)} for the weather service stopped working",
    lambda r: f"der Token lautet {_of(r, LOWER + DIGITS, 30)}",
    lambda r: f'Use the password "{_strong(r)}" for the admin login',
    lambda r: f"try password {_strong(r)} on the old box",
    lambda r: f"my pw is {_password(r)}",
    lambda r: f"log in with user jan and pass {_password(r)}",
    lambda r: f"the credentials are admin / {_strong(r)}",
    lambda r: f"die Zugangsdaten sind jan:{_strong(r)}",
    lambda r: f"mysql -h db -u root -p{_password(r)} ledger < dump.sql",
    lambda r: f"docker login -u jan -p {_password(r)} registry.example.org",
    lambda r: f"redis-cli -h cache -a {_password(r)} ping",
    lambda r: f"openssl enc -aes-256-cbc -k {_strong(r)} -in a.tar",
    lambda r: f"ldapsearch -x -D cn=admin -w {_strong(r)} -b dc=example",
    lambda r: f"Cookie: theme=dark; sessionid={_of(r, LOWER + DIGITS, 32)}",
    lambda r: f"curl -b 'PHPSESSID={_of(r, LOWER + DIGITS, 26)}' https://example.org  # the cookie of my browser",
    lambda r: f"le mot de passe est {_password(r)}",
    lambda r: f"la contraseña del router es {_password(r)}",
    lambda r: f"a senha do banco é {_password(r)}",
    lambda r: f"het wachtwoord is {_password(r)}",
    lambda r: f"hasło to {_password(r)}",
    lambda r: f"пароль от сервера это {_password(r)}",
    lambda r: f"パスワードは {_password(r)} です",
    lambda r: f"数据库密码是{_password(r)}",
    lambda r: f"비밀번호는 {_password(r)} 입니다",
    lambda r: f"my passphrase is {' '.join(r.sample(PLAIN_WORDS, 4))} {r.randint(1, 99)}",
    lambda r: f"aws configure set aws_secret_access_key {_of(r, WORD + '/+', 40)}",
    lambda r: f"password for root: {_password(r)}",
    lambda r: f"Passwort vom NAS: {_strong(r)}",
    lambda r: f"use {_password(r)} as the password of the till",
    lambda r: f"{_strong(r)} is the password for staging",
    lambda r: f"I changed the password from {_password(r)} to {_password(r)}",
    lambda r: f"the new password should be {_password(r)}",
    lambda r: f"<password>{_password(r).replace('&', '!')}</password>",
    lambda r: f'<add key="Password" value="{_password(r)}"/>',
    lambda r: f"otpauth://totp/Acme:jan?secret={_of(r, UPPER + '234567', 32)}&issuer=Acme",
    lambda r: f"The TOTP secret is {_of(r, UPPER + '234567', 32)}",
    lambda r: f"htpasswd -b /etc/nginx/users jan {_password(r)}",
    lambda r: f"pw={r.choice(PLAIN_WORDS)}{r.randint(1, 99)}",
    lambda r: f"passwd: {r.choice(PLAIN_WORDS)}{r.randint(1, 99)}",
    lambda r: f"the {r.choice(('client', 'webhook'))} secret is {_of(r, HEX, 20)}",
    lambda r: f"token {_of(r, HEX, 20)}",
    lambda r: f'the passphrase "{" ".join(r.sample(PLAIN_WORDS, 4))}" opens it',
    lambda r: f"lösenordet är {_password(r)}",
    lambda r: f"Parolanız: {_strong(r)}",
    lambda r: _pem(r, "RSA "), lambda r: _pem(r, "OPENSSH "), lambda r: _pem(r, ""),
    lambda r: '{"private_key": "' + _pem(r, "").replace("\n", "\\n") + '"}',
)  # fmt: skip

PROSE = (
    "We decided to rotate the API key every ninety days, and the on-call engineer does it.",
    "The password is stored in the vault, never in the repository.", "Set the token in your environment before you start.",
    "The password is required and must have at least twelve characters.", "The secret to good tests is to keep them short.",
    "Use the primary key of the orders table as the cache key.", "He said the password was wrong, so I reset it.",
    "Tokens are counted by the tokenizer; max_tokens is 4096 by default.", "The key idea: write once, read often.",
    "The token expires after 3600 seconds.", "Basic authentication is deprecated; use bearer tokens instead.",
    "Basic understanding of Kubernetes is expected.", "The bearer of this letter-of-introduction is welcome.",
    "See https://example.org:8443/login?next=/home for the form.", "git@github.com:owner/repository.git is the remote.",
    "Contact me at first.last@example.org or +49 30 1234567.", "Her passport number is kept by the travel agency.",
    "password: required", "Password: ********", "token: <your token here>", "api_key: YOUR_API_KEY", "secret: ${{ secrets.DEPLOY_KEY }}",
    "The pass rate was 98.7% on 2026-03-04 at 12:30:45.", "The private key stays on the device, the public key is uploaded.",
    "Key takeaways from the meeting-of-2026-03-04: ship on Friday.", "The access key ids are listed under IAM-Users-and-Groups-2024.",
    "Passwords: see 1Password, item Staging-Database-Primary.", "Passwords are hashed with Argon2id, and the password PBKDF2-HMAC-SHA256 made is rehashed.",
    "The password OAuth2Client asks for is that of the tenant.", "We pass HTTP2Settings to the server, and pass v2.1.0 to the installer.",
    "The second pass is single-threaded, the first pass was done by 14:30.", 'The field "password" must-not-be-empty says the form.',
    "docker run -p 8080:80 -p 127.0.0.1:9090:9090 web", "Users log in with the login form, -p is the port.", "mysql -u root -p ledger < dump.sql",
    "redis-cli -a \"$REDIS_PASS\" ping", "ssh -p 2222 jan@host.example.org", "mkdir -p src/app2/models", "openssl x509 -in cert.pem -noout",
    "The credentials are stored in Vault/kv-v2, not in the repository.", "Credentials are read from ~/.aws/credentials by default.",
    "Set-Cookie: theme=dark; Path=/; HttpOnly", "The session cookie is called sessionid and lasts two weeks.", "document.cookie = 'session=' + id",
    "The passphrase is asked for twice during the setup.", "A passphrase is longer than a password and easier to type.", "The passphrase is stored nowhere.",
    "Le mot de passe est obligatoire et doit avoir douze signes.", "La contraseña es obligatoria desde la versión 2.4.1.", "A senha é opcional neste caso.",
    "Das Kennwort ist abgelaufen, bitte setze es zurück.", "Hasło to podstawa bezpieczeństwa.", "Пароль это секрет пользователя.", "パスワードは必須です。",
    "密码是必填项，至少12位。", "비밀번호는 8자 이상이어야 합니다.", "Het wachtwoord is verlopen sinds 2026-03-04.", "The key to reproducible-builds-in-2026 is pinning.",
    "The token is refreshed by TokenRefreshInterceptorV2 each hour.", "The key is called customer_id_2024_archive_partition_7.", "The token bucket refills at 100 requests per second.",
    "My pw manager is KeePassXC2.", "The password policy is NIST-800-63B.", 'The password label is "Kennwort2".', "KeePassXC2 is the password manager.",
    "SHA256 is the password hash of the old site.", "The password should be 12-characters long.", "Password for the meeting: 10:30am is too late.",
    "TOTP secret: required for all users.", "I changed the password from the old one to the new one.", "Lösenordet är fel.",
)  # fmt: skip
CODE = (
    'password = os.environ["DB_PASSWORD"]', "token = get_token(user)", "api_key=settings.api_key,", "def login(user: str, password: str) -> Token:",
    "const token = req.headers.authorization.split(' ')[1];", 'parser.add_argument("--password", help="the password to use")',
    "password: process.env.DB_PASS", "self.secret = secret", "if (token == null) throw new TokenMissing();", 'eos_token = "<|endoftext|>"',
    "secretKeyRef:\n  name: db-credentials\n  key: password", "DATABASE_URL=postgres://user:password@localhost/db", "postgres://${USER}:${PASS}@${HOST}/app",
    'tokens = text.split(" ")', "key = lambda one: one.created_at", "PRIMARY KEY (id), KEY idx_user_created (user_id, created_at)",
    "cache_key = f'{user.id}:{page}'", "next_page_token = response.next_page_token", 'assert token.type == "Bearer"', "password=getpass.getpass()",
    "token: Optional[str] = None", "private_key_path = Path('~/.ssh/id_ed25519')", 'const apiKey = config.get("apiKey")', "secret_name: str = 'deploy'",
    "https://example.org/path/to/page#section-2", "git clone https://x-access-token:${TOKEN}@github.com/a/b", "kubectl get secret db -o jsonpath='{.data.password}'",
    "import tokenize, secrets; secrets.token_hex(16)", "class PasswordResetTokenGenerator(BaseGenerator):", "label.key.signing.enabled = true",
    "keyboard.press('ctrl+shift+t')", "password_hash = bcrypt.hashpw(raw, salt)", "-----BEGIN PUBLIC KEY-----\nMFkwEwYH\n-----END PUBLIC KEY-----",
    "if password == confirm_password2:", "token: AccessToken2 // type", "function login(user: string2, password: string2): Token2", "password: !vault db/prod2",
    '<add key="PasswordPolicy" value="NIST-800-63B"/>', "<password>${db.password2}</password>", "<password>string</password>", "otpauth://totp/Acme?secret=<SECRET>",
    "htpasswd -c /etc/nginx/.htpasswd jan", "aws configure set region eu-central-1",
    "grep -- '-----BEGIN RSA PRIVATE KEY-----' -r .", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@host",
)  # fmt: skip
ALIKE: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"request id {uuid.UUID(bytes=r.randbytes(16))} failed",
    lambda r: f"session: {uuid.UUID(bytes=r.randbytes(16))}",
    lambda r: f"fixed in commit {_of(r, HEX, 40)}",
    lambda r: f"the cache key is {_of(r, HEX, 32)}",
    lambda r: f"the idempotency key was {uuid.UUID(bytes=r.randbytes(16))}",
    lambda r: f"the key of that order is {uuid.UUID(bytes=r.randbytes(16))}",
    lambda r: f"the key fingerprint is {_of(r, HEX, 40)}",
    lambda r: f"key id {_of(r, HEX, 32)} was rotated",
    lambda r: f"the token was introduced in commit {_of(r, HEX, 40)}",
    lambda r: f"the primary key is {_of(r, HEX, 24)}",
    lambda r: f"the secret was rotated, see build-{r.randint(1000, 9999)}-of-release-2026-{r.randint(1, 9)}",
    lambda r: f"git show {_of(r, HEX, 9)}..{_of(r, HEX, 9)}",
    lambda r: f"sha256:{r.randbytes(32).hex()}",
    lambda r: f'"integrity": "sha512-{_b64(r, 64)}"',
    lambda r: f'{{file = "a-1.0.tar.gz", hash = "sha256:{r.randbytes(32).hex()}"}}',
    lambda r: f"golang.org/x/net v0.1.0 h1:{_b64(r, 32)}",
    lambda r: f"![logo](data:image/png;base64,{_b64(r, 400)})",
    lambda r: f"<img src='data:image/jpeg;base64,{_b64(r, 900)}'>",
    lambda r: hashlib.md5(r.randbytes(4), usedforsecurity=False).hexdigest() + "  archive.tar.gz",
    lambda r: f"https://cdn.example.org/assets/app.{_of(r, HEX, 20)}.js",
    lambda r: f"https://docs.example.org/d/{_of(r, URL, 44)}/edit",
    lambda r: f"arn:aws:iam::{r.randint(10**11, 10**12 - 1)}:role/deploy-role-for-staging",
    lambda r: f"docker pull registry.example.org/team/app@sha256:{r.randbytes(32).hex()}",
    lambda r: f"trace_id={r.randbytes(16).hex()} span_id={r.randbytes(8).hex()}",
    lambda r: f"ETag: \"{r.randbytes(16).hex()}\"",
    lambda r: f"record {_of(r, LOWER + DIGITS, 12)} of the store",
    lambda r: f"checksum = \"{r.randbytes(32).hex()}\"",
    lambda r: f"resolved https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz#{_of(r, HEX, 40)}",
    lambda r: f"commit token: {_of(r, HEX, 12)}",
    lambda r: f"publishable key pk_test_{_of(r, WORD, 24)}",
    lambda r: f"pk_live_{_of(r, WORD, 24)} is the publishable one",
    lambda r: "vec = [" + ", ".join(f"{r.uniform(-1, 1):.6f}" for _ in range(16)) + "]",
    lambda r: f"BTC address bc1q{_of(r, LOWER + DIGITS, 38)}",
    lambda r: f"ISBN 978-{r.randint(1, 9)}-{r.randint(1000, 9999)}-{r.randint(1000, 9999)}-{r.randint(0, 9)}",
    lambda r: f"{r.randint(2020, 2026)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}T10:00:00.{r.randint(10**5, 10**6)}Z INFO com.example.TokenService started",
)  # fmt: skip


def true_strings(seed: int) -> Iterator[str]:
    """Texts that hold a secret each."""
    rng = random.Random(seed)
    for make in TOKENS:
        for _ in range(4):
            yield rng.choice(IN_TALK).format(make(rng))
    for make in BY_PLACE:
        for _ in range(8):
            yield make(rng)
    for said in PASSWORD_SAID:
        for _ in range(4):
            yield said.replace("{}", everyday(rng))
    for said in WEAK_SAID:
        for _ in range(4):
            yield said.replace("{}", rng.choice(WEAK))
    for make in OTHERWISE_SAID:
        for _ in range(4):
            yield make(rng)


def look_alikes(seed: int) -> Iterator[str]:
    """Texts that hold none."""
    rng = random.Random(seed)
    yield from PROSE
    yield from CODE
    yield from ONLY_SPOKEN_OF
    for make in (*ALIKE, *NUMBERS):
        for _ in range(20):
            yield make(rng)


def measure(seed: int) -> tuple[float, float, list[str], list[str]]:
    """Which share of the secrets is found and of the others taken for one; and which were missed and taken."""
    true, alike = list(true_strings(seed)), list(look_alikes(seed))
    missed = [text for text in true if not find_secrets(text)]
    taken = [text for text in alike if find_secrets(text)]
    return 1 - len(missed) / len(true), len(taken) / len(alike), missed, taken


def run(plan: Plan) -> list[Table]:
    """What the detector reaches over some seeds, and what it costs on text that holds no secret."""
    found = [measure(seed) for seed in range(2 if plan.quick else 10)]
    plain = ("The harbour was quiet in the morning, and the boats lay still while gulls cried. " * 13)[:1_000]
    begun = time.process_time()
    for _ in range(2_000):
        find_secrets(plain)
    cost = (time.process_time() - begun) / 2_000
    worst_found, false = min(one[0] for one in found), max(one[1] for one in found)
    noted = [secrets_noted.measure(seed) for seed in range(len(found))]
    least, most = min(one[0] for one in noted), max(one[1] for one in noted)
    rows = (
        ("secrets that are found, %", 100 * worst_found, "≥ 95", within(worst_found >= LIMIT_FOUND)),
        ("look-alikes that are taken for one, %", 100 * false, "≤ 1", within(false <= LIMIT_FALSE)),
        ("of those written before the rules were read, %", 100 * least, "≥ 95", within(least >= LIMIT_FOUND)),
        ("look-alikes of these, %", 100 * most, "≤ 1", within(most <= LIMIT_FALSE)),
        ("a kilobyte of plain text, µs of a processor", cost * 1e6, None, None),
    )
    texts = len([*true_strings(0), *look_alikes(0)])
    note = (
        f"Of {texts} texts, made anew for each of {len(found)} seeds; the figures are those of the worst. Of those that"
        " were written before the rules were read, 89 % were found at first; what they showed has mended rules."
    )
    return [Table("secrets", ("what", "measured", "limit", "holds"), rows, note)]
