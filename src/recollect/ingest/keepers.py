"""Which sentences of a conversation sound like something to keep?

No model is asked. A sentence is a keeper where its words say that something was decided, preferred, corrected, ruled,
found out or fixed, or where somebody asks to remember it; and where nothing in it says that it is a question, a wish of
the moment, a guess or a step of the work at hand. What a person says counts more easily than what an agent says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from recollect.ingest import keepers_abroad as abroad
from recollect.ingest.own_words import own_lines, reports_text
from recollect.replaced import replaced_in

_SHORTEST, _LONGEST = 18, 400  # characters
_READ = 1_000  # characters of a sentence: of a longer one no more than _LONGEST is kept, where somebody asks for that
_MOST = 3  # of one message
_ABBREVIATIONS = (
    r"\bDr \bMr \bMrs \bMs \bProf \betc \binc \bvs \bapprox str \bStr \bNr \bca \busw \bbzw \bggf \bevtl \binkl \bresp"
)
_SHORTENED = "".join(rf"(?<!{word}\.)" for word in _ABBREVIATIONS.split())
_MONTH = r"(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Mar|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
_SENTENCE = re.compile(
    rf"(?<=[.!?]){_SHORTENED}[\"')\]]?\s+{_MONTH}(?=[\"'(0-9`]|[^\W\d_a-zß-öø-ÿа-я])|"
    rf"(?:(?<=[^\W\d_][^\W\d_][^\W\d_][.!?])|(?<=\b[no][ok][.!])){_SHORTENED}\s+(?=[^\W\d_])|"  # also of who writes no capitals
    r"(?<=[。！？])|\n+\s*(?:[-*•]\s+|\d+[.)]\s+)?"
)
_SPEECH = re.compile(r"(?<![^\s(:])(?:\"[^\"\n]+\"|'[^\n]+?'(?!\w)|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]|「[^」\n]+」)")
_SPOKEN_WORDS = 3  # from which on what stands between quotes is somebody's words, and no name
_TASK = re.compile(
    r"(?:please |pls |can you |could you |bitte )*(?:translate|rephrase|reword|rewrite|paraphrase|proofread|summari[sz]e|shorten|correct|improve|polish|format|"
    r"übersetze|traduis|traduce|traduz|traduci|vertaal|przetłumacz|переведи)\b[^:\n]{0,60}[:：]",
    re.IGNORECASE,
)  # what follows is a text to work at
_END = ".!。！ "
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class Keeper(Struct, frozen=True):
    """A sentence worth keeping: what kind of statement it is, and which rule says so."""

    text: str
    kind: str
    why: str


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_ASKED = re.compile(
    r"(?:[\w #.&-]{1,30}:\s+(?=remember|keep in mind|don't forget|do not forget|merk dir))?(?:(?:please|pls|also|and|ok(?:ay)?|so|just),? )*(?:remember|keep in mind|note|don't forget|do not forget|make a note|"
    rf"for (?:the record|future reference|next time)|fyi|{abroad.ASKED})(?!\w)(?:,? (?:this|that|too|also))*\s*[:：,，-]?\s*(?:(?:that|{abroad.THAT})\s+)?(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ASKED_LAST = re.compile(  # "…, remember that.", also as a sentence of its own
    r"(?:(?P<said>.+?)\s*[,，;；.。:–—-]+\s*)?(?:(?:please|pls|so|and|bitte),? )*(?:remember (?:that|this|it)|keep (?:that|this|it) in mind|(?:don't|do not) (?:ever )?forget (?:that|this|it)|"
    rf"make a note(?: of (?:that|this|it))?|note that down|{abroad.ASKED_LAST})(?:,? (?:please|ok(?:ay)?|too))?[.!。！]*",
    re.IGNORECASE,
)
_TO_DO = re.compile(r"(?:to|the|zu|de|à) ", re.IGNORECASE)  # "remember to …": a step, where it is one of the moment

_LIKING = (  # of something that has a name of its own: "I like it" is said of the moment
    r"^i (?:(?:really|strongly|much|always|usually|generally) ){0,2}(?:prefer|like|love|hate|dislike|don't like|do not like|can't stand) "
    r"(?!(?:it|this|that|these|those|the|what|how|where|when|your?|him|her|them|to)\b)",
    r"^ich (?:bevorzuge|mag|hasse) (?!(?:das|es|die|den|dein|deine|wie|was|nicht)\b)",
)
_ERRAND = (  # what somebody is about to do, which holds for an hour
    r" to (?:go (?:for|to|home|out|on|and)|take (?:a|the|some)|grab|have (?:an? )?(?:break|lunch|dinner|coffee|call|look|nap)|get (?:some|an?|back)|eat|sleep|leave (?:early|now|it)|"
    r"wait|look|check|call (?:it|him|her|them|you)|come|continue|read|skip (?:it|lunch|ahead)|give (?:it|up)|try (?:it|again|another)|ask (?:you|him|her)|start (?:over|again))\b"
)
_NAMED = (  # what somebody is called, which is said in few words
    r"^(?:hi|hello|hey|btw|by the way|ok|and|so)?[,! ]*my (?:name(?:'s| is)|nickname is) (?-i:[A-Z])[\w'-]+", r"\bmy pronouns are\b", *abroad.NAMES,
)  # fmt: skip
_BY_NATURE = (
    r"\bi(?:['’]m| am) (?:an? )?(?:allergic|vegetarian|vegan|lactose|diabetic|colou?r[- ]?blind|left[- ]handed)\b"
)
_NOT_ON_SCREEN = (  # of a program that shows it wrongly
    r"(?! (?:not |n't |never |no longer |still |being |also )*(?:shown|showing|displayed|visible|rendered|missing|wrong|broken|empty|undefined|null|cut|truncated|gone|"
    r"hidden|saved|updated|loaded|set|there|duplicated|misspelled|overlapping|too)\b)"
)
_NOT_LIVED = (  # what somebody goes through, and does not hold to
    r"(?! (?:(?:have|had|even|really|quite|just) )?(?:get|got|see|saw|seen|had|been|end(?:ed)? up|forget|forgot|know|knew|understood|understand|heard|noticed|managed|found|wanted|said|"
    r"asked|meant|thought|tried|worked|happen\w*|fail\w*|run into|ran into|did)\b)"
)
_NOT_BUSY = r"(?! (?:just |still |already |now )*(?-i:[a-z]{3,}ing)\b)"  # what somebody is about
_LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|swedish|danish|norwegian|finnish|czech|greek|arabic|"
    r"hebrew|hindi|japanese|chinese|mandarin|korean|deutsch|englisch|französisch|spanisch|italienisch)"
)
_PLACES = (
    r"host(?:name)?|server|registry|gateway|wiki|url|address|domain|bucket|cluster|namespace|database|db|queue|endpoint|proxy|mirror|dashboard|branch|"
    r"account|region|subnet|ip|repo(?:sitory)?|channel|project|instance|bastion|vpn|port|broker|cache"
)
_RULES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("decision", "a decision", _any(
        r"\b(?:we|i|team|they)(?:'ve| have| had)? (?:all )?(?:decided|agreed|settled on|chose|have chosen|went with|committed to)\b"
        rf"(?!{_ERRAND})",
        r"\b(?:let'?s|we(?:'ll| will| are going to)) (?:go with|stick with|stay with|standardi[sz]e on|settle on|keep using)\b",
        r"\bdecision(?: is| was)?:", r"\bwe(?:'re| are) (?:dropping|deprecating|moving to|switching to|migrating to|retiring)\b",
        r"\bwe(?:'ve| have)? (?:just |recently |finally |now |since )?(?:moved|switched|migrated|upgraded)(?: over| (?:the|our|all) [\w -]{2,40}?)? to (?!(?:the (?:next|other)|this|that|another)\b)",
        r"\b(?:i|we)(?:'m| am|'re| are) going with\b", r"\bwe(?:'ll| will)? (?:stay|stick|remain) (?:on|with) (?!(?:it|this|that|track|top|time|hold)\b)", r"\bfinal (?:decision|answer|call)\b", r"\bwir haben (?:uns )?(?:beschlossen|entschieden)\b", *abroad.DECISIONS,
    )),
    ("preference", "a preference", _any(
        r"\bi(?:'d)? (?:really |strongly |much |always |usually |generally )?(?:prefer|like my|hate|can't stand|dislike|love|don't like|do not like)\b",
        r"\bmy (?:preference|favou?rite|preferred)\b", r"\bi(?:'d| would) rather\b(?!.*\b(?:now|today|this time)\b)", r"\bich (?:bevorzuge|mag kein)", *_LIKING, *abroad.PREFERENCES,
    )),
    ("rule", "a rule", _any(
        r"^(?:house |team )?(?:rule|convention|policy):", r"^(?:always|never|from now on|going forward|in future|in the future|whenever|by default|don't ever|do not ever)\b",
        r"\b(?:you|we|everyone|nobody|agents?|it|they|one) (?:must|should|may|can) (?:always|never|not ever|only)\b", r"\b(?:must|may) (?:never|not|only|always)\b", r"(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:must|has to|have to) (?:stay|remain|be kept|keep working)\b",
        r"^(?:please |pls )(?:always|never)\b", r"\bour \w+ (?:is|are) (?:always|never)\b",
        r"^(?:in|for|on|with|when (?:writing|editing|you)) [\w ./'+#-]{2,40}, (?:please )?(?:always|never|don't|do not|use|prefer|avoid)\b",
        r"\b(?:you|we|everyone|agents?|customers?|clients?|reviewers?|developers?|people|teams?) (?:should|must|need to|have to)\b.*\b(?:before|after|for|on|in|with|at|to) (?:every|each|all|any)\b", *abroad.RULES,
        r"\bfrom now on\b", r"\bgoing forward\b", rf"\b(?:we|i) (?:always|never)\b{_NOT_LIVED}", r"\bour (?:convention|rule|policy|style guide|standard)\b",
        r"\b(?:the|a) (?:convention|rule|policy) (?:is|here is)\b", r"\bis (?:forbidden|not allowed|mandatory|off[- ]limits|required for every|required for all)\b",
        r"\bevery (?:pr|pull request|commit|release|migration|change|endpoint|test) (?:must|needs|has to|gets|requires)\b", r"^(?:don't|do not|please don't|never) (?:use|push|commit|merge|touch|edit|run|add|deploy|call|write|send|change)\b",
    )),
    ("correction", "a correction", _any(
        r"^(?:no|nope|wrong|actually|that's (?:wrong|not right|incorrect|outdated)|correction|not quite)\b[,.:;—– -]+.*\b(?:is|are|was|were|has|have|uses?|runs?|lives?|means?|moved|goes|should|called|comes?|starts?|ends?|belongs?|it's)\b",
        r"\b(?:is|was|are|were) wrong\b[,;:.–—-].*\b(?:is|are|it's|should be|must be|uses?|lives?|runs?)\b",
        r"\b(?:is|was|are|were) (?:outdated|not true any ?more|no longer (?:true|valid|used|supported|in use|ours))\b", r"\bno longer (?:use|uses|works?|runs?|lives?|exists?)\b", r"\bnot .{2,40}, (?:but|it's)\b",
    )),
    ("fix", "a fix that worked", _any(
        r"\b(?:the )?(?:fix|solution|workaround|trick|remedy) (?:is|was|that worked|turned out)\b", r"\b(?:root cause|the culprit|the real cause|the actual cause|the cause) (?:is|was|of)\b",
        r"\b(?:it turns out|turns out|turned out)\b", r"\b(?:that|this|which|it) (?:fixed|solved|resolved) (?:it|the|this)\b", r"^\w{3,}ing [^.;!?]{3,90} (?:fixed|solved|resolved|cured) (?:it|the|this|that)\b", r"\bfixed (?:it |this |the \w+ )?by\b", r"\bsolved (?:it |this )?by\b",
        r"\b(?:bug|problem|issue|failure|flake|leak|crash|error|hang|test|outage) was caused by\b",
        r"\bthe (?:bug|problem|issue|failure|flake|leak|crash|error|hang) (?:was|came from|comes from|is caused by|was caused by)\b",
    )),
    ("fact", "a fact about a person or a system", _any(
        *_NAMED, rf"\bmy (?:name|wife|husband|partner|son|daughter|boss|manager|team|company|birthday|timezone|time zone|phone|dog|cat|doctor|address|role|job)(?:'s \w+)? (?:is|are|has)\b{_NOT_BUSY}{_NOT_ON_SCREEN}", _BY_NATURE, r"\bi(?:'m| am) (?:based in|a \w+ (?:at|in|from)|an \w+ (?:at|in|from)|responsible for|on call|the (?:owner|lead|maintainer))\b",
        r"\b(?:the|our|my|\w+['’]s) [\w -]{2,40} (?:has |have |was |were )?changed(?:[,;:–—-]+ (?:it|they)(?:'s|'re| is| are)\b| (?:from \S+ )?to (?=\S*[\d/.@]|(?-i:[A-Z])))",
        r"\bmy (?:sister|brother|mother|father|mum|mom|dad|wife|husband|partner|son|daughter|aunt|uncle|grandmother|grandfather)(?: \w+)? (?:is|has|lives|works)\b",
        r"\bi (?:live|work|was born|own|maintain|report) (?:in|at|to|as|with|the|on)\b", r"\bi(?:'ve| have)? (?:just |recently )?moved (?:from|to) (?-i:[A-Z])",
        r"\b(?:the )?(?:prod(?:uction)?|staging|dev|test|ci|backup|primary|main|master|release|nightly|build|database|db|server|cluster|api|service|repo(?:sitory)?|dashboard|cron|job|queue|bucket|domain|certificate|contract|license|office|deadline|budget|limit|quota|port|schema|endpoint|log)s?(?: \w+){0,5} (?:is|are|lives?|runs?|sits?|listens?|expires?|points? to|uses?|belongs? to|ends?|happens?|resets?|starts?|goes?|go|moves?|restarts?) (?:\d|(?:in|on|at|to|from|under|by|every|the|a|an|only|behind|owned|called|named|port|postgres|version|with|frozen|read-only)\b)",
        rf"\b(?:the|our|my) (?:[\w-]+ ){{0,3}}(?:{_PLACES}) (?:is|are|lives at|runs at) (?:at |now )?(?=\S*(?:\d|\w\.\w|/|_|\w:\w))[\w`]\S{{3,}}",
        r"\b[^\W\d_]{2,} (?:owns|leads|maintains|is (?:our|the|responsible|on)|handles|runs|reviews|approves|works (?:at|on|in|from)|lives in|prefers|hates|likes)\b", rf"\bi speak {_LANGUAGES}\b", r"\bwe (?:don't|do not|never) (?:support|use|allow|ship|accept|merge|mock|store|log|deploy)\b(?! (?:this|that|it|them)\b)", r"\b(?:we|our \w+) (?:use|run|host|deploy|store|keep|ship|release|bill|pay)\b(?! (?:this|that|it)\b)",
    )),
)  # fmt: skip

_POLITE = r"^(?:(?:please|pls|bitte|and|also|ok(?:ay)?|so|hey|oh|btw|by the way)[,:]? )*"
_THINGS = r"(?:folders?|director(?:y|ies)|dirs?|files?|modules?|packages?|branch(?:es)?|schemas?|configs?|migrations?)"
_STANDING = _any(  # how somebody wants an agent to be, whatever is worked at; most are short
    rf"{_POLITE}(?:answer|reply|respond|talk|write)(?: to)?(?: me| us)?(?: only| always)? in {_LANGUAGES}\b[\w ,]*[.!]*$",
    rf"{_POLITE}(?:speak|talk) {_LANGUAGES}\b", rf"{_POLITE}(?:antworte|schreib|sprich|rede)\b[\w ]* {_LANGUAGES}\b",
    rf"{_POLITE}(?:call|address) me (?:as )?(?-i:[A-Z])[\w.-]+", rf"{_POLITE}(?:nenn|nenne) mich (?-i:[A-Z])\w+",
    rf"{_POLITE}(?:i'd like you to|i want you to) (?:address|call) me\b",
    rf"{_POLITE}keep (?:it|them|things|(?:your |the )?(?:answers?|replies|responses?|explanations?|summaries)|everything) (?:very |more )?(?:short|brief|concise|simple|terse|under|below|to the point|(?:to|at) (?:most |max |a maximum of )?(?:\d+|one|two|three|a few) (?:sentences?|lines?|words?|paragraphs?|bullets?)(?=(?: max| at most| please)*[.!]*$))\b",
    rf"{_POLITE}be (?:more |very |less )?(?:brief|concise|terse|direct|verbose|wordy)\b", r"^(?:fass dich|fasse dich) kurz\b",
    rf"{_POLITE}(?:no|skip the|drop the) (?:more )?(?:emojis?|comments|markdown|bullet points|bullets|tables|summaries|apologies|jargon|filler|small talk|exclamation marks|semicolons|abbreviations)\b",
    rf"{_POLITE}(?:use|write|prefer) [\w '-]{{2,50}}\b(?:everywhere|always|by default|in (?:all|every|any)\b|for (?:all|every|everything)\b)",
    rf"{_POLITE}(?:always |only )?use (?:tabs|spaces|(?:single|double) quotes|metric units|(?:british|american) (?:english|spelling)|type hints|conventional commits|semicolons|snake_case|camelcase)(?:,? please)?[.!]*$",
    rf"{_POLITE}(?:don't|do not|never) (?:touch|edit|modify|change|delete|remove|move)\b.*(?:\b{_THINGS}\b|[\w-]+/)",
    rf"{_POLITE}(?:leave [\w./ -]{{2,40}} alone|stay away from|(?:keep your )?hands off)\b",
    rf"{_POLITE}(?:always )?(?:ask|check with|tell|consult) (?:me )?(?:first,? )?before (?:you|any|every|each|\w+ing)\b",
    rf"{_POLITE}stop (?:apologi[sz]ing|saying|adding|asking|writing|calling|suggesting|repeating|thanking)\b", rf"{_POLITE}(?:always|never) \w+ \w+",
)  # fmt: skip
_OF_THE_MOMENT = _any(
    r"\b(?:this|that|these|those|here|above|below|again|once|next|last|first|following|today|tonight|until|while|when it|for now|right now|just now|hier|diesmal|diese[nrms]?)\b",
    r"(?<!from) now[.!]*$", r"\bfor (?:it|them)\b", r"\byesterday\b", r"\bline \d", r"\bit(?:'s| is) (?:just|only|for|an?)\b",
)  # fmt: skip

_OUT = _any(
    r"^i (?:really )?(?:love|like) (?:how|what|it)\b",
    r"\?\s*$", r"^(?:can|could|would|should|do|does|did|is|are|was|what|why|how|when|where|who|which|shall|may)\b(?!.*\.\s*$)", r"\b(?:maybe|perhaps|probably|possibly|might|not sure|i think|i guess|i wonder|seems?|looks like|could be|what if|unless|would be|suppose|hypothetically|let me know)\b",
    r"^(?:let me|i'll|i will|i'm going to|i am going to|now i|next,? i|first,? i|let's see|let's (?:check|look|try|start|run)|checking|looking|running|reading)\b", r"\b(?:right now|for now|just this once|this time|for today|in this (?:file|function|test|commit|branch|pr|diff)|in the (?:next|following) step|(?:above|below)(?! \d)|here's|here is)\b",
    r"\bif you (?:want|like|prefer|need)\b", r"^i (?:have |'ve )?(?:just )?(?:added|updated|created|changed|removed|renamed|implemented|wrote|ran|edited|refactored|committed|pushed|moved the)\b", r"(?<![.@-])\b(?:example|e\.g\.|for instance|lorem|joking|kidding|just saying)\b", r"\b(?:thanks|thank you|great job|nice|sounds good|perfect)\b[.!]*$",
    rf"\bmy \w+ is\b(?!{_NOT_ON_SCREEN})", r"^(?:please )?(?:always|never) (?:show|display|render|hide|highlight|disable|enable|scroll|focus|animate|open|close|load|return|draw|print|log)"
    r" (?:the|an?) \w+.* (?:while|when|if|until|as soon as|as long as|on (?:hover|click|load|focus|error|submit))\b",  # what the program at hand is to do
    r"[？]\s*$", *abroad.NOT_SURE, *abroad.THIS_TIME,
    r"^(?:please |pls )?(?:don't|do not)\b.*(?:\bfor (?:this|that|it)|(?<!from) now|\byet)[.!]*$",
)  # fmt: skip
_STEP = _any(  # a task, or a task that ends what is said
    r"^(?:(?:please|pls|can you|could you|hey|ok(?:ay)?|and|now|also|then|bitte)[, ]+)*(?:look|find|fix|check(?! with)|make|add|change|update|remove|show|create|rename|implement|refactor|"
    r"investigate|debug|explain|try|test|review|generate|build|figure|write)\b(?!.*\b(?:always|never|from now on|every|each|all|any)\b)",
    r"[,;–-] (?:so |and |please |pls |then |can you |could you |now )*(?:fix|check|change|look (?:at|into|for)|try|find|debug|revert|undo|rename|remove|update|generate|make) (?:it|this|that|them|the|an?|for|into|at|alternatives)\b",
    r"^(?:it|this|that) (?:must|should|may|can)\b", r"\b(?:must|should|may|can) (?:always|never|only|not ever) have \w+(?:ed|en|t|n)\b",
    r"\b(?:go|going|went|stick|stay|settled)(?: with| on| for)? (?:(?:option|variant|number|version) \w{1,2}|the (?:first|second|third|last|other|latter|former)|that|this|it|yours|those|both|either)"
    r"(?: (?:one|option|version|approach|variant))?(?=[.!]*$|,? (?:because|since|please|then|thanks)\b)", r"\b(?:chose|picked|took|used) the wrong\b",
    r"^(?:always|never) (?:the same|like (?:this|that)|something)\b", rf"^(?:\w+ )?(?:{abroad.THE_SAME})(?!\w)",
)  # fmt: skip
_TROUBLE = _any(  # what is wrong at the moment, and will be mended
    r"\b(?:on fire|under attack|down|broken|slow|stuck|out of (?:memory|disk|space)|too much|the problem|a mess|wrong|missing|not working)\b",
    r"\b(?:crash|fail|hang)(?:s|es|ed|ing)?\b", r"\b(?:doesn't|don't|does not|do not) work\b", r"\b(?:today|lol)\b",
)  # fmt: skip
_AGENT_SAYS = ("decision", "fix")
_BRIEF = _any(  # what is said in few words
    *_LIKING,
    *_NAMED,
    r"\bwe(?:'ve| have)? decided (?:on|against|for)\b",
    *abroad.PREFERENCES,
    *abroad.RULES,
)
_IS_SO = _any(_BY_NATURE)  # "I'm vegan" says all
_WORDY = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]|[^\W\d_]{2,}")


def find_keepers(text: str, role: str) -> list[Keeper]:
    """The sentences of a message that are worth keeping, in order; at most three."""
    found: list[Keeper] = []
    before = ""
    for sentence in _sentences(text, role):
        late = _ASKED_LAST.fullmatch(sentence) if role == "user" else None
        keeper = _judge(sentence, role) if late is None else _asked_last(late["said"] or before)
        if keeper is not None and all(keeper.text.rstrip(_END) != one.text.rstrip(_END) for one in found):
            found.append(keeper)
        before = sentence
    return found[:_MOST]


def _sentences(text: str, role: str) -> Iterator[str]:
    """What its sender says. Behind what tells what some text says, more of that text may stand."""
    for part in _SENTENCE.split("\n".join(own_lines(text, role))):
        said = (part or "")[:_READ]
        if _TASK.match(said) or reports_text(said, role):
            return
        sentence = _BULLET.sub("", said).strip().replace("**", "")
        if sentence:
            yield " ".join(sentence.split())


def _asked_last(said: str) -> Keeper | None:
    """What is said before "remember that", unless it is a question, a guess or a step."""
    if _OUT.search(said) or len(said) > _LONGEST or len(_WORDY.findall(said)) < 3:
        return None
    return Keeper(said[:1].upper() + said[1:], _kind_of(said), "asked to be remembered")


def _judge(sentence: str, role: str) -> Keeper | None:
    asked = _ASKED.match(sentence) if role == "user" else None
    if asked is not None and not sentence.endswith(("?", "？")):
        said = asked["said"].strip()
        if _TO_DO.match(said) and (_OF_THE_MOMENT.search(said) or len(_WORDY.findall(said)) < 3):
            return None
        said = sentence if said.lower().startswith("to ") else said
        if len(_WORDY.findall(said)) >= 2 and len(said) >= _SHORTEST // 2:
            return Keeper(said[:1].upper() + said[1:_LONGEST], _kind_of(said), "asked to be remembered")
    if len(sentence) > _LONGEST:
        return None
    bare = _SPEECH.sub(_without_words, sentence)
    if _OUT.search(bare):
        return None
    if role == "user" and _STANDING.search(bare) and not _OF_THE_MOMENT.search(bare):
        return Keeper(sentence, "preference", "a standing request")
    if _STEP.search(bare):
        return None
    shortest, least = (0, 1) if _IS_SO.search(bare) else (0, 3) if _BRIEF.search(bare) else (_SHORTEST, 5)
    if len(sentence) < shortest or len(_WORDY.findall(bare)) < least:
        return None
    for kind, why, pattern in _RULES:
        if pattern.search(bare) and (role == "user" or kind in _AGENT_SAYS):
            return None if kind == "fact" and _TROUBLE.search(bare) else Keeper(sentence, kind, why)
    return Keeper(sentence, "decision", "something was replaced") if role == "user" and replaced_in(bare) else None


def _without_words(speech: re.Match[str]) -> str:
    """Nothing in the place of what somebody said or wrote; a name or a term between quotes stays."""
    return "…" if len(_WORDY.findall(speech.group())) >= _SPOKEN_WORDS else speech.group()


def _kind_of(said: str) -> str:
    return next((kind for kind, _, pattern in _RULES if pattern.search(said)), "fact")
