"""By which words is something to keep said in other languages than English?

For each kind of statement what it is said with; and what says that a sentence is a guess or goes for this time alone.
"""

from __future__ import annotations

NAMES = (  # behind which somebody's own name stands
    r"^(?:salut|bonjour|hallo|hola|oi|olá|ciao|hoi|cześć|привет)?[,! ]*"
    r"(?:ich heiße|ich heisse|mein name ist|je m'appelle|mon nom est|me llamo|mi nombre es|meu nome é|chamo-me|me chamo|mi chiamo|il mio nome è|"
    r"ik heet|mijn naam is|nazywam się|mam na imię|меня зовут|jag heter|jeg hedder|jeg heter) (?-i:[^\W\d_a-zа-я])[\w'-]+",
    r"^我(?:叫|的名字(?:叫|是))[^\s，。不没]{1,6}", r"^(?:私|僕|わたし)の名前は[^\s、。]{1,8}です",
)  # fmt: skip
DECISIONS = (
    r"\b(?:nous avons|on a) (?:décidé|choisi|convenu)\b", r"\bhemos (?:decidido|acordado|elegido)\b", r"\b(?:decidimos|acordamos|combinamos|escolhemos)\b",
    r"\babbiamo (?:deciso|scelto|concordato)\b", r"\bwe hebben (?:besloten|afgesproken|gekozen)\b", r"\b(?:zdecydowaliśmy|ustaliliśmy|wybraliśmy)\b",
    r"\bмы (?:решили|договорились|выбрали)\b", r"我们(?:决定|约定|选择)了?", r"(?:ことにしました|ことに決めました|ことに決まりました)",
)  # fmt: skip
PREFERENCES = (
    r"^je (?:préfère|déteste|n'aime pas)\b", r"^(?:prefiero|odio|no me gusta)\b", r"^(?:eu )?(?:prefiro|odeio|não gosto)\b",
    r"^(?:preferisco|odio|non mi piace)\b", r"^ik (?:heb liever|haat|hou niet van)\b", r"^(?:wolę|nie lubię|nienawidzę)\b",
    r"^я (?:предпочитаю|люблю|не люблю|ненавижу)\b", r"^我(?:更喜欢|偏好|讨厌)", r"(?:のほうが|の方が)(?:好き|いい)です",
)  # fmt: skip
_ALWAYS = r"immer|stets|nie|niemals|toujours|jamais|siempre|nunca|jamás|sempre|mai|jamais|altijd|nooit|zawsze|nigdy|всегда|никогда"
RULES = (
    r"\bwir (?!haben|hatten|sehen|sahen|bekommen|kriegen|finden|fanden|wissen)\w+ (?:\w+ ){0,2}(?:nur noch|immer|nie|niemals|stets|grundsätzlich)\b(?! (?:noch|wieder|dasselbe|das gleiche))",
    r"\b(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft|à partir de maintenant|désormais|dorénavant|de ahora en adelante|a partir de ahora|"
    r"a partir de agora|de agora em diante|d'ora in poi|da ora in poi|vanaf nu|voortaan|od teraz|отныне|с этого момента|впредь)\b",
    rf"^(?:bitte |s'il te plaît,? |por favor,? |per favore,? |alsjeblieft |proszę,? |пожалуйста,? )?(?:{_ALWAYS})\b",
    rf"^(?:verwende|benutze|nutze|schreib|schreibe|antworte|mach|mache|push|pushe|committe|lösche|ändere|frag|frage)\b.*\b(?:{_ALWAYS})\b",
    r"^n(?:e |')\w+ jamais\b", rf"^(?:réponds|écris|utilise|utilisez|répondez|écrivez|demande)\b.*\b(?:{_ALWAYS})\b",
    rf"^(?:responde|usa|use|utiliza|escribe|escreve|escreva|responda|pregunta|pergunta)\b.*\b(?:{_ALWAYS})\b",
    rf"^(?:non \w+ mai|(?:rispondi|usa|scrivi|chiedi)\b.*\b(?:{_ALWAYS}))\b", rf"^(?:gebruik|antwoord|schrijf|vraag)\b.*\b(?:{_ALWAYS})\b",
    rf"^(?:odpowiadaj|używaj|pisz|pytaj)\b.*\b(?:{_ALWAYS})\b", rf"^(?:отвечай|пиши|используй|спрашивай)\b.*\b(?:{_ALWAYS})\b",
    r"^(?:请)?(?:从现在(?:开始|起)|以后|今后|始终|总是|永远(?:不要)?|一律)", r"^(?:今後は?|これからは|常に|必ず|絶対に|決して)",
)  # fmt: skip
THE_SAME = (  # a complaint, behind "always"
    r"dasselbe|das ?selbe|das gleiche|la même|le même|lo mismo|la misma|lo stesso|la stessa|o mesmo|a mesma|hetzelfde|to samo|одно и то же|то же самое"
)
ASKED = (
    r"merk(?:e)? dir|denk daran|retiens|souviens-toi|n'oublie pas|note bien|recuerda|no olvides|acuérdate de|lembre-se(?: de)?|lembra-te(?: de)?|não (?:te )?esqueças?(?: de)?|"
    r"ricorda(?:ti)?(?: di)?|non dimenticare|onthoud|vergeet niet|zapamiętaj|pamiętaj|запомни|не забудь|(?:请)?记住|覚えておいて(?:ください)?"
)
ASKED_LAST = (  # behind what is to be remembered
    r"merk(?:e)? dir das(?: bitte)?|vergiss das nicht|retiens(?:-le| ça| cela)|souviens-t'en|ne l'oublie pas|recuérdalo|recuerda (?:eso|esto)|no lo olvides|lembra(?:-te)? disso|"
    r"lembre-se disso|não (?:te )?esqueças? disso|ricorda(?:te)?lo|non dimenticarlo|onthoud dat|vergeet dat niet|zapamiętaj to|запомни это|не забудь это|(?:请)?记住(?:这(?:个|一?点)|哦)?|覚えておいて(?:ください|ね)?"
)
THAT = r"dass|que|che|dat|że|что"
NOT_SURE = (
    r"\b(?:vielleicht|womöglich|wahrscheinlich|glaube|peut-être|sans doute|je crois|quizás?|tal vez|creo que|talvez|acho que|forse|penso che|misschien|"
    r"może|chyba|возможно|наверное|кажется)\b|也许|可能|大概|たぶん|かもしれ",
)  # fmt: skip
THIS_TIME = (
    r"\b(?:diesmal|dieses mal|nur (?:jetzt|heute|hier)|cette fois|pour l'instant|ce fichier|esta vez|por ahora|este archivo|desta vez|por enquanto|"
    r"este (?:arquivo|ficheiro)|questa volta|per ora|questo file|deze keer|voor nu|dit bestand|tym razem|na razie|этот раз|пока|этом файле)\b"
    r"|这次|这一次|暂时|这里|这个文件|今回|とりあえず|ここでは",
)  # fmt: skip
