"""Which parts of a text are keys, tokens, passwords and other things that nobody should recall?

Three kinds of rules. What an issuer marks by a prefix is known by that prefix. What stands after a word for a secret
(`password =`, `Authorization: Bearer`, `user:…@host`) is known by its place, unless it looks like a name, a placeholder
or a call. And what stands near where a key, a password or a login is spoken of is known by how it is mixed. A rule is
tried only where one of its marks occurs in the text, so that a text without any costs next to nothing; each reads a text
once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from recollect.ingest.private_marks import PrivateMark, private_marks
from recollect.ingest.secret_said import SAID_MARKS, is_about, said_secrets, told_by_name
from recollect.ingest.secret_tables import may_have_table, table_secrets
from recollect.ingest.secret_values import (
    classes,
    is_base32,
    is_card,
    is_filled,
    is_issued,
    is_key,
    is_made,
    is_minted,
    is_name,
    is_password,
    is_phrase,
    is_quoted_value,
    is_random,
    is_seed,
    is_strong,
    is_told,
    is_url_password,
)
from recollect.ingest.secret_words import (
    ABROAD,
    ABROAD_MARKS,
    EASTERN,
    EASTERN_MARKS,
    IS,
    OF,
    OF_PASSWORDS,
    PASSWORD,
    PASSWORD_MARKS,
    PASSWORDS,
    STILL,
)
from recollect.pattern import pattern_of

_TOKEN = r"[A-Za-z0-9_-]"
_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"


class Secret(Struct, frozen=True):
    """Where a secret stands in a text, and what it is."""

    start: int
    end: int
    kind: str


class _Rule(Struct, frozen=True):
    kind: str
    marks: tuple[str, ...]
    """In lower case; one of them stands in every text that the rule finds something in."""
    pattern: re.Pattern[str]
    """What is secret are its groups, or all of it."""
    holds: Callable[[str], bool] = bool


# What issuers mark


def _prefixed(kind: str, marks: str, pattern: str, holds: Callable[[str], bool] = is_random) -> _Rule:
    return _Rule(kind, tuple(marks.split()), pattern_of(f"{_START}(?:{pattern})"), holds)


_PREFIXED = (
    _prefixed("AWS access key", "akia asia abia acca a3t", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _prefixed("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255}"),
    _prefixed("GitLab token", "glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glagent-",
              r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|agent)-[A-Za-z0-9_.-]{20,300}"),
    _prefixed("Slack token", "xox xapp- xwfp-", r"(?:xox[abeoprs](?:\.xox[bp])?|xapp|xwfp)-[A-Za-z0-9-]{10,300}"),
    _prefixed("Slack webhook", "hooks.slack.com", r"(?:https://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{20,100}"),
    _prefixed("Anthropic key", "sk-ant-", rf"sk-ant-{_TOKEN}{{20,300}}"),
    _prefixed("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- t3blbkfj sk-",
              rf"sk-(?:proj|svcacct|admin|or-v1|lf)-{_TOKEN}{{20,300}}|sk-[A-Za-z0-9]{{32,200}}{_END}"),
    _prefixed("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ whsec_", r"(?:(?:sk|rk)_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/]{14,250}"),
    _prefixed("Google key", "aiza gocspx- ya29. 1//0", rf"AIza{_TOKEN}{{35}}|GOCSPX-{_TOKEN}{{20,60}}|ya29\.{_TOKEN}{{20,2000}}|1//0{_TOKEN}{{40,200}}"),
    _prefixed("Azure secret", "q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    _prefixed("npm token", "npm_", rf"npm_[A-Za-z0-9]{{36}}{_END}"),
    _prefixed("PyPI token", "pypi-age", rf"pypi-AgE{_TOKEN}{{40,400}}"),
    _prefixed("RubyGems token", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _prefixed("Docker token", "dckr_", rf"dckr_(?:pat|oat)_{_TOKEN}{{20,100}}"),
    _prefixed("Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z]{34}(?![A-Za-z0-9])|hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9])"),
    _prefixed("SendGrid key", "sg.", rf"SG\.{_TOKEN}{{16,32}}\.{_TOKEN}{{32,64}}"),
    _prefixed("Mailgun key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _prefixed("Twilio key", "sk", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _prefixed("Shopify token", "shpat_ shpss_ shpca_ shppa_", r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"),
    _prefixed("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _prefixed("New Relic key", "nrak- nral nrii- nrjs-", rf"NR(?:AK|II|JS)-{_TOKEN}{{19,40}}"),
    _prefixed("Linear key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    _prefixed("Figma token", "figd_", rf"figd_{_TOKEN}{{30,60}}"),
    _prefixed("Grafana token", "glsa_ glc_ eyjrijoi", rf"glsa_[A-Za-z0-9]{{32}}_[A-Fa-f0-9]{{8}}|glc_[A-Za-z0-9+/]{{32,400}}|eyJrIjoi{_TOKEN}{{40,400}}"),
    _prefixed("Atlassian token", "atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,400}"),
    _prefixed("Telegram token", ":aa", rf"[0-9]{{8,10}}:AA{_TOKEN}{{32,34}}{_END}"),
    _prefixed("Discord token", ".", rf"[MNO][A-Za-z0-9_-]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.{_TOKEN}{{27,40}}{_END}"),
    _prefixed("Discord webhook", "discord", rf"(?:https://)?discord(?:app)?\.com/api/webhooks/[0-9]{{17,20}}/{_TOKEN}{{60,80}}"),
    _prefixed("Square token", "sq0 eaaa", rf"sq0(?:atp|csp|idp)-{_TOKEN}{{22,50}}|EAAA[A-Za-z0-9_-]{{56,64}}{_END}"),
    _prefixed("Facebook token", "eaac eaab eaad", r"EAA[A-D][A-Za-z0-9]{80,400}"),
    _prefixed("Databricks token", "dapi dkea", r"(?:dapi|dkea)[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    _prefixed("Vault token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_TOKEN}{{24,300}}"),
    _prefixed("Terraform token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_TOKEN}{{60,70}}"),
    _prefixed("age key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _prefixed("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,40}\.)?[A-Za-z0-9]{40,44}"),
    _prefixed("Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    _prefixed("Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    _prefixed("xAI or Groq key", "gsk_ xai- pplx- r8_ csk-",
              r"gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{60,100}|pplx-[A-Za-z0-9]{40,60}|r8_[A-Za-z0-9]{37,40}|csk-[a-z0-9]{40,60}"),
    _prefixed("Supabase key", "sbp_ sb_secret_", rf"sbp_[a-f0-9]{{40}}|sb_secret_{_TOKEN}{{20,60}}"),
    _prefixed("Netlify token", "nfp_ nfc_ nfo_", r"nf[pco]_[A-Za-z0-9]{36,44}"),
    _prefixed("Fly.io token", "fm2_ fm1r_ fm1a_ fo1_", r"fm[12][ar]?_[A-Za-z0-9+/=_-]{60,1000}|fo1_[A-Za-z0-9_-]{43}"),
    _prefixed("Notion token", "ntn_ secret_", r"ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])"),
    _prefixed("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _prefixed("Postman key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefixed("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}"),
    _prefixed("Buildkite token", "bkua_ bkaj_ bkct_", r"bk(?:ua|aj|ct)_[A-Za-z0-9]{32,64}"),
    _prefixed("CircleCI token", "ccipat_ cciprj_", r"CCI(?:PAT|PRJ)_[A-Za-z0-9_]{40,80}"),
    _prefixed("1Password token", "ops_eyj a3-", rf"ops_eyJ{_TOKEN}{{100,1000}}|A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{5,6}}-){{4}}[A-Z0-9]{{5}}"),
    _prefixed("Tailscale key", "tskey-", rf"tskey-[a-z]{{3,12}}-{_TOKEN}{{16,100}}"),
    _prefixed("Mapbox token", "sk.eyj", rf"sk\.eyJ{_TOKEN}{{20,300}}\.{_TOKEN}{{20,60}}"),
    _prefixed("Cloudflare key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{140,160}"),
    _prefixed("Artifactory key", "akcp", r"AKCp[A-Za-z0-9]{60,80}"),
    _prefixed("Resend or Clerk key", "re_ sk_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"),
    _prefixed("wallet key", "prv k l 5", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", is_key),
    _prefixed("token", "_", rf"[a-z]{{2,10}}_(?:[a-z]{{2,8}}_)?[A-Za-z0-9]{{32,255}}{_END}", is_key),  # as issuers form them that are not named here
    _prefixed("web token", "eyj", rf"eyJ{_TOKEN}{{10,4000}}\.eyJ{_TOKEN}{{10,8000}}(?:\.{_TOKEN}{{10,2000}})?"),
)  # fmt: skip


# What its place gives away

_OTHERWISE = pattern_of(
    r"(?i)(?:next|page|sync|cursor|continuation|csrf|pad|eos|bos|sep|cls|unk|mask|max|stop|end|start|public|primary|foreign|cache|"
    r"idempotency|partition|sort|object|row|shard|routing|dedup|lookup|commit|publishable)[ _.-]?$"
)  # what makes a token or a key something else


def _placed(kind: str, marks: tuple[str, ...], pattern: str, holds: Callable[[str], bool]) -> _Rule:
    return _Rule(kind, marks, pattern_of(pattern), holds)


def _is_jotted(text: str) -> bool:
    """What stands right behind `pw`, which is hardly written but to note one down."""
    return is_told(text) or (text.isdigit() and len(text) > 6)


def _is_chosen(text: str) -> bool:
    """What stands behind a name: mixed, and with a capital or a sign, as names of things seldom are."""
    return is_told(text) and (text != text.lower() or not text.isalnum())


_TAGGED = r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|api[_-]?key|secret[_-]?key|access[_-]?key)"
_PLACED = (
    _placed("password", PASSWORD_MARKS,
            rf"{PASSWORD}(?i:\s(?:[\w'.@/-]{{1,30}}\s){{0,4}}{IS}(?!\w):?\s{{1,4}}{STILL}|['’]s\s{{1,3}}|\s(?:{OF}(?:\s[\w'@.-]{{1,30}}){{1,4}}?|\([^()\n]{{1,40}}\))\s?[:：=]\s{{0,4}})[\"'`«„“]?(?P<secret>[^\s\"'`,;]{{6,200}}[^\s\"'`,;.?»”])", is_told),
    _placed("password", PASSWORD_MARKS,
            rf"{PASSWORD}(?i:(?:\s[\w'-]{{1,20}}){{0,4}}?\s(?:from|von|de))\s{{1,3}}[\"'`]?(?P<secret>[^\s\"'`]{{6,100}})[\"'`]?(?i:\s(?:to|auf|zu|in|a|à))\s{{1,3}}[\"'`]?(?P<second>[^\s\"'`,;]{{6,200}}[^\s\"'`,;.?])", is_told),
    _placed("password", PASSWORD_MARKS,
            rf"(?<![^\s\"'`(«„“])(?P<secret>[^\s\"'`,;»”\[\]]{{6,100}}+)[\"'`»”]?(?i:\s(?:is|was|as|ist|als|est|es)\s(?:an?|the|our|my|your|his|her|their|das|mein|unser|le|la|el)\s(?:[\w'-]{{1,20}}\s){{0,2}}){PASSWORD}", is_told),
    _placed("password", PASSWORD_MARKS, rf"{PASSWORD}\s{{1,3}}[\"'`«„“](?P<secret>[^\s\"'`»”]{{6,200}})[\"'`»”]", is_password),
    _placed("password", PASSWORD_MARKS, rf"{PASSWORD}\s{{1,3}}(?P<secret>[^\s\"'`,;]{{7,200}}[^\s\"'`,;.?])", is_strong),
    _placed("password", EASTERN_MARKS,
            rf"(?:{EASTERN})\s?(?:は|是|为|為|는|은|：|:)?\s{{0,3}}[「『\"'`]?(?P<secret>[!#-&(-_a-~]{{6,100}})", is_password),
    _placed("secret", ("pass", "pwd", "secret", "token", "key"),
            rf"(?i:{_TAGGED}(?:[\"']?>(?=[^\s<>]{{6,400}}</)|[\"']\s{{1,4}}value=[\"']))(?P<secret>[^\s\"'<>]{{6,400}})(?=[\"'<])", is_quoted_value),
    _placed("one-time password", ("secret", "key"),
            r"(?i:\botpauth://[^\s\"'`<>]{1,300}?[?&]secret=|\b(?:totp|otp|2fa|mfa)(?:[ -](?:secret|key)){1,2}(?:\s?(?:is|ist|lautet|:|=))?\s{0,3}[\"'`]?)(?P<secret>(?i:[A-Z2-7]{16,128}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}))(?![A-Za-z0-9])", is_base32),
    _placed("password", ("htpasswd",),
            r"\bhtpasswd\s{1,3}(?:-\w{1,6}\s{1,3}(?:\d{1,2}\s{1,3})?){0,3}(?:-(?=\w{0,6}n)\w{0,6}b\w{0,6}|-(?!\w{0,6}n)\w{0,6}b\w{0,6}\s{1,3}\S{1,100})\s{1,3}\S{1,100}\s{1,3}[\"']?(?P<secret>[^\s\"'`]{6,100})", is_filled),
    _placed("secret", ("pass", "secret", "token", "key"),
            r"(?i:\bconfig(?:ure)?(?::|\s{1,3})set\s{1,3}(?:--?[\w-]{1,20}\s{1,3}){0,3}[\"']?[\w./:@-]{0,100}(?:password|passwd|secret|token|api_?key|access_key)\s{1,3})[\"']?(?P<secret>[^\s\"'`]{6,400})", is_password),
    _placed("key", ("key", "token", "secret"),
            r"(?i:\b(?:client|webhook|signing|app|consumer|shared|api|access|auth|deploy|bot)[ -](?:secret|key|token)\s(?:is|was|to|ist|lautet)\b:?)\s{1,3}[\"'`]?(?P<secret>[A-Za-z0-9_+/~.-]{11,200}[A-Za-z0-9_+/=-])(?![\w=/])", lambda text: is_strong(text) and is_random(text)),
    _placed("passphrase", ("phrase",),
            r"(?i:\b(?:pass ?|(?:recovery|backup|unlock|security)[ -])phrase\b)(?:(?:\s[\w'-]{1,20}){0,6}?\s?(?:is|to|:|=)\s{1,3}[\"'`]?|\s{1,3}[\"'`])(?P<secret>[a-z]{3,20}(?:[ -][a-z]{3,20}){2,7}(?:[ -]\d{1,4})?)(?=[\"'`.!]|\s*$)", is_phrase),
    _placed("password", ("user", "login"),
            r"(?i:\b(?:user(?:name)?|login)\s\S{1,60}?(?:\s(?:and|und|y|et|with|mit))?[\s,/]{1,3}(?:pass|pw|pwd))\s{1,3}(?P<secret>[^\s\"'`,;]{5,200}[^\s\"'`,;.?])", is_password),
    _placed("password", ("credential", "zugangsdaten"),
            r"(?i:\b(?:credentials?|zugangsdaten)\b(?:\s[\w'-]{1,20}){0,4}?\s?(?:are|is|sind|:|=))\s{0,3}[^\s:/,]{1,60}\s?(?:[/,:|]|\band\b)\s?(?P<secret>[^\s\"'`,;]{6,200}[^\s\"'`,;.?])", is_strong),
    _placed("password", ("credential", "creds", "login", "zugangsdaten"),
            r"(?i:\b(?:credentials|creds|login|zugangsdaten)\s(?:are|is|sind|ist)\s[\w.@+-]{1,40}\s(?:and|und))\s(?P<secret>[^\s\"'`,;]{6,100}[^\s\"'`,;.?])(?=[.,;!?)\"'`]|\s{0,3}$|\s(?i:for|on|für|auf)\b)", _is_chosen),
    _placed("password", ("use ", "try ", "utilise ", "usa ", "nimm ", "nutze ", "admin", "root", "postgres", "chpasswd"),
            r"(?<![\w/.:@-])(?:(?i:use|try|nutze|benutze|nimm|utilise|usa)\s[\w.@+-]{1,40}|(?i:admin(?:istrator)?|root|postgres))\s?[:/]\s?(?P<secret>[^\s\"'`,;:/|<>()]{8,64})(?=[\s\"'`,;)]|[.?!]?(?:\s|$))", is_made),
    _placed("password", ("chpasswd",), r"(?<![\w.-])[\w.-]{1,40}:(?P<secret>[^\s\"'`]{5,100})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s)?chpasswd\b", is_filled),
    _placed("password", ("identified by", "securestring"),
            r"(?i:\bidentified\s(?:with\s\w{1,40}\s)?by\s|\bConvertTo-SecureString\s(?:-String\s)?)\s{0,3}[\"'](?P<secret>[^\s\"']{6,200})[\"']", is_password),
    _placed("password", ("auth=(", "auth = (", "basicauth(", "digestauth("),
            r"(?i:\b(?:auth\s?=\s?|(?:HTTP)?(?:Basic|Digest)Auth)\(\s?)[\"'][^\"'\n]{1,80}[\"'],\s?[\"'](?P<secret>[^\s\"']{5,200})[\"']", is_quoted_value),
    _placed("password", ("sqlplus ", "oracle:"), r"(?i:\bsqlplus\s(?:-\w{1,3}\s){0,3}|\boracle:(?:thin|oci):)[\w$#]{1,40}/(?P<secret>[^\s\"'`@/]{5,100})@", is_url_password),
    _placed("password", ("pgpass", ":5432:", ":*:"), r"(?m:^)[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:(?P<secret>[^\s:]{6,100})(?m:$)", is_filled),
    _placed("authorization", ("auth",), r"(?:\b_auth|[\"']auth[\"'])\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[A-Za-z0-9+/]{16,400}={0,2})(?![\w+/=-])", is_key),
    _placed("one-time code", ("code",), r"(?i:\b(?:2fa|mfa|otp|totp|verification|one-time|sms|authenticator)[ -](?:pass)?code\s?(?:is|was|:|=|ist|lautet))\s{0,3}(?P<secret>\d{3}[ -]?\d{3,5})(?![\d.:,-]?\w)", bool),
    _placed("password", ("credential", "creds", "login", "zugangsdaten"),
            r"(?<![^\s\"'`(])[\w.@+-]{1,40}[:/](?P<secret>[^\s\"'`,;:/]{6,100})[\"'`]?(?i:\s(?:as|for|als|für)\s(?:(?:the|my|our|your|die|meine)\s)?(?:credentials|creds|login|zugangsdaten))\b", is_told),
    _placed("secret", ("pass", "pwd", "secret", "token", "key"),
            r"(?i:\bname[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\w.-]{0,60}(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|access_?key)[\"']?,?\s{1,40}[\"']?value[\"']?\s{0,3}[:=]\s{0,3})[\"']?(?P<secret>[^\s\"'`,]{6,400})", lambda text: is_filled(text) and not is_about(text)),
    _placed("password", ("mysql", "mariadb"),
            r"\b(?:mysql|mariadb)[\w-]{0,12}\s[^\n|;&]{0,120}?(?<=\s)-p[\"']?(?P<secret>[^\s\"'`]{6,100})", is_password),
    _placed("password", ("login", "redis-cli", "openssl", "ldap"),
            r"(?:\blogin\s[^\n|;&]{0,120}?(?<=\s)-p|\bredis-cli\s[^\n|;&]{0,120}?(?<=\s)-a|\bopenssl\s[^\n|;&]{0,120}?(?<=\s)(?:-k|-pass(?:in|out)?\spass:)|\bldap\w{3,10}\s[^\n|;&]{0,200}?(?<=\s)-w)[ =]{0,2}[\"']?(?P<secret>[^\s\"'`]{6,100})", is_password),
    _placed("password", ("/user:",), r"\s/user:\S{1,60}\s{1,3}[\"']?(?P<secret>[^\s\"'`]{6,100})", is_password),
    _placed("cookie", ("cookie",),
            r"(?i:(?<![\w.-])[\w.-]{0,30}(?:sess|sid|auth)[\w.-]{0,12}=)(?P<secret>[A-Za-z0-9%._~+/:-]{16,4000})", lambda text: is_filled(text) and is_minted(text)),
    _placed("key", ("key", "token", "secret"),
            r"(?i:\b(?:key|token|secret)(?:(?:\s(?!hash|digest|finger|ids?\b|checksum|commit|revision|sha|md5|etag|name|version|file|path)[\w'-]{1,20}){0,4}?\s(?:is|was|to|ist|lautet|est|es|é|è)\b:?)?)\s{1,3}[\"'`]?(?P<secret>[A-Za-z0-9_-]{20,200})(?![\w.=/-])", is_minted),
    _placed("password", ("--pass", "--pwd", "--token", "--api-key", "--secret", "-u ", "sshpass"),
            r"(?:--(?:password|passwd|pass|pwd|token|api-key|secret|client-secret)[ =]|sshpass -p ?|(?:-u|--user) ?[\"']?[^\s:\"']{1,60}:)[\"']?(?P<secret>[^\s\"'`]{6,300})", is_password),
    _placed("password", ("pw",), r"(?i:\bpwd?)\s{1,3}[\"'`]?(?P<secret>[^\s\"'`,;/\\|&<>=]{5,100}[^\s\"'`,;/\\|&<>=.?:)])", _is_jotted),
    _placed("password", ("парол",), r"(?i:\bпарол\w{1,2}\s(?:от|для|к|на)(?:\s[^\W\d]{1,20}){1,3}?)\s(?P<secret>[!-~]{5,100}[^\s.,;?])", is_told),
    _placed("password", ("pass",), r"(?i:\b(?:with|mit|and|und|avec|con)\spass)\s{1,3}[\"'`]?(?P<secret>[^\s\"'`,;]{8,100})", is_made),
    _placed("password", ("login", "log-in", "credential", "creds", "zugangsdaten", "anmeld", "identifiants"),
            r"(?i:\b(?:log-?in|credentials?|creds|zugangsdaten|anmeldung|anmeldedaten|identifiants)\b(?:\s[\w'-]{1,20}){0,4}?)\s?[:=]\s{0,3}[\w.@+-]{1,60}\s?[/|]\s?(?P<secret>[^\s\"'`,;/|]{6,100})(?=[\s\"'`,;]|$)", _is_chosen),
    _placed("password", ("basic auth", "basic-auth"), r"(?i:\bbasic[ -]auth(?:entication)?)\b[\s:=]{1,3}(?:(?i:is|with|as|using)\s)?[\"'`]?[\w.@+-]{1,60}:(?P<secret>[^\s\"'`,;:/]{5,100}[^\s\"'`,;:/.?])", is_told),
    _placed("secret", ("password", "passwd", "secret", "token", "_key"),
            r"\b(?:[A-Z][A-Z0-9]{0,30}_){0,5}(?:PASSWORD|PASSWD|SECRET|TOKEN|(?:SECRET|API|ACCESS|AUTH|PRIVATE|ENCRYPTION|SIGNING)_KEY)\b[\"'`]?(?i:\s(?:to|is|as|auf|ist))\s{1,3}[\"'`]?(?P<secret>[^\s\"'`,;]{6,400})", lambda text: is_told(text) and is_filled(text)),
    _placed("AWS secret key", ("akia", "asia"),
            r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b[^A-Za-z0-9+/](?:[^\n]{0,60}?[^A-Za-z0-9+/\n])??\n?(?:[^\n]{0,60}?[^A-Za-z0-9+/\n])??(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])", lambda text: classes(text) == 3 and is_random(text)),
    _placed("key", ("auth ", "auth:", "auth=", "auth_token", "auth-token"), r"(?i:(?<!md5 )\bauth(?:[ _-]?token)?)\s?[:=]?\s{0,3}(?P<secret>[0-9a-f]{32})(?![\w-])", is_random),
    _placed("recovery codes", ("code",), r"(?i:\b(?:backup|recovery|rescue|2fa|mfa)[ -](?:backup |recovery )?codes?\b(?:\s(?:are|is))?)\s?[:=]?\s{0,3}(?P<secret>\d{4}[ -]?\d{4}(?:[\s,]{1,3}\d{4}[ -]?\d{4}){0,15})(?![\w.])", bool),
    _placed("PIN", ("code",), r"(?i:\b(?:unlock|door|gate|alarm|safe)[ -]?code)\b(?i:\s(?:for|of|to)(?:\s[\w'-]{1,20}){1,4}?)?(?:\s?[:=]|\s(?i:is|was))?\s{1,3}(?P<secret>\d{4,8}#?)(?![\d.:,-]?\w)", bool),
    _placed("PIN", ("pin", "пин"), r"(?i:\b(?:pin|пин)(?:[ -]?(?:code|number|nummer|код))?)\b\s{0,3}(?:[:=]|(?i:\b(?:is|lautet|ist|est|es)\b))\s{0,3}(?P<secret>\d{4,8})(?![\d.:,-]?\w)", bool),
    _placed("PIN", ("pin", "пин"), rf"(?:\bPIN(?:[ -]?(?i:code|number|nummer|kod))?|(?i:\bпин(?:-?код)?))\b(?!\s(?i:length|entry|pad|dialog|field|attempt|retr|header|block|count|screen|reset|layout))(?:(?:\s[^\W\d][\w'’.-]{{0,20}}){{0,5}}?\s?(?::|=|—|{IS}(?!\w):?))?\s{{0,3}}(?i:{STILL})(?P<secret>\d{{4,8}})(?![\d.:,-]?\w)", bool),
    _placed("PIN", ("暗証番号", "密码", "密碼", "비밀번호"), r"(?:暗証番号|密码|密碼|비밀번호)\s?(?:は|是|为|為|는|은|：|:)\s{0,3}(?P<secret>\d{4,8})(?![\d.:,-]?[A-Za-z\d]|\s?[位桁文자])", bool),
    _placed("password", ("login",), r"\blogin\s{1,4}\S{1,100}\s{1,4}password\s{1,4}(?P<secret>\S{4,200})", is_filled),
    _placed("authorization", ("bearer", "basic ", "authorization"),
            r"(?i:\b(?:bearer|basic)\s{1,4}|\bauthorization:\s{0,4}(?:token\s{1,4}|apikey\s{1,4})?)(?P<secret>[A-Za-z0-9._~+/=-]{16,4000})", lambda text: classes(text) >= 2 and is_filled(text) and is_random(text) and not is_name(text)),
    _placed("password in an address", ("://",),
            r"(?<![a-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,100}:(?P<secret>[^\s/@\"'<>]{3,200})@(?=[\w\[$-])", is_url_password),
    _placed("password in an address", ("@",),
            r":(?<=[\w.-]:)(?<!mailto:)(?<!sip:)(?<!sips:)(?<!xmpp:)(?<!acct:)(?<!mail:)(?<!from:)(?<!\bto:)(?<!cc:)(?<!npm:)(?<!pkg:)(?<!jsr:)(?P<secret>[^\s:/@\"'<>]{6,100})@(?=(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[a-z][\w-]*(?:\.[\w-]+)+)\b)", is_strong),
    _placed("seed phrase", ("seed", "phrase", "mnemonic", "wiederherstell", "frase", "фраз", "助记词", "助記詞", "シード", "ニーモニック", "시드", "12 words", "24 words", "twelve words"),
            r"(?i:\b(?:seed|(?:seed|recovery|backup|wallet|mnemonic|secret)[ -](?:phrase|words?|seed)|mnemonic|wiederherstellungs(?:phrase|wörter)|phrase (?:de récupération|secrète|mnémonique)|frase (?:semilla|semente|de recuperación|de recuperação|di recupero|mnemonica)|сид-?фраза|(?:12|24|twelve|twenty-four) words)\b|助记词|助記詞|シードフレーズ|ニーモニック|시드 구문|니모닉)[^\n]{0,50}?\s{0,2}[\s:：=\"'`«„“](?P<secret>(?:\d{1,2}[.):]\s?)?[a-z]{3,10}(?:[ ,\n]{1,2}(?:\d{1,2}[.):]\s?)?[a-z]{3,10}){11,32})(?![\w ,]{0,2}[\w'])", is_seed),
    _placed("storage key", ("accountkey=", "sharedaccesskey=", "sig="),
            r"(?i:\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|sig)=)(?P<secret>[A-Za-z0-9+/%=_-]{30,200})", is_random),
    _placed("key", ("key", "token", "secret", "credential"),
            r"(?i:\b(?:key|token|secret|credentials?|api[- ]key)\b)[^\n\"'`]{0,60}?(?:[:：]\s{1,4}[\"'`]{0,3}\n?)?(?<![A-Za-z0-9+/_=.-])(?P<secret>[A-Za-z0-9+/_-]{20,200}={0,2})(?![A-Za-z0-9+/_=-])", is_key),
)  # fmt: skip

_KEYED = pattern_of(
    r"(?:pass(?:word|wd|phrase|code|wort)|(?<![^\W_])(?:passe?|pw)(?![^\W_])|pwd|psw|pswd|secret|key|token|credentials?|schlüssel"
    rf"|{ABROAD}|{EASTERN})[\"'`]?\s{{0,4}}(?::=|=>|==?|:|：)\s{{0,4}}"
)  # of a text in lower case: a word for a secret, and a sign that it is set to something
_KEY_WORDS = (
    "key", "pass", "token", "secret", "pwd", "psw", "credential", "pw", "schlüssel", *ABROAD_MARKS, *EASTERN_MARKS,
)  # fmt: skip
"""How all that `_KEYED` finds begins: these are found in less time."""
_SHORTEST = 8  # signs, of a word for a secret and what it is set to
_KINDS_OF_KEY = pattern_of(
    r"(?:api|access|secret|private|auth|account|encryption|signing|master|shared|service|deploy|license|storage|webhook|session|"
    r"admin|root)[ _.-]?$"
)  # what is called a key is one that opens something only after such a word
_NAMED = pattern_of(r"(?<![A-Za-z])[A-Z][A-Z0-9]*_$")  # as settings of an environment are: STRIPE_KEY, DB_PASS
_QUOTED = pattern_of(r"[brfu@]?(?P<q>[\"'`])(?P<secret>[^\"'`\s]{6,400})(?P=q)")
_JOINED = pattern_of(r"[a-z]+(?:-[a-z]+)+")  # a name: `credentials: "same-origin"`
_BARE = pattern_of(r"(?P<secret>(?:[^\s\"'`,;&<>()\[\]{}]|&(?!&|\w{1,40}=|\w{1,8};)(?<!&&)){6,400})(?![(\[{])")

_LOGINS = (
    "log ?in", "logging in", "logged in", "sign ?in", "credential", "creds", "zugangsdaten", "anmeld", "einlogg", "logge dich", "identifiants",
    "connecte-toi", "connectez-vous", "(?:me|se) connecte", "credencia", "credenzial", "inicia[r]? sesión", "inlogge", "accedi", "entrar com",
    "уч[её]тн", "логин", "войти", "账号", "帐号", "帳號", "登录", "登入", "ログイン", "로그인", "계정",
)  # fmt: skip
_ENTERED = pattern_of("|".join(_LOGINS))
_LOGIN_MARKS = (
    "log", "sign", "cred", "zugangsd", "anmeld", "identifiant", "connecte", "inicia", "accedi", "entrar com", "уч", "логин", "войти",
    "账号", "帐号", "帳號", "登录", "登入", "ログイン", "로그인", "계정",
)  # fmt: skip
_ASCII_LOGIN_MARKS = tuple(filter(str.isascii, _LOGIN_MARKS))
_SPOKEN_OF = pattern_of(rf"(?:{PASSWORDS})\b{OF_PASSWORDS}|{EASTERN}")
_NEAR_BEFORE, _NEAR_AFTER = 50, 80  # signs
_LONGEST_MADE = 200  # signs: more than `_MADE` ever looks at
_MADE = pattern_of(
    r"(?<![^\s\"'`(«„“「『*,;|\u3001-\u9fff\uac00-\ud7af])(?:[\w.@+-]{1,40}[:/])?(?P<secret>[^\s\"'`,;:()<>\[\]{}«»“”„「」『』|/=\\\u3000-\u9fff\uac00-\ud7af]{8,64})"
    r"(?![^\s\"'`)»”」』*,;.:?|\u3001-\u9fff\uac00-\ud7af])"
)

_DIGIT = pattern_of(r"[0-9]")
_CARD = pattern_of(
    r"[2-68](?<![\w.,+#/-].)\d{3}(?<![0-9A-F]{2}[ \n-]\d{4})(?:\d{9,15}|(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?|(?P<space>[ -])\d{6}(?P=space)\d{4,5})(?![\w/-]|[.,]\d|[ \n][0-9A-F]{4}\b)"
)

_LONGEST_WORD = 20  # signs: what an issuer marks has no shorter run
_LONG = pattern_of(rf"[A-Za-z0-9_./:+~=-]{{{_LONGEST_WORD}}}")


def _by_mark(rules: tuple[_Rule, ...]) -> dict[str, list[_Rule]]:
    marked: dict[str, list[_Rule]] = {}
    for rule in rules:
        for mark in rule.marks:
            marked.setdefault(mark, []).append(rule)
    return marked


_PREFIXED_BY_MARK, _PLACED_BY_MARK = _by_mark(_PREFIXED), _by_mark(_PLACED)
_SPOKEN_SIGNS = dict.fromkeys((*_PLACED_BY_MARK, *_KEY_WORDS, *SAID_MARKS, "code"))
_SIGNS = tuple(mark for mark in _SPOKEN_SIGNS if not any(other in mark for other in _SPOKEN_SIGNS if other != mark))
"""The shortest of all words for a secret: each of the others holds one of them."""
_ASCII_SIGNS = tuple(filter(str.isascii, _SIGNS))

_HASHED = pattern_of(r"(?:sha(?:1|224|256|384|512)[-:=]|md5[-:=]|h1:|integrity[\"']?[:=]\s?[\"']?|;base64,|checksum\W{1,4}|digest\W{1,4}|commit\W{1,4})$", re.IGNORECASE)  # fmt: skip
_PEM = pattern_of(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:")
_PEM_END = pattern_of(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{40,64}")
_PEM_LEAST = 64  # a heading that nothing follows is no key
_PEM_MARK = "PRIVATE KEY"
_PRIVATE_KEY = "private key"
_KEY_LINE = pattern_of(
    r"[ \t\"'`#*>|]{0,40}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n]{0,200}|[A-Za-z0-9+/=\\]*)[ \t\r\"'`,;+]{0,9}\n?"
)


def find_secrets(text: str) -> list[Secret]:
    """The secrets of a text in order, none within another."""
    if len(text) < _SHORTEST:
        return []
    lower = _lowered(text)
    ascii = lower.isascii()
    long = max(map(len, text.split()), default=0) >= _LONGEST_WORD and _LONG.search(text)
    marked = [rules for mark, rules in _PREFIXED_BY_MARK.items() if mark in lower] if long else []
    spoken = bool([sign for sign in (_ASCII_SIGNS if ascii else _SIGNS) if sign in lower])
    if spoken:
        marked += [rules for mark, rules in _PLACED_BY_MARK.items() if mark in lower]
    found = [*_private_keys(text)] if "private key" in lower or "putty-user-key" in lower else []
    for rule in {id(rule): rule for rules in marked for rule in rules}.values():
        found += _matches(rule, text)
    if spoken and any([mark in lower for mark in SAID_MARKS]):
        found += [Secret(start, end, "password") for start, end in said_secrets(text, lower)]
    if spoken and may_have_table(lower):
        found += [Secret(start, end, "password") for start, end in table_secrets(text)]
    is_set = "=" in lower or ":" in lower or "：" in lower  # as each of the words must be, to something
    if spoken and is_set and any([word in lower for word in _KEY_WORDS]):
        found += _set_to(text, lower)
    if _DIGIT.search(text):
        found += _beside(text, lower, spoken)
        found += [Secret(*one.span(), "card number") for one in _CARD.finditer(text) if is_card(one.group())]
    if not found:
        return found
    kept: list[Secret] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _lowered(text: str) -> str:
    """In lower case, each sign at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)


