"""Does somebody ask in general, for whatever is worth knowing, rather than for something in particular?

Only a question that says nothing else is general: "what should I know?" is, "what should I know about deploys?" is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.pattern import pattern_of
from recollect.retrieve.brief import Section

_LONGEST = 120  # characters
_AROUND = pattern_of(r"[\s?!.,:;…¿¡？！。、，؟।'\"“”«»()\[\]-]+")
_POLITE = pattern_of(
    r"\b(?:please|hey|hi|hello|ok|okay|so|well|right now|just|now|before (?:i|we) (?:start|begin)|first|bitte|hallo|"
    r"also|jetzt|mal|eigentlich|s il te plaît|s il vous plaît|alors|por favor|hola|ahora|per favore|ciao|adesso|olá|"
    r"agora|alsjeblieft|hoi|nu|proszę|cześć|пожалуйста|привет|сейчас|lütfen|merhaba)\b"
)
GENERAL = (
    # English
    r"what (?:should|do|must|ought|would) (?:i|we) (?:need to |have to |to )?(?:know|remember|keep in mind|be "
    r"aware of)"
    r"(?: {ABOUT})?(?: (?:here|today|at all))?",
    r"what (?:is there to|else should i|all should i) know(?: {ABOUT})?",
    r"(?:what (?:all )?do you|do you) (?:know|remember|have|recall)(?: (?:anything|something|stored|so "
    r"far))?(?: {ABOUT})?"
    r"(?: so far)?",
    r"what (?:have|did) (?:you|we) (?:stored|remembered|learned|learnt|remember|learn|saved|save)(?: "
    r"{ABOUT})?(?: so far)?",
    r"(?:tell|show|give) (?:me|us) (?:everything|all|what) (?:you know|you remember|i should know|we know|is "
    r"important)"
    r"(?: {ABOUT})?",
    r"(?:give (?:me|us) |show (?:me|us) )?(?:a |an |the )?(?:quick |short )?(?:brief|briefing|overview|"
    r"summary|recap|rundown)"
    r"(?: (?:of|on|about) (?:this|the|our|my|everything|it all|all)(?: (?:project|repo|repository|codebase|"
    r"memory))?)?",
    r"(?:brief|catch|bring|fill|get) (?:me|us)(?: up(?: to (?:speed|date))?| in)?(?: {ABOUT}| on this project)?",
    r"(?:is there )?anything (?:important|new|i should know|we should know|to know)(?: {ABOUT})?",
    r"what (?:is|s) (?:new|important|relevant|going on|the state of (?:things|this project|the project)|worth "
    r"knowing)"
    r"(?: here)?",
    r"what matters(?: here| most)?|(?:remind me )?where (?:were we|did we (?:leave off|stop))|what is "
    r"known(?: {ABOUT})?",
    r"(?:tell|show|give) (?:me|us) (?:everything|all|anything|what is)(?: that is| that s)? (?:important|relevant|"
    r"worth knowing|new)|whats (?:new|important|up|going on)(?: here)?",
    r"(?:what|anything|has anything|did anything)(?: has| have| s| is)? (?:changed|change|new)"
    r"(?: (?:recently|lately|here|since last time))?|(?:any|the|recent|the latest|latest) (?:news|changes|updates)",
    r"(?:(?:tell|remind) (?:me|us)|describe|talk)(?: (?:a bit|something|more|all|everything))?(?: {ABOUT}"
    r"| (?:this|the|our|my) (?:project|repo|repository|codebase|code base|workspace))|where do we stand(?: {ABOUT})?"
    r"|what (?:is|s) (?:stored|(?:in|stored in) (?:here|(?:the |this |our |your )?memory))",
    r"(?:(?:tell|show|give|remind) (?:me|us) (?:of )?)?everything(?: (?:here|there is|(?:you|we) (?:have|ve got)))?",
    r"(?:summarise|summarize) (?:everything|(?:all|what|everything) (?:you|we) (?:know|have|remember))(?: {ABOUT})?",
    r"what (?:have i|did i) (?:told|tell) you(?: {ABOUT})?(?: so far)?",
    r"(?:is there )?anything (?:(?:that )?(?:i|we) (?:should|must|need to) |to )(?:remember|keep in mind|"
    r"be aware of)",
    # German
    r"(?:erzähl(?:e)?|sag|berichte)(?: mir| uns)?(?: (?:etwas|was|mehr))? {UEBER}|wo stehen wir",
    r"was (?:sollte|soll|muss|müsste) (?:ich|man)(?: {UEBER})?(?: alles)?(?: hier)? wissen(?: {UEBER})?",
    r"was (?:sollten|müssen) wir(?: alles)? wissen|was (?:weißt|weisst|kennst) du(?: alles)?(?: schon)?(?: {UEBER})?",
    r"woran erinnerst du dich(?: noch)?|was hast du (?:dir )?(?:gemerkt|gespeichert)|erzähl(?:e)? (?:mir "
    r")?alles was du weißt",
    r"gib mir (?:einen|eine) (?:kurzen |kurze )?(?:überblick|zusammenfassung)(?: {UEBER})?|bring mich auf "
    r"(?:den neuesten )?stand",
    r"was (?:ist|gibt es) (?:neu|neues|wichtig|wichtiges)(?: hier)?|wo waren wir(?: stehen geblieben)?",
    r"was hat sich (?:zuletzt |in letzter zeit |kürzlich )?(?:geändert|verändert|getan)|erzähl(?:e)? (?:mir )?alles"
    r"(?: (?:wichtige|neue))?|alles wichtige|gibt es (?:etwas |was )?(?:neues|wichtiges)",
    # French
    r"(?:que|qu) (?:dois|devrais|faut il) (?:je )?savoir(?: {SUR})?|qu est ce (?:que|qu) (?:je (?:dois|"
    r"devrais)|il faut) savoir"
    r"(?: {SUR})?",
    r"(?:que|qu est ce que) (?:sais tu|tu sais|savez vous|vous savez)(?: {SUR})?|quoi de neuf|de quoi te souviens tu",
    r"(?:fais|donne) moi un (?:résumé|aperçu|point)(?: {SUR})?|mets moi au courant|où en étions nous",
    r"(?:parle|parlez)(?: moi| nous)? {SUR}|où en sommes nous",
    # Spanish
    r"(?:háblame|cuéntame|háblanos) {SOBRE}|(?:parlami|raccontami) {SU}",
    r"(?:me )?(?:fala|fale|conta|conte)(?: me)? {SOBRE}",
    r"qué (?:debo|debería|tengo que|necesito|hay que) saber(?: {SOBRE})?|qué (?:sabes|recuerdas|sabemos)(?: "
    r"{SOBRE})?",
    r"ponme al día|dame un resumen(?: {SOBRE})?|qué hay de nuevo|qué es (?:importante|lo importante)|dónde "
    r"nos quedamos",
    # Italian
    r"(?:che )?cosa (?:devo|dovrei|bisogna) sapere(?: {SU})?|(?:che )?cosa (?:sai|ricordi|sappiamo)(?: {SU})?",
    r"aggiornami|fammi un riassunto(?: {SU})?|che c è di nuovo|dove eravamo rimasti",
    # Portuguese
    r"(?:o )?que (?:devo|deveria|preciso|é preciso) (?:de )?saber(?: {SOBRE})?|(?:o )?que (?:você |tu "
    r")?(?:sabe|sabes|lembra|lembras)"
    r"(?: {SOBRE})?",
    r"(?:me atualize|atualiza me|põe me a par)|(?:me )?(?:dê|dá)(?: me)? um resumo(?: {SOBRE})?|o que há de "
    r"novo|onde paramos",
    # Dutch
    r"wat moet(?:en)? (?:ik|we|wij)(?: {OVER})? weten(?: {OVER})?|wat weet je(?: allemaal)?(?: {OVER})?|wat "
    r"is (?:er )?(?:nieuw|belangrijk)",
    r"geef me een (?:overzicht|samenvatting)(?: {OVER})?|praat me bij|waar waren we gebleven",
    r"vertel(?: me| ons)?(?: (?:iets|meer))? {OVER}|waar staan we",
    # Polish
    r"co (?:powinienem|powinnam|powinniśmy|muszę|trzeba|warto)(?: {O})? wiedzieć(?: {O})?|co (?:wiesz|"
    r"pamiętasz)(?: {O})?|co nowego",
    # Russian
    r"что (?:мне|нам|я|мы)? ?(?:нужно|надо|следует|стоит|должен|должна|должны) знать(?: {ОБ})?|что (?:ты |вы "
    r")?(?:знаешь|помнишь|знаете|помните)"
    r"(?: {ОБ})?",
    r"что нового|что важно|введи меня в курс(?: дела)?|на чём мы остановились",
    r"расскажи(?:те)?(?: (?:мне|нам))? {ОБ}|opowiedz(?: mi)? {O}",
    # Turkish
    r"(?:{HAKKINDA} )?(?:ne(?:ler)?|neyi) (?:bilmeliyim|bilmem gerek(?:iyor)?|biliyorsun|hatırlıyorsun)|ne "
    r"var ne yok",
    # Chinese, Japanese, Korean
    r"(?:给我)?(?:介绍|讲讲|说说)(?:一下)?(?:这个|本)?项目",
    r"我(?:应该|应当|需要|该|要|得)(?:知道|了解|记住)(?:些)?(?:什么|哪些(?:事|事情)?)|(?:关于)?(?:这个项目|"
    r"本项目|我|我们)?(?:，)?你(?:都)?"
    r"(?:知道|记得|了解)(?:关于)?(?:这个项目|本项目|我|我们)?(?:的)?(?:些)?(?:什么|哪些(?:事|事情)?|多少)",
    r"有什么(?:重要的|新的|我应该知道的|需要知道的)(?:吗)?|(?:给我)?(?:一个)?(?:概览|概述|"
    r"总结)(?:一下)?(?:这个项目)?",
    r"(?:このプロジェクト(?:について|に関して))?(?:私は|私が)?(?:何を)?知って(?:おく|"
    r"いる)べき(?:こと)?(?:は)?(?:何)?(?:ですか|なに)?",
    r"(?:このプロジェクト|私)(?:について|のこと)(?:で)?(?:何を|なにを)?(?:知って|覚えて)(?:い)?(?:る|"
    r"ます)(?:こと)?(?:か)?|何を(?:覚えて|知って)い?(?:る|ますか)",
    r"(?:내가|제가|우리가)? ?(?:이 프로젝트에 대해 )?(?:알아야 할|알아야 하는) (?:것은|것이|건|게|점은)(?: "
    r"(?:뭐야|무엇인가요|무엇이야|뭔가요|있어))?",
    r"(?:이 프로젝트에 대해|나에 대해|저에 대해) ?(?:무엇을|뭘|뭐) (?:알고 있어|알고 있나요|알아|기억해)",
    # Hindi, Arabic
    r"(?:इस (?:प्रोजेक्ट|परियोजना) के बारे में )?(?:मुझे|हमें) (?:इस (?:प्रोजेक्ट|परियोजना) के बारे में )?क्या(?: क्या)? "
    r"(?:पता होना|मालूम होना|जानना|जान लेना|याद रखना) (?:चाहिए|ज़रूरी है|जरूरी है)|(?:तुम|आप) (?:मेरे|इस प्रोजेक्ट) "
    r"के बारे में क्या जानते (?:हो|हैं)",
    r"(?:ما الذي|ماذا) (?:يجب|ينبغي) (?:علي |أن )*(?:أن )?(?:أعرف|أعرفه)(?: عن هذا المشروع)?|ماذا تعرف (?:عني|"
    r"عن هذا المشروع)",
)
_WHOLES = {
    "{ABOUT}": r"(?:about|of|on|in|for) (?:me|us|everything|anything|all this|this|here|(?:this|the|our|my|that) "
    r"(?:project|repo|repository|codebase|code base|workspace|space|work|team))",
    "{UEBER}": r"(?:über|von|zu) (?:mich|mir|uns|alles|dieses projekt|diesem projekt|das projekt|unser "
    r"projekt|dieses repo)",
    "{SUR}": r"(?:sur|de|du|à propos de|au sujet de) (?:moi|nous|tout|ce projet|le projet|projet|notre projet)",
    "{SOBRE}": r"(?:sobre|de|do|acerca de) (?:mí|mi|mim|nosotros|nós|todo|tudo|(?:este|el|nuestro|o|nosso) "
    r"(?:proyecto|projeto)|projeto)",
    "{SU}": r"(?:su|di|del|sul) (?:me|noi|tutto|questo progetto|progetto|nostro progetto)",
    "{OVER}": r"(?:over|van) (?:mij|me|ons|alles|dit project|het project|ons project)",
    "{O}": r"o (?:mnie|nas|wszystkim|tym projekcie|projekcie|naszym projekcie)",
    "{ОБ}": r"(?:об|обо|о) (?:мне|нас|всём|этом проекте|проекте|нашем проекте)",
    "{HAKKINDA}": r"(?:bu proje|proje|benim|bizim) (?:hakkında|hakkımda)|hakkımda",
}


_OF_A_TIME = pattern_of(
    r"(?:what (?:all |else )?(?:has |have |had |was |were |is |s )?(?:happened|happening|happen|going on|went on"
    r"|took place"
    r"|did (?:i|we|you) (?:do|learn|decide|note|say)|(?:i|we) (?:done|learned|decided|noted|said)|done|decided|noted"
    r"|new|(?:do|did) (?:i|we|you) (?:know|have|remember))"
    r"|(?:show|tell|give|list)(?: me| us)? (?:everything|all|what happened|what we did|what i did|the notes|my notes)"
    r"|(?:is there |do you have )?anything|everything|notes|my notes|our notes)"
    r" (?P<since>since )?(?:(?:in|on|during|of|from|over|throughout|about) )?(?:the )?(?P<time>.+)"
)


_OF_A_TIME_ELSEWHERE = (
    # German, Dutch
    r"was (?:ist|war|hat sich|haben wir|habe ich|hatten wir|gab es|gibt es|wurde|geschah|passierte)(?: alles)?"
    r"(?: (?:neu|neues))? (?P<since>seit )?(?P<time>.+?)(?: alles)?"
    r"(?: (?:passiert|geschehen|gewesen|los|los gewesen|getan|gemacht|gelernt|entschieden|beschlossen|notiert|"
    r"neues))?",
    r"wat (?:is er|is|gebeurde er|hebben we|heb ik|was er|deden we)(?: nieuw)? (?P<since>sinds )?(?P<time>.+?)"
    r"(?: (?:gebeurd|gedaan|geleerd|besloten|gezegd))?",
    # French, Spanish, Italian, Portuguese
    r"(?:que s est il|qu est ce qui s est|qu est il|quoi s est) passé (?P<since>depuis )?(?P<time>.+)",
    r"(?:qu avons nous|qu ai je|qu est ce qu on a|qu est ce que nous avons|qu est ce que j ai|qu a t on)"
    r" (?:fait|décidé|appris|noté|dit) (?P<since>depuis )?(?P<time>.+)|quoi de neuf (?P<since2>depuis )(?P<time2>.+)",
    r"qué (?:pasó|ha pasado|sucedió|ocurrió|hicimos|hice|hemos hecho|he hecho|decidimos|aprendimos|hubo|hay de nuevo)"
    r" (?P<since>desde )?(?P<time>.+)",
    r"(?:che )?cosa (?:è successo|e successo|abbiamo fatto|ho fatto|abbiamo deciso|facemmo|c è di nuovo)"
    r" (?P<since>da |dal |dalla )?(?P<time>.+)",
    r"(?:o )?que (?:aconteceu|houve|fizemos|fiz|decidimos|aprendemos|há de novo) (?P<since>desde )?(?P<time>.+)",
    # Russian, Chinese, Japanese
    r"что (?:было|произошло|случилось|мы делали|мы сделали|я делал|я делала|нового) (?P<since>с )?(?P<time>.+)",
    r"(?P<time>.+?)(?:都)?(?:我们|我)?(?:发生了?|發生了?|做了|有|干了|决定了)(?:些)?(?:什么|甚麼|什麼|哪些)(?:事|事情|新的)?(?:吗)?",
    r"(?P<time>.+?)(?:に|には|は)?(?:私は|私たちは)?(?:何|なに)(?:が|を)(?:あった|ありました|起きた|起こった|起きました|した|しました)"
    r"(?:か|の|のか|んだ)?",
)


_OF_BANS = (
    r"what(?: all| things?)? (?:is|s|are|isn t|"
    r"aren t) (?:all )?(?:forbidden|prohibited|banned|verboten|off limits|taboo|"
    r"(?:not )?(?:allowed|permitted))(?: here)?(?: {ABOUT})?|"
    r"which things are (?:forbidden|prohibited|banned|not allowed)"
    r"|what (?:am i|are we) (?:not |never )(?:allowed|permitted|supposed) to do(?: here)?"
    r"|what (?:must|may|should|can|shall) (?:i|we|one|you|nobody) (?:not|never) do(?: here)?"
    r"|what (?:mustn|shouldn|can|may) t (?:i|we) do(?: here)?|what (?:must|should|can) nobody do(?: here)?"
    r"|what (?:should|must) (?:i|we) (?:avoid|never do|not do)(?: doing)?(?: here)?"
    r"|(?:is |is there )?anything (?:forbidden|prohibited|banned|"
    r"not allowed|(?:that )?(?:i|we) (?:must|should|may) not do)"
    r"(?: here)?|what are (?:the|our) (?:prohibitions|bans|restrictions|do s and don ts|dos and don ts)",
    r"was ist (?:hier |bei uns )?(?:alles )?(?:verboten|"
    r"untersagt|(?:nicht )?erlaubt|(?:nicht )?gestattet)(?: hier)?"
    r"|was (?:darf|soll|dürfen|sollen) (?:ich|man|wir) (?:hier |bei uns )?(?:alles )?nicht(?: (?:tun|machen))?",
    r"qu est ce qui est (?:interdit|défendu|prohibé|permis)(?: ici)?|que (?:ne )?(?:dois je|puis je|devons nous|"
    r"pouvons nous) pas faire|qu est ce (?:que je n ai|qu on n a|que nous n avons) pas le droit de faire(?: ici)?"
    r"|qu est ce qu il est interdit de faire(?: ici)?|quelles sont les interdictions",
    r"qué (?:no )?está (?:prohibido|permitido)(?: aquí| hacer)?|"
    r"qué no (?:puedo|debo|podemos|debemos|se puede|se debe) "
    r"hacer(?: aquí)?",
    r"(?:che )?cosa (?:non )?è (?:vietato|proibito|permesso)(?: qui|"
    r" fare)?|(?:che )?cosa non (?:posso|devo|possiamo|"
    r"dobbiamo|si può|si deve) fare(?: qui)?",
    r"(?:o )?que (?:não )?(?:é|está) (?:proibido|permitido)(?: aqui| fazer)?|(?:o )?que não (?:posso|devo|podemos|"
    r"devemos|se pode) fazer(?: aqui)?",
    r"wat is (?:er )?(?:hier )?(?:allemaal )?(?:verboden|"
    r"(?:niet )?toegestaan)(?: hier)?|wat (?:mag|mogen) (?:ik|we|wij|"
    r"men|je) (?:hier )?niet(?: doen)?",
    r"co jest (?:tu |tutaj )?(?:zabronione|zakazane|niedozwolone)|czego (?:tu )?nie wolno(?: mi| nam)?(?: robić)?",
    r"что (?:здесь |тут |у нас )?(?:запрещено|нельзя)(?: делать)?|чего (?:мне |нам |здесь )?нельзя(?: делать)?"
    r"|что (?:мне|нам) нельзя делать",
    r"(?:burada )?ne(?:ler)? yasak(?:tır)?|ne(?:yi)? (?:yapmamalıyım|yapmamam gerek(?:iyor)?)",
    r"(?:这里|我们)?(?:有)?(?:什么|哪些)(?:事|事情|东西)?(?:是)?(?:被)?(?:禁止|不允许|不准|不可以|不能)(?:做)?的?|"
    r"(?:我|我们)?不(?:能|可以|准|许|应该|该)做(?:什么|哪些(?:事|事情)?)",
    r"(?:何|なに)が禁止(?:され(?:て)?い?(?:る|ます)|です)?か?|禁止(?:事項|されていること)は(?:何|なに)?(?:ですか)?|"
    r"(?:し|やっ)て(?:は|ちゃ)(?:いけない|ならない|だめな)こと(?:は)?(?:何|なに)?(?:ですか)?",
    r"(?:무엇이|뭐가|뭘) 금지(?:되어 있나요|되어 있어|돼 있어|"
    r"야|인가요|됐어)|(?:하면|해서는) 안 되는 (?:것은|것이|건|게)"
    r"(?: (?:뭐야|무엇인가요|뭔가요|있어))?",
    r"(?:यहाँ )?क्या(?: क्या)? (?:करना )?(?:मना|निषिद्ध|वर्जित|प्रतिबंधित) है|(?:मुझे|हमें) क्या नहीं करना चाहिए",
    r"ما (?:هو )?(?:الممنوع|المحظور)(?: هنا)?|ما الذي (?:هو )?(?:ممنوع|محظور)(?: هنا)?|ماذا يجب (?:علي |علينا )?"
    r"(?:ألا|أن لا) (?:أفعل|نفعل)",
)
"""What is not to be done, wherever: "what is forbidden in the lab?" asks for something in particular."""
_LATELY = r"(?: (?:lately|recently|so far|already|until now|up to now|last|yet))?"
_SHOW = r"(?:(?:please )?(?:show|list|tell|give)(?: me| us)? )?"
OF_SECTIONS: dict[Section, tuple[str, ...]] = {
    "rules": (
        rf"{_SHOW}(?:(?:what|which) )?(?:are |is )?(?:all )?(?:(?:the|our|my|of our) )?(?:current |house |team |"
        rf"project |coding )?"
        r"(?:rules|conventions|policies|guidelines|preferences)(?: and (?:preferences|conventions|rules))?"
        r"(?: (?:do|must|should) (?:we|i) (?:have|follow|keep|know)| (?:have|follow) (?:we|i)| (?:are|is) there|"
        r" apply| hold"
        r"| are in force)?(?: here)?(?: {ABOUT})?",
        r"(?:do we have|are there)(?: any)? (?:rules|conventions|policies|guidelines)(?: here)?(?: {ABOUT})?",
        r"(?:was für |welche |was sind (?:die|unsere|meine) |(?:zeig mir )?(?:alle |unsere |die ))(?:regeln|"
        r"vorgaben|vorlieben)"
        r"(?: (?:gelten|haben wir|gibt es|gelten hier|gelten bei uns))?(?: hier)?",
        r"quelles (?:sont (?:les|nos) )?(?:règles|conventions)(?: (?:avons nous|a t on|avons nous ici|"
        r"s appliquent))?|nos règles",
        r"(?:qué|cuáles son (?:las|nuestras)) (?:reglas|normas|convenciones)(?: (?:tenemos|hay|valen|rigen|"
        r"seguimos))?",
        r"(?:che|quali(?: sono le(?: nostre)?)?) regole(?: (?:abbiamo|ci sono|valgono|seguiamo))?",
        r"(?:que|quais(?: são as(?: nossas)?)?) regras(?: (?:temos|há|valem|seguimos))?",
        r"(?:welke|wat zijn (?:de|onze)) (?:regels|afspraken)(?: (?:hebben we|gelden(?: er)?|zijn er))?",
        r"(?:какие|какие у нас) (?:есть |у нас )?(?:правила)(?: (?:у нас|есть|действуют))*",
        r"(?:我们)?(?:现在)?有(?:哪些|什么)(?:规则|规定|规矩|约定)|(?:ルール|決まり|規則)(?:は|には)?(?:何|なに|どんなもの)?(?:が)?(?:ありますか|ある|ですか)?|"
        r"どんな(?:ルール|決まり|規則)がありますか",
        *_OF_BANS,
    ),
    "open": (
        rf"{_SHOW}(?:(?:what|which) )?(?:is |are |were )?(?:all )?(?:(?:the|our|my) )?(?:still |current )?"
        r"(?:(?:open|outstanding|pending|remaining|unfinished) )?(?:to dos?|todos?|to do list|tasks|"
        r"action items|next steps|"
        r"open (?:work|points|items|things|issues|questions))"
        r"(?: (?:are |is )?(?:still )?(?:open|left|outstanding|pending|remaining|unfinished|not done|do (?:we|"
        r"i) have|"
        r"(?:are|is) there))?(?: yet| now| here)?(?: {ABOUT})?",
        r"what (?:is |s )on (?:my|our|the) (?:to do|todo) list|what (?:is|s|are)(?: there)?(?: still)? (?:open|"
        r"left(?: to do)?|outstanding|pending|to (?:be done|do)|unfinished|not done)"
        r"(?: yet| now| here)?(?: {ABOUT})?",
        r"what (?:do|must|should) (?:i|we) (?:still )?(?:have to |need to |got to )?(?:still )?do(?: now|"
        r" next)?(?: here)?|"
        r"what (?:remains|needs)(?: to be done| doing)?|what comes next",
        r"was (?:ist|steht|gibt es|bleibt)(?: jetzt)?(?: noch)?(?: alles)? (?:offen|zu tun|an|zu erledigen|"
        r"unerledigt)|"
        r"welche (?:aufgaben|todos|punkte) (?:sind|gibt es|haben wir)(?: noch)?(?: offen)?|was muss (?:ich|noch)"
        r"(?: noch)? (?:tun|erledigen|machen|getan werden)|(?:offene|meine|unsere) (?:aufgaben|todos|punkte)",
        r"(?:que|qu est ce (?:que|quil)) (?:nous )?reste (?:tencore |t? ?(?:il )?(?:encore )?)à faire|"
        r"qu est ce qu il reste(?: encore)? à faire|"
        r"quelles (?:sont les )?tâches (?:sont )?(?:encore )?(?:ouvertes|restent)(?: encore)?|"
        r"quelles sont les tâches ouvertes",
        r"qué (?:queda|hay|está|tenemos|falta)(?: todavía| aún)? (?:pendiente|por hacer)|qué tareas (?:quedan|"
        r"hay|están)"
        r"(?: pendientes| abiertas)?|(?:cuáles son las |las )?tareas pendientes",
        r"(?:che )?cosa (?:resta|rimane|c è|manca)(?: ancora)? (?:da fare|in sospeso|aperto)|quali (?:compiti|"
        r"attività) "
        r"(?:sono|restano)(?: ancora)? (?:aperti|aperte|da fare)",
        r"(?:o )?que (?:falta|resta|está|há)(?: ainda)? (?:fazer|por fazer|pendente|em aberto)|quais tarefas"
        r" (?:estão|faltam)"
        r"(?: pendentes| abertas)?",
        r"wat (?:is|staat|moet)(?: er)?(?: nog)? (?:open|te doen|gebeuren)|welke taken (?:zijn|"
        r"staan)(?: er)?(?: nog)? open|"
        r"openstaande taken",
        r"что (?:ещё |еще )?(?:осталось|нужно|надо|предстоит) (?:ещё |еще )?(?:сделать|доделать)|какие"
        r" (?:есть )?(?:открытые )?"
        r"(?:задачи|дела)(?: (?:остались|открыты|ещё открыты|у нас))?",
        r"(?:还)?有(?:哪些|什么)(?:待办|未完成|没做)(?:的)?(?:事项|事情|事|任务)?|还(?:要|需要)做什么|"
        r"(?:残っている|未完了の|未対応の)?(?:タスク|todo)(?:は|には)?(?:何|なに)?(?:が)?(?:ありますか|ある|ですか|残っていますか)?",
    ),
    "decisions": (
        rf"what (?:(?:did|have) (?:we|i)|has been|was|were|is)(?: all)? (?:decided?|agreed?(?: on|"
        rf" upon)?){_LATELY}(?: {{ABOUT}})?",
        rf"{_SHOW}(?:(?:what|which) )?(?:are |were )?(?:all )?(?:(?:the|our|my) )?(?:(?:latest|newest|recent|"
        rf"last|most recent|current) )?"
        rf"decisions(?: (?:did (?:we|i) (?:make|take)|have (?:we|i) (?:made|taken)|(?:were|have been) (?:made|"
        rf"taken)|(?:are|were) "
        rf"there|do we have))?{_LATELY}(?: {{ABOUT}})?",
        r"was (?:haben wir|wurde|habe ich)(?: (?:zuletzt|kürzlich|neulich|in letzter zeit|bisher|alles))?"
        r" (?:beschlossen|entschieden)|"
        r"welche (?:entscheidungen|beschlüsse) (?:haben wir|gab es|wurden|gibt es)(?: (?:zuletzt|kürzlich|bisher))?"
        r"(?: (?:getroffen|gefasst))?|(?:die )?(?:letzten|neuesten) (?:entscheidungen|beschlüsse)",
        r"(?:qu est ce qu on a|quavons nous|qu avons nous|qu a t on)(?: récemment)? (?:décidé|choisi)(?: (?:récemment|"
        r"dernièrement))?|"
        r"(?:quelles (?:sont (?:les|nos) )?)?(?:dernières )?décisions(?: (?:récentes|avons nous prises|"
        r"a t on prises))?(?: récemment)?",
        r"qué (?:decidimos|hemos decidido|se ha decidido|se decidió)(?: (?:últimamente|recientemente|hasta ahora))?|"
        r"qué decisiones (?:tomamos|hemos tomado|hay)(?: (?:últimamente|recientemente))?|(?:las )?últimas decisiones",
        r"(?:che )?cosa (?:abbiamo|è stato) deciso(?: (?:ultimamente|di recente|finora))?|"
        r"(?:quali )?(?:ultime )?decisioni"
        r"(?: (?:abbiamo preso|recenti))?(?: (?:ultimamente|di recente))?",
        r"(?:o )?que (?:decidimos|foi decidido)(?: (?:ultimamente|recentemente|até agora))?|(?:quais |"
        r"as )?últimas decisões|"
        r"que decisões (?:tomamos|foram tomadas)(?: (?:ultimamente|recentemente))?",
        r"wat hebben we(?: (?:onlangs|laatst|recent|zojuist))? besloten|welke (?:besluiten|beslissingen)(?:"
        r" (?:hebben we|zijn er))?"
        r"(?: (?:onlangs|recent))?(?: genomen)?",
        r"что мы (?:недавно |в последнее время )?решили(?: (?:недавно|в последнее время))?|какие решения мы"
        r" (?:приняли|принимали)"
        r"(?: (?:недавно|в последнее время))?|последние решения",
        r"(?:我们)?(?:最近)?(?:都)?(?:决定了|做了)(?:些)?(?:什么|哪些(?:决定)?)(?:决定)?|最近(?:的|有(?:哪些|什么))?决定(?:是什么|有哪些)?|"
        r"(?:最近)?(?:私たちは)?(?:何を|なにを)(?:決めた|決めました)(?:か|の)?|最近の決定(?:は|事項は)?(?:何ですか|なに)?",
    ),
}  # fmt: skip


class OneOf:
    """Some ways to ask, as one pattern.

    To compile it takes longer than all else that is done with a question. So it is told first whether a question has a
    plain word that none of the patterns has, as most questions do.
    """

    def __init__(self, ways: Sequence[str]) -> None:
        joined = "|".join(f"(?:{one})" for one in ways)
        for name, said in _WHOLES.items():
            joined = joined.replace(name, f"(?:{said})")
        self.source, self.pattern = joined, pattern_of(joined)
        self._words = joined.replace("(?:", "").replace(")", "").replace("?", "")

    def matches(self, said: str) -> bool:
        if any(word not in self._words for word in said.split() if word.isascii() and word.isalpha()):
            return False
        return self.pattern.fullmatch(said) is not None


@cache
def _sections() -> dict[Section, OneOf]:
    return {section: OneOf(some) for section, some in OF_SECTIONS.items()}


def asked_section(question: str) -> Section | None:
    """Which section of a brief is all that a question asks for?"""
    if len(question) > _LONGEST:
        return None
    said = _said(question)
    plain = " ".join(_POLITE.sub(" ", said).split())
    if plain in _BARE:
        return None
    return next((name for name, one in _sections().items() if one.matches(said) or one.matches(plain)), None)


_BARE = frozenset("rules conventions policies guidelines preferences todo todos tasks decisions".split())
"""A word alone may be looked for."""


@cache
def _elsewhere() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _OF_A_TIME_ELSEWHERE))


@cache
def _general() -> OneOf:
    return OneOf(GENERAL)


def asked_of_a_time(question: str) -> tuple[str, bool] | None:
    """What may be the words for a time, where whatever happened then is asked for; and is it since then?"""
    if len(question) > _LONGEST:
        return None
    said = " ".join(_POLITE.sub(" ", _said(question)).split())
    found = _OF_A_TIME.fullmatch(said) or next(filter(None, (one.fullmatch(said) for one in _elsewhere())), None)
    if found is None:
        return None
    named = found.groupdict()
    return named["time"] or named["time2"], bool(named.get("since") or named.get("since2"))


def _said(question: str) -> str:
    return _AROUND.sub(" ", question[: _LONGEST + 1].replace("’", "'").casefold()).strip()


def asks_generally(question: str) -> bool:
    """Is this a question for whatever is worth knowing?"""
    if len(question) > _LONGEST:
        return False
    said = _said(question)
    return _general().matches(said) or _general().matches(" ".join(_POLITE.sub(" ", said).split()))
