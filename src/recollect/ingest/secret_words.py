"""How is a password called, and by which words is it said what it is? As parts of patterns, for what reads a text.

`MARKS` of something stand, in lower case, in every text that its words occur in: looking for these takes less time.
"""

from __future__ import annotations

ABROAD = (
    r"kennw[oö]rt(?:ern?)?|contraseñ?n?as?|contrasenya|senhas?|wachtwoord(?:en)?|hasł(?:o|em|a)|парол(?:ь|я|ем|і|и)|"
    r"lösenord(?:et|en)?|salasana(?:ni|si)?|parola d['’]ordine|(?:parol[aă]|şifre)(?:m|n|s[iı]|[nm][iı]z)?|\bmdp\b|"
    r"adgangskoden?|passord(?:et)?|heslo|jelszó|κωδικός|סיסמה|كلمة (?:المرور|السر)|पासवर्ड|mật khẩu|kata sandi"
)
ABROAD_MARKS = (
    "kennw", "contrase", "senha", "wachtwoord", "hasł", "парол", "lösenord", "salasana", "şifre", "parol", "mdp",
    "adgangskode", "passord", "heslo", "jelszó", "κωδικός", "סיסמה", "كلمة", "पासवर्ड", "mật khẩu", "kata sandi",
)  # fmt: skip
EASTERN_MARKS = ("パスワード", "暗証番号", "密码", "密碼", "口令", "비밀번호", "รหัสผ่าน")
EASTERN = "|".join(EASTERN_MARKS)
OF_PASSWORDS = (
    r"(?![\s-](?:manager|polic|label|field|hash|hint|reset|strength|generator|length|rule|prompt|form|input|box|store|"
    r"vault|file|type|format|column|parameter|variable|name|entropy|encoder|algorithm|page|screen|check|rotation|expir|"
    r"history|dialog))"
)
PASSWORDS = (
    r"pass(?:words?|wd|phrases?|codes?|wort|wörtern?|wrod|wrd|worde?)|pass[ -](?:word|phrase)s?|paswor[dt]s?|pwd|"
    rf"mots? de passe|{ABROAD}"
)
PASSWORD_MARKS = ("pass", "pasw", "pwd", "pw", *ABROAD_MARKS)
PASSWORD = rf"(?i:\b(?:pw|{PASSWORDS})\b{OF_PASSWORDS})"  # and not of what has to do with passwords
STILL = (
    r"(?:(?:still|now|currently|just|simply|always|actually|again|only|probably|immer noch|noch immer|noch|jetzt|nun|"
    r"aktuell|weiterhin|einfach|toujours|encore|maintenant|actuellement|todavía|aún|ahora|siempre|ainda|agora|sempre|"
    r"ancora|adesso|nog steeds|nog|nu|wciąż|nadal|teraz|всё ещё|все еще|по-прежнему|теперь|сейчас|fortfarande|hala)\s)"
    r"{0,2}"
)
IS = (
    r"(?:is|was|are|were|be|to|ist|sind|soll|lautet|lauten|als|est|c['’]est|sont|es|son|é|è|sono|são|är|er|on|este|это|"
    r"remains|stays|bleibt|reste|sigue siendo|continua sendo|je|là|adalah|είναι|هي|היא|है)"
)
OF = r"(?:for|of|on|to|at|from|für|vom|von|zum|zur|des|der|pour|de|du|del|da|do|van|voor|till|för|для|от|до|к|на)"
ABOUT = frozenset(
    # English
    """
    a about above absent accepted access active actual adequate ago alive all almost alphanumeric alright also
    an ancient and answer any anything argon as ascii ask asked at authenticate authentication available awesome
    awful back bad bcrypt because been before below best better big bigger binary bitwarden blank blocked bool
    boolean both bound broken bug but by bytes call came can cannot case central char characters chars check
    choose classified clear clever comes common complex compromised confidential config connect consistent
    constant contact continue cool copy corporate correct crap critical crucial cryptic current custom cut daily
    dashlane dead decent decrypt default dependent did different difficult digits disabled does done down due
    dumb dynamic each easier easy eight either empty encoded encrypted enough enter env environment ephemeral
    equal essential even ever every everything evil exactly expired expires exposed external failed fails fake
    false field final fine first fixed fixme for forever forgotten found fragile free fresh from full fun funny
    gain garbage generic get gets given global goes gone good got great guessable had hard harder has hashed
    hashing have her here hers hexadecimal hidden hint his history hopeless horrible how huge identical if
    ignore ill important in inactive incomplete inconsistent incorrect initial input insecure inside int intact
    integer internal invalid irrelevant issue it its itself join just keepass keepassxc kept key keychain
    keyring known lame larger last lastpass later ldap leaked least left legacy legal less letters like live
    local locked log login long long-term longer look lost low lower lowercase make mandatory masked matters max
    maximum may maybe mediocre messy might min mine minimum missing mixed modern monthly more most much must my
    necessary need needed needs neither never new newer nice nil no nobody none nonexistent nonsense nor normal
    not nothing null number numeric object obsolete obvious odd off official offline ok okay okta old older on
    once one onepassword online only open option optional or original other our ours out outdated over part
    passes paste pbkdf pending perfect permanent personal pick plain plaintext please plus pointless policy poor
    present pretty private probably problem proceed proper protected prove public question quite random rare
    rather raw read ready real recent redacted rejected relevant required reset restored ridiculous right
    rotated rubbish rule sacred safe safer said salted same saved scrypt secret secretstr secure security see
    seen sensitive sent set shared shit short shorter should shown sign silly simple simpler small smaller so
    some someone something somewhere sound special sso stable stale standard static still stinks stolen stored
    str strange string strong stronger stupid such sucks sure symmetric synced tba tbd temporary ten terrible
    text than that the their theirs them then there they this tied tiny to today todo token tomorrow too tricky
    trivial true truncated twelve type typed typo unchanged unclear uncommon undefined under unfair unfit
    unicode unique unknown unlock unreal unsafe unset unsound until untrue unusual unwise up upper uppercase use
    used useless user username usual utf valid value varchar variable vault very via visible vital void was weak
    weaker weekly weird well were what when where which why will wip with without worked working works worse
    worth would write wrong xor yearly yesterday yet you your yours zero
    """.split()
    # German and Dutch
    + """
    ab aber abgelaufen alles alt am auch auf aus bei bekannt besser bij das dein den der die dort durch een egal
    ein eine einfach erforderlich falsch fehlt fout frei für gar geheim gleich gut gültig het hetzelfde hier ihr
    im immer ist je kein klar kompliziert korrekt kort kurz lang leeg leer leider länger mal mein mit nach neu
    nicht nie niet nirgends noch nodig notwendig nur nötig onbekend onjuist pflicht richtig schlecht schon
    schwach schwer sehr sein sicher siehe stark sterk te temporär unbekannt ungültig unser unsicher unter veilig
    veraltet verlopen verplicht vom von vor vorhanden weg weiterhin wichtig wie wieder zu zum zur zwak zwingend
    änderbar
    """.split()
    # French, Spanish, Portuguese and Italian
    + """
    actif aquí au aux bien bon bonne breve buena caché caducada changé chiffré clave con corretta corta court
    cómo dans de debole dehors demasiado différent distinta du débil el ella em en encore errada errata errónea
    es está expiré facile faible faux fort forte fraca fuerte fácil haché identique igual importante inconnu
    incorrecta invalide inválida la larga le les los lunga mala mancante manquant masqué mauvais mesma misma
    muito muy même na nas ne necesaria necessaria necessária nel nella non nos nova nueva nul nuova não
    nécessaire obbligatoria obligatoria obrigatória oublié où par para pas perdida perdu perimé persa por pour
    provisoire périmé que requerida requis richiesta sbagliata scaduta segreta segura sicura sin stessa sur
    sécurisé sûr temporaire temporal temporanea temporária trop troppo très uguale uma un una une vacía valable
    vazia ver vide voir vuota válida
    """.split()
    # Russian, Polish and the languages of the North
    + """
    błędne feil fel felaktigt forkert glemt glömt hasło jest nieprawidłowe obligatoriskt puste samma svag svagt
    słabe tom tomt wymagane zapomniane złe è в забыт здесь известен истёк короткий лежит на надёжный не неверен
    неверный нет новый нужен обязателен обязательно один прежний пуст пустой секрет сильный слабый слишком см
    смотри старый там тот требуется у хранится якобы
    """.split()
)
"""What people say that a password is, other than the password."""