def _set_to(text: str, lower: str) -> Iterator[Secret]:
    """What a password, a token, a secret or a key of some kind is set to."""
    for key in _KEYED.finditer(lower):
        named = _NAMED.search(text, max(0, key.start() - 40), key.start()) is not None
        if text.startswith("PASS", key.start()) and not named and not text[key.start() + 4].isalpha():
            continue  # a test that did
        value = _QUOTED.match(text, key.end())
        holds = is_quoted_value if value else is_password
        if lower.startswith("key", key.start()) and not _KINDS_OF_KEY.search(
            lower, max(0, key.start() - 16), key.start()
        ):
            if not named:
                continue
            holds = is_issued
        if value is None and not key.group().rstrip().endswith("=="):  # which asks for another one
            value = _BARE.match(text, key.end())
        if value and _JOINED.fullmatch(value["secret"]) and not _SPOKEN_OF.match(lower, key.start()):
            continue
        if value and holds(value["secret"]) and not _is_something_else(text, key.start(), value.start("secret")):
            yield Secret(*value.span("secret"), "password" if holds is is_password else "secret")


def _beside(text: str, lower: str, spoken: bool) -> Iterator[Secret]:
    """What is mixed as a password is, near where one is spoken of or somebody is told how to log in."""
    windows: list[tuple[int, int]] = []
    if spoken:
        windows += [(one.start() - _NEAR_BEFORE, one.end() + _NEAR_AFTER) for one in _SPOKEN_OF.finditer(lower)]
    if any([mark in lower for mark in (_ASCII_LOGIN_MARKS if lower.isascii() else _LOGIN_MARKS)]):
        windows += [(one.start(), one.end() + _NEAR_AFTER) for one in _ENTERED.finditer(lower)]
    done = 0
    for start, end in sorted(windows):
        for one in _MADE.finditer(text, max(start, done), end + _LONGEST_MADE):
            if one.start() >= end:
                break
            value = one["secret"].rstrip(".?*_")
            if is_made(value):
                yield Secret(one.start("secret"), one.start("secret") + len(value), "password")
        done = max(done, end)


