"""How do people say a password, a PIN, a card or the words of a wallet, and what do they say that only sounds so?

In the words of conversations and notes, in the languages that passwords are read in. `{}` is where a password stands
that is made anew for each seed; no card, PIN or wallet of anybody stands here.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable

SEASONS = (
    "Winter", "Hiver", "Sommer", "Verano", "Inverno", "Harbor", "Maple", "Kiwi", "Tango", "Falcon", "Orchid", "Lisboa",
)  # fmt: skip
WALLET = (
    "legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful", "yellow", "letter", "advice", "cage", "absurd",
    "amount", "doctor", "acoustic", "avoid", "zoo", "void", "come", "effort", "suffer", "camp", "survey", "warrior", "heavy",
    "shoot", "primary", "clutch", "crush", "open", "amazing", "screen", "patrol", "group", "space", "point", "ten", "exist",
    "slush", "involve", "unfold", "about", "that", "this", "you", "very", "will", "just", "before",
)  # fmt: skip


def everyday(rng: random.Random) -> str:
    """A password as people make one up: a word, some digits, a sign."""
    word = rng.choice(SEASONS)
    return rng.choice(
        (
            f"{word}{rng.randint(1990, 2029)}!",
            f"{word.lower()}{rng.randint(100, 9999)}!",
            f"{word}#{rng.randint(10, 9999)}",
            f"{word}{rng.choice('!$%&*')}{rng.randint(10, 999)}{rng.choice(string.ascii_lowercase)}",
            f"{rng.randint(10, 99)}{word}*{rng.choice(SEASONS)}",
        )
    )


def card(rng: random.Random, start: str = "4", length: int = 16) -> str:
    """A number that an issuer could have given out."""
    digits = start + "".join(rng.choice(string.digits) for _ in range(length - len(start) - 1))
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits)))
    return digits + str(-sum(value - 9 * (value > 9) for value in doubled) % 10)


def _grouped(digits: str, gap: str = " ") -> str:
    return gap.join(digits[at : at + 4] for at in range(0, len(digits), 4))


def _wallet(rng: random.Random, count: int = 12) -> list[str]:
    return [rng.choice(WALLET) for _ in range(count)]


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(count))


PASSWORD_SAID = (
    "my password for github is still {}", "it's {} (the password)", "Login: admin / {}", "log in with admin and {}",
    "credentials are admin/{}", "pwd {}", "password\n{}", "admin:{}@10.0.0.4", "the new password for the NAS, {}, works",
    "sign in as jan with {} and look at the dashboard", "creds: root / {}", "creds for the demo box: demo:{}",
    "You can log into the router (192.168.1.1) with admin, {}", "wifi password at the cabin?\n{}",
    "password, in case you need it: {}", "he told me the password, {} I think", "I always use {} as password",
    "the old password {} no longer works", "Password -> {}", "password is now {}", "password = {} # for staging",
    "ssh deploy:{}@build.example.net", "user: admin\npassword: {}", "| user | password |\n|---|---|\n| admin | {} |",
    "Der Login ist admin / {}", "mein Passwort für GitHub ist immer noch {}", "Passwort {} für den Drucker",
    "melde dich mit admin und {} an, anmelden geht nur so: admin {}", "das Kennwort lautet jetzt {}",
    "Datenbankpasswort ist {}", "mot de passe : {}", "le mot de passe du wifi est toujours {}", "mdp : {}",
    "mes identifiants sont admin / {}", "connecte-toi avec admin et {}", "contraseña: {}",
    "mi contraseña de GitHub sigue siendo {}", "la contraseña, por si acaso: {}", "mis credenciales son admin / {}",
    "senha: {}", "a senha do wifi ainda é {}", "as credenciais são admin / {}", "la password del router è {}",
    "parola d'ordine: {}", "le credenziali sono admin / {}", "accedi con admin e {}", "пароль: {}", "пароль {}",
    "мой пароль всё ещё {}", "логин admin, пароль {}", "密码：{}", "我的密码还是 {}", "用 admin 和 {} 登录，密码就是这个", "账号 admin，密码 {}",
    "パスワード: {}", "パスワードはまだ {} です", "ログインは admin / {} です", "비밀번호: {}", "로그인은 admin / {}", "wachtwoord: {}",
    "inloggen met admin en {}", "hasło: {}", "moje hasło to nadal {}", "lösenordet är fortfarande {}", "adgangskoden er {}",
    "passordet er {}", "heslo: {}", "jelszó: {}", "şifre: {}", "parola este {}", "κωδικός: {}", "mật khẩu là {}",
    "kata sandi: {}", "كلمة المرور: {}", "סיסמה: {}", "รหัสผ่าน: {}",
    "the **password** is **{}**", "my pasword is {}", "the passwort is {}", "pass phrase: {}", "pw => {}", "password => {}",
    "use ilse:{} as credentials", "wifi key: {}", "the wifi key is {}", "WLAN-Schlüssel ist {}", "code wifi : {}",
    "la clave es {}", "clave de acceso: {}", "credenciales: ilse / {}", "identifiants : ilse / {}", "пароль к базе: {}",
    "пароль от базы — {}", "пароль админа: {}", "пароль до бази: {}", "Passwort hab ich auf {} gesetzt",
    "le mot de passe c'est {}", "salasana on {}", "parola è {}", "ο κωδικός είναι {}", "รหัสผ่านคือ {}",
    "the passwords are {} and {}", "Passwörter: {}, {}", "DB_PASS={}", "MYSQL_PASS: {}",
    "- name: DB_PASSWORD\n  value: {}", '{"name": "DB_PASSWORD", "value": "{}"}',
)  # fmt: skip

WEAK = (
    "toor", "letmein", "sunshine", "fluffybunny", "zebracross", "monkey", "dragon", "Princess", "butterfly", "123456",
    "purple monkey dishwasher lamp", "qwerty", "iloveyou", "football", "Bella-Luna",
)  # fmt: skip
WEAK_SAID = (
    "the root password is {}", "my password is {}", "password: {}", "the password for the NAS is {}",
    "Our wifi password is {}.", "The admin password is now {}", "the password of the printer: {}",
    "my pw is {}", "das Kennwort lautet {}", "mein Passwort ist {}", "le mot de passe du NAS est {}",
    "le mot de passe, c'est pas compliqué. mot de passe : {}", "mi contraseña es {}", "a senha do wifi é {}",
    "the passphrase of the signing key is {}", "Set the root password to {}", "the **password** is **{}**",
    "пароль: {}", "salasana: {}", "Login for the till: ilse\nPassword: {}\nPort: 22",
)  # fmt: skip

OTHERWISE_SAID: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"my card's PIN is {r.randint(1000, 9999)}",
    lambda r: f"the PIN of the blue card is still {r.randint(1000, 9999)}",
    lambda r: f"PIN {r.randint(1000, 9999)} opens the garage",
    lambda r: f"Die PIN meiner Karte ist {r.randint(1000, 9999)}",
    lambda r: f"mon code PIN est {r.randint(1000, 9999)}",
    lambda r: f"el PIN de mi tarjeta es {r.randint(1000, 9999)}",
    lambda r: f"o PIN do cartão é {r.randint(1000, 9999)}",
    lambda r: f"il PIN della carta è {r.randint(1000, 9999)}",
    lambda r: f"ПИН-код {r.randint(1000, 9999)}",
    lambda r: f"暗証番号は{r.randint(1000, 9999)}です",
    lambda r: f"my card is {_grouped(card(r))}, valid until 09/28",
    lambda r: f"charge {card(r, '5' + r.choice('12345'))} for the hotel",
    lambda r: f"Amex {(number := card(r, '37', 15))[:4]} {number[4:10]} {number[10:]}",
    lambda r: f"Kreditkarte: {_grouped(card(r, '5' + r.choice('12345')), '-')}",
    lambda r: f"carte bancaire {_grouped(card(r))}",
    lambda r: f"卡号 {card(r, '62', 19)}",
    lambda r: "seed phrase: " + " ".join(_wallet(r)),
    lambda r: "my recovery phrase is " + " ".join(_wallet(r, 24)),
    lambda r: 'The mnemonic "' + " ".join(_wallet(r)) + '" restores the wallet.',
    lambda r: "Wallet words, 12 words in order:\n" + "\n".join(f"{at}. {word}" for at, word in enumerate(_wallet(r), 1)),
    lambda r: "backup phrase (Ledger): " + ", ".join(_wallet(r, 24)),
    lambda r: "Wiederherstellungsphrase: " + " ".join(_wallet(r)),
    lambda r: "phrase de récupération : " + " ".join(_wallet(r)),
    lambda r: "frase semilla: " + " ".join(_wallet(r)),
    lambda r: "сид-фраза: " + " ".join(_wallet(r)),
    lambda r: "助记词：" + " ".join(_wallet(r)),
    lambda r: f"pin: {r.randint(1000, 9999)}",
    lambda r: f"PIN={r.randint(1000, 9999)}",
    lambda r: f"my recovery code is {_letters(r, 4)}-{r.randint(10, 99)}{_letters(r, 2)}-{_letters(r, 1)}{r.randint(10, 99)}{_letters(r, 1)}",
    lambda r: f"STRIPE_KEY={''.join(_letters(r, 2) + str(r.randint(1, 9)) + _letters(r, 2).upper() for _ in range(4))}",
    lambda r: f"password={r.choice(WEAK[:10])}",
    lambda r: f"spring.datasource.password={r.choice(WEAK[:10])}",
)  # fmt: skip

ONLY_SPOKEN_OF = (
    "password must be at least 12 characters", "reset your password in Settings", "the password field is empty",
    "login: see the wiki / ask Ann", "pin the version to 4821", "PIN code entry dialog", "credentials are stored in Vault",
    "admin/settings page", "the login page is at /admin/login2", "log in with SSO and choose the team",
    "log in with your GitHub account and pick repo-2024", "sign in again after 30 days", "credentials expire on 2026-11-30",
    "the password reset link is valid for 24h", "password rotation is due in Q3-2026!", "We ship the login screen in v2.14.0!",
    "The login test passes on Python3.12 and Node20!", "password rules: 8+ characters, 1 digit, 1 sign",
    "the password check is in auth/password_check2.py", "passwords are hashed with argon2id, see ADR-0012",
    "login fails with HTTP401!", "Sign in at https://example.org/login?next=/a1&b=2", "login fails since #4821!",
    "the password dialog (Ctrl+Shift+P) has no close button", "Login: bug#4821 is fixed", "see Issue#2031 for the login form",
    "password: see item 12 in 1Password", "ask Ann for the password of the NAS", "password protected PDFs are skipped",
    "the login endpoint returns 429 after 5 tries!", "log in as admin and open Settings > Users",
    "Login with user admin works, with user guest2024 it does not", "jan.kowalski92@example.org forgot the password",
    "the password mail goes to ops+alerts2@example.net", "the login cookie lasts 14d", "login.spec.ts line 120 fails",
    "credentials: 'include' is needed for fetch", "add credentials=true to the CORS options", "credentialsId: 'github-bot'",
    "password strength is shown as 4/5", "the password column is varchar(255)", "ALTER TABLE users ADD password_hash2 text",
    "password%20reset is the query", "the login <b>form</b> isn&#39;t translated", "Password must contain A-Z, a-z, 0-9 and !#$%",
    "const { password } = form2.values!", "login(user1!, options2?)", "if (login1&&login2) return", "expect(login).toBe(user1!.login)",
    "password = $DB_PASSWORD2", "login: ${LOGIN_USER2}", "passwords like <Season><Year>! are refused", "C#12 has no password type",
    "the login went from 320ms to 95ms!", "100% of logins pass now!", "We had 12,480 logins on Friday!", "login rate: 45%",
    "Das Passwort muss mindestens 12 Zeichen haben", "Setze dein Passwort in den Einstellungen zurück", "Das Kennwort-Feld ist leer",
    "Zugangsdaten liegen im Vault", "Anmeldung: siehe Wiki / frag Anna", "die Anmeldung dauert 320ms", "Passwort vergessen? Siehe Seite 12!",
    "le mot de passe doit avoir 12 caractères", "réinitialise ton mot de passe dans les paramètres", "le champ mot de passe est vide",
    "les identifiants sont dans le coffre", "connecter le capteur A2 au port 8080", "la contraseña debe tener 12 caracteres",
    "el campo de contraseña está vacío", "las credenciales están en Vault", "a senha deve ter 12 caracteres", "redefina sua senha nas configurações",
    "as credenciais ficam no Vault", "la password deve avere 12 caratteri", "le credenziali sono nel vault", "пароль должен быть не короче 12 символов",
    "сбросьте пароль в настройках", "учётные данные лежат в Vault", "密码至少12位", "请在设置里重置密码", "账号和密码不能为空", "登录页面在 /admin/login2",
    "パスワードは12文字以上です", "設定でパスワードをリセット", "ログイン画面は v2.14.0 で変わる", "비밀번호는 12자 이상", "로그인 화면은 v2.14.0부터",
    "het wachtwoord moet 12 tekens hebben", "hasło musi mieć 12 znaków", "lösenordet måste ha 12 tecken", "heslo musí mít 12 znaků",
    "mật khẩu phải có 12 ký tự", "kata sandi minimal 12 karakter", "PIN length is 6", "the PIN has 4 digits", "pin 4821 of the header is ground",
    "pins 1000 to 1024 are inputs", "pin numpy to 1.26.4", "the pin count is 4821", "PIN attempts: 3", "PIN pad model 4821-B", "PIN entry takes 2000ms",
    "the seed is 4821", "set the random seed: numpy then torch then random", "seed the database with users orders items and invoices",
    "the seed phrase is never stored on the server and should not be typed into any form", "A recovery phrase has twelve or twenty-four words.",
    "mnemonic names help people remember the commands of the tool far better than numbers", "recovery words are shown once during the setup of the app",
    "the backup phrase must be written down by the user before the wallet opens for the first time", "seed data: people places things orders",
    "git@github.com:acme/app2.git", "npm:react2@18.2.0", "mailto:jan2026@example.org", "image:app2024@sha256", "docker pull acme/app:2024@build7",
    "the password is wrong", "my password is too short", "the root password is rotated weekly", "the password is in 1Password",
    "the admin password is weak", "my password is the same as last year", "the root password is not set",
    "the password is case-sensitive", "the wifi password is on the fridge", "my password is gone",
    "the password for staging is out of date", "the database password is long enough", "the password of the NAS is unknown",
    "your password is safe with us", "the password was leaked last week", "the password is base64-encoded",
    "the password is valid for 90 days", "the password is about to expire", "the password was easy to guess",
    "the sudo password is cached for 15 minutes", "the password is per user", "the password is read from stdin",
    "the password is identical on both hosts", "change the password to something else", "reset the password to its default",
    "the passwords are hashed and salted", "every password is unique", "the wifi key is printed on the router",
    "la clave es practicar", "the recovery codes are in the safe", "my recovery code is lost", "das Passwort ist falsch",
    "mein Passwort ist zu kurz", "das Passwort hab ich auf dem Zettel", "le mot de passe est trop court",
    "mi contraseña es demasiado corta", "la password è scaduta", "пароль от базы — в сейфе", "connect(host, password=entered)",
    "const password = entered", "{ email: mail, password: entered }", "this.password = plain;", "password: string",
    "Password: stored in Bitwarden", "the passphrase of the backup is kept by Ilse", "the password was Anna's idea",
    "from:jan!2026@example.org in the search", "10:30@Room2, then 14:00@Room5", "ratio 16:9@60fps!", "sip:anna77@voip.example.org",
)  # fmt: skip

NUMBERS: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"order 1{r.randint(10**14, 10**15 - 1)} was shipped",
    lambda r: f"ISBN 978{r.randint(10**9, 10**10 - 1)}",
    lambda r: f"at {r.randint(1_600_000_000_000, 1_900_000_000_000)} ms",
    lambda r: f"ts={r.randint(16 * 10**17, 19 * 10**17)}",
    lambda r: f"call +49 {r.randint(100, 999)} {r.randint(1000, 9999)} {r.randint(1000, 9999)}",
    lambda r: f"phone 0{r.randint(100, 999)}-{r.randint(100, 999)}-{r.randint(1000, 9999)}",
    lambda r: f"commit {r.randbytes(20).hex()} broke the login",
    lambda r: f"0.{r.randint(10**15, 10**16 - 1)} is the score",
    lambda r: f"tracking number 00{r.randint(10**17, 10**18 - 1)}",
    lambda r: f"IBAN DE{r.randint(10, 99)} {r.randint(1000, 9999)} {r.randint(1000, 9999)} {r.randint(1000, 9999)} {r.randint(1000, 9999)} 00",
    lambda r: f"invoice {r.randint(2020, 2026)}-{r.randint(1000, 9999)}-{r.randint(1000, 9999)}",
    lambda r: f"EAN 9{r.randint(10**11, 10**12 - 1)}",
)  # fmt: skip