def _matches(rule: _Rule, text: str) -> Iterator[Secret]:
    groups = rule.pattern.groupindex or (0,)
    for match in rule.pattern.finditer(text):
        for group in groups:
            start, end = match.span(group)
            if rule.holds(match.group(group)) and not _is_something_else(text, match.start(), start):
                yield Secret(start, end, rule.kind)


def _is_something_else(text: str, begun: int, start: int) -> bool:
    """Does what stands before it say that it is a hash, an image or a place in a list?"""
    hashed = _HASHED.search(text, max(0, start - 16), start)
    return hashed is not None or _OTHERWISE.search(text, max(0, begun - 16), begun) is not None


def _private_keys(text: str) -> Iterator[Secret]:
    """Private keys, also one that ends in this text and began in one before it."""
    at = 0
    begun, ended = _PEM.search(text), _PEM_END.search(text)
    if ended is not None and (begun is None or ended.start() < begun.start()):
        start = _begin_of_lines(text, ended.start())
        at = ended.end()
        if at - start > len(ended.group()):
            yield Secret(start, at, _PRIVATE_KEY)
    closes = True
    while begun := _PEM.search(text, at):
        ended = _PEM_END.search(text, begun.end()) if closes else None
        closes = ended is not None  # else nothing further on is closed, either
        at = _end_of_key(text, begun) if ended is None else ended.end()
        if at - begun.end() >= _PEM_LEAST:
            yield Secret(begun.start(), at, _PRIVATE_KEY)


def _end_of_key(text: str, begun: re.Match[str]) -> int:
    """Where a key ends that nothing closes: where it was cut off, or where somebody goes on who only names its heading."""
    if not begun.group().startswith("-"):
        return len(text)
    run = _KEY_RUN.match(text, begun.end())
    return max(_end_of_lines(text, begun.end()), begun.end() if run is None else run.end())


_KEY_RUN = pattern_of(r"(?:\s|\\+[nr]|[A-Za-z0-9+/=]{20,})*")


def _begin_of_lines(text: str, end: int) -> int:
    """Where the lines of a key begin that stand right before a place."""
    start = end
    while start:
        line = text.rfind("\n", 0, start - 1) + 1
        if not _KEY_LINE.fullmatch(text, line, start):
            break
        start = line
    return start


def carry_keys(texts: Sequence[str]) -> list[str]:
    """Texts that follow each other, where a private key begins in one and goes on in the next: without what goes on."""
    if not any(_PEM_MARK in text for text in texts):
        return list(texts)
    kept: list[str] = []
    inside = False
    for text in texts:
        end = _end_of_lines(text, 0) if inside else 0
        kept.append(f"{MASK}{_PRIVATE_KEY}]\n{text[end:]}" if end and _PEM_END.match(text, end) is None else text)
        begun = next(reversed(list(_PEM.finditer(text))), None)
        if begun is not None:
            inside = _end_of_lines(text, begun.end()) == len(text)
        else:
            inside = inside and end == len(text)
    return kept


def _end_of_lines(text: str, start: int) -> int:
    """Where the lines of a key end that stand at a place."""
    while start < len(text):
        line = text.find("\n", start) + 1 or len(text)
        if not _KEY_LINE.fullmatch(text, start, line):
            break
        start = line
    return start


# Masking

MASK = "[masked: "


def mask_secrets(text: str) -> tuple[str, tuple[str, ...]]:
    """A text with every secret masked, and what they were."""
    found = find_secrets(text)
    if not found:
        return text, ()
    parts: list[str] = []
    at = 0
    for secret in found:
        parts += (text[at : secret.start], f"{MASK}{secret.kind}]")
        at = secret.end
    return "".join([*parts, text[at:]]), tuple(dict.fromkeys(secret.kind for secret in found))


def mask_value(name: str, value: str) -> tuple[str, tuple[str, ...]]:
    """What something is set to, with every secret masked: also one that only its name tells, such as `password`."""
    masked, kinds = mask_secrets(value)
    lower = name.lower()
    if kinds or not any(word in lower for word in _KEY_WORDS):
        return masked, kinds
    if told_by_name(name, value):
        return f"{MASK}password]", ("password",)
    said = f"{name}: "
    found = [one for one in find_secrets(said + value) if one.start >= len(said)]
    return (f"{MASK}{found[0].kind}]", (found[0].kind,)) if found else (value, ())


_MASKED = pattern_of(r"\[masked: ([^\[\]\n]{1,40})\]")


def told_in(*texts: str) -> tuple[str, ...]:
    """The kinds of secrets that were masked in some texts."""
    return tuple(dict.fromkeys(kind for text in texts for kind in _MASKED.findall(text)))


def drop_private(text: str) -> str:
    """A text without what stands in `<private>…</private>`. What is not closed goes on to the end.

    Whatever opens as such a mark does, with attributes or without, however it goes on; but one that nothing closes is
    none where it is shown as code, or is a part of a type.
    """
    return carry_private([text])[0] if "private" in text.lower() else text


def carry_private(texts: Sequence[str]) -> list[str]:
    """Texts that follow each other, without what is private, also where that begins in one and ends in another.

    What is closed in none of them goes on to the end of the text that it begins in.
    """
    marks = private_marks(texts)
    last = max((place for place, found in enumerate(marks) if any(closes for *_, closes in found)), default=-1)
    kept: list[str] = []
    inside = False
    for place, text in enumerate(texts):
        public, inside = _without_private(text, marks[place], inside)
        kept.append(public)
        inside = inside and place < last
    return kept


def _without_private(text: str, marks: Sequence[PrivateMark], inside: bool) -> tuple[str, bool]:
    """A text, which may begin inside of a private one, without what is private; and does it end inside of one?"""
    kept: list[str] = []
    at, depth = 0, int(inside)
    for start, end, closes in marks:
        if depth == 0:
            kept.append(text[at:start])
        inside = not closes
        depth = max(depth - 1, 0) if closes else depth + 1
        at = end
    return "".join([*kept, text[at:] if depth == 0 else ""]), inside
