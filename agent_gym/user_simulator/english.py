"""The words by which English sentences show what they do: patterns over lower-case text, and empty words.

Another language is another file of the same names; without one, question marks and the nearest recorded
turns have to do.
"""

import re

__all__ = [
    "ALSO",
    "CLAUSE",
    "CLOSES",
    "CONFIRMS",
    "DONE",
    "EMPTY",
    "GOODBYE",
    "GREETS",
    "HANDS_OVER",
    "HOLDS",
    "INSTEAD",
    "INVITES",
    "I_AM",
    "KINDS",
    "MAYBE",
    "MY",
    "NO",
    "NOT_YET",
    "OFFERS",
    "PART",
    "POLITE",
    "PURPOSE",
    "REFUSES",
    "REQUEST",
    "THANKS",
    "WH",
    "WISH",
    "YES",
    "YES_OR_NO",
]


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


# What agents say.
_ASKING = (
    r"(?:provide|share|tell|confirm|give|specify|enter|send|let me know|choose|select|verify|describe|reply"
    r"|respond|say|type|indicate|clarify|state|pick|double[- ]check)"
)
PURPOSE = _any(r"^(?:(?:in order )?to|before|once|so that) [^,?]*, ")
REQUEST = _any(
    rf"\b(?:please|kindly) (?:\w+ )?{_ASKING}\b",
    rf"^(?:and |also,? |so,? |then )*{_ASKING} (?:me |us )?(?:your|the|which|what|if|whether)\b",
    r"\bi(?:'ll| will|'d| would)? (?:just |also |first |still |like to )*(?:need|require) "
    r"(?:you to |to know|your|the|a few|some)\b",
    r"\bi (?:first |also |still )?need to [^.:?]{1,60}: \w",  # "I need to find your account: its number, …"
    r"\b(?:could|can|may|might) (?:you|i) (?:please )?(?:have|get|provide|tell|share|confirm|give)\b",
    r"\blet me know\b",
    r"\b(?:reply|respond|answer)(?: with)? ?:? ?[\"'“‘*]*yes\b",
)
CLOSES = _any(
    r"\bfeel free to (?:let|reach|ask|contact)\b",
    r"\bdo(?:n't| not) hesitate to\b",
    r"\b(?:any ?thing|something|what) else\b",
    r"\bfurther (?:assistance|questions?|help)\b",
    r"\bother (?:questions?|requests?)\b",
    r"\bmore (?:help|questions)\b",
    r"\b(?:have a|enjoy your) (?:great|good|nice|wonderful|lovely)\b",
    r"\b(?:good ?bye|bye|take care)\b",
)
HANDS_OVER = _any(
    r"\b(?:transfer|transferring|transferred|connect|connecting|connected|escalat\w+|hand(?:ing|ed)?)\b.{0,60}"
    r"\b(?:human|agents?|representatives?|specialists?|supervisors?|colleagues?|managers?|someone|live)\b",
    r"\byou are being transferred\b",
)
MAYBE = _any(r"\b(?:would you|if you|i (?:can|could|may|might)|we can|happy to|otherwise)\b")
INVITES = _any(
    r"\b(?:how|what) (?:can|may|could) (?:i|we) (?:help|assist|do)\b",
    r"\bwhat can i do for you\b",
)
GREETS = _any(r"(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening)|greetings)\b")
WH = _any(r"\b(?:which|what|what's|where|when|who|whose|how|why)\b")
CONFIRMS = _any(
    r"\b(?:is|are|does|do) (?:that|this|these|those|it|the|all|everything|they)\b.{0,60}"
    r"\b(?:correct|right|ok|okay|good|fine|accurate|sound)\b",
    r"\b(?:correct|right|okay|ok|sure)\?",
    r"\b(?:want|like|ready|okay|ok|happy|confirm|me|i|we)\b.{0,30}\b(?:proceed|go ahead|move forward)\b",
    r"\bis (?:that|this|it) (?:what|how|the one)\b",
    r"\bare you sure\b",
    r"\bsay yes\b",
    r"[\"'“(]yes[\"'”)]",
    r"\b(?:shall|should) i\b",
    r"\bcan i (?:book|go|make|do|place|cancel|submit|process)\b",
    r"\b(?:check|review|verify) (?:the|these|and)\b.*\bdetails\b",
)
YES_OR_NO = _any(
    r"(?:and |so,? |but |then |just |ok(?:ay)?,? )*"
    r"(?:is|are|was|were|does|did|has|have|will|am|do(?! you (?:have|know|remember|recall)))\b"
)
OFFERS = _any(
    r"\b(?:would|do|did) you (?:also |still |rather |instead )?"
    r"(?:like|want|prefer|wish|mind|be (?:interested|open|willing))\b",
    r"\b(?:interested in|how about|what about|want me to|like me to|if you(?:'d| would) like)\b",
    r"^will (?:this|that|it) work\b",
)
HOLDS = _any(
    r"\b(?:one|a|just a|give me a) (?:moment|second|minute|sec)\b",
    r"\b(?:let me|i'?ll|i will|i'?m going to) (?:just |quickly |now )*(?:(?:have|take) a )?(?:check|look|see)\b",
    r"\b(?:checking|looking) (?:now|that|this|it|into)\b",
    r"\b(?:i'?m|i am) (?:just |now )*(?:checking|looking|doing|working on|setting) (?:that|this|it|now)\b",
    r"\b(?:please )?(?:hold on|bear with me|please wait|hang on)\b",
)
REFUSES = _any(
    r"\b(?:can ?not|can'?t|couldn'?t|could not|unable to|not able to|won'?t be able|can no longer)\b",
    r"\b(?:not|isn't|aren't) (?:possible|allowed|permitted|available|eligible|supported|offered)\b",
    r"\b(?:unfortunately|i'm afraid|regret|failed|denied)\b",
    r"\b(?:i'm|i am) (?:very |really )?sorry, but\b",
)
_LOOKED = (  # what agents do before anything is done
    r"(?:found|located|look\w*|retrieved|verified|identified|checked|noted?|received|reviewed|authenticated|pulled"
    r"|listed|provided|searched|understood|noticed|calculated|delivered|shipped|confirmed (?:that|your identity))"
)
_DONE_WORDS = (
    r"(?:cancel+ed|booked|confirmed|completed?|processed|updated|scheduled|refunded|done|set|reserved|submitted"
    r"|activated|changed|removed|added|resolved|closed|created|sent|fixed|successful|made|exchanged|returned"
    r"|modified|issued|applied|placed)"
)
_PARTICIPLE = rf"(?!{_LOOKED})(?:\w+ed|sent|made|set|put|paid|done|given)\b"
DONE = _any(
    rf"\b(?:has|have) (?:now |also |just |already )*been (?:now |successfully )*{_PARTICIPLE}",
    rf"(?:\b(?:is|are|was|were)|(?:that|it|you|everything)'(?:s|re)) (?:now |all |also |successfully )*{_DONE_WORDS}\b",
    rf"\bi(?:'?ve| have) (?:now |just |also |already |gone ahead and |successfully )*{_PARTICIPLE}",
    rf"\bsuccessfully (?!{_LOOKED})\w+",
    r"^(?:all )?(?:done|set|completed?|booked|confirmed|cancel+ed)\b",
)
NOT_YET = _any(
    r"^(?:once|if|when|after|before|until|as soon as|would|will)\b",
    r"\b(?:not|n't|never|once|until|to be)\b",
)
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", _any(r"\be-?mail")),
    ("phone", _any(r"\b(?:tele)?phone|\bmobile\b")),
    ("date", _any(r"\b(?:dates?|days?|when|month)\b")),
    ("time", _any(r"\b(?:times?|when|hour)\b")),
    ("name", _any(r"\bnames?\b|\bwho\b")),
    ("amount", _any(r"\b(?:how much|price|budget|amount|cost)\b")),
    ("number", _any(r"\b(?:how many|number of|quantity)\b")),
    ("id", _any(r"\b(?:ids?|numbers?|codes?|zip|postal|reference)\b")),
)

# What customers say.
_WELL = r"\W*(?:(?:in that case|well|hm+|oh|ah|uh|then|actually|alright|all right|okay|ok)\b\W+)*"
YES = _any(
    rf"{_WELL}(?:yes|yeah|yep|yup|sure|ok|okay|correct|right|exactly|absolutely|definitely|of course|please do"
    r"|go ahead|do it|that's (?:right|correct|fine|good)|sounds good|i confirm|confirmed|perfect|great|fine"
    r"|i(?:'d| would) like that)\b"
)
NO = _any(
    rf"{_WELL}(?:no(?! (?:problem|worries))|nope|nah|not|don't|i don't want|i'd rather not|never mind|that's not"
    r"|wrong)\b"
)
THANKS = _any(r"\b(?:thanks?|thank you|thx|cheers|appreciate)\b")
GOODBYE = _any(
    r"\b(?:bye|good ?bye|nothing else|have a (?:good|great|nice|wonderful))\b",
    r"\bthat(?:'?s| is| will be| would be) (?:all|it|everything)\b",
)
POLITE = _any(r"\b(?:please|thanks?|thank you|appreciate|kindly|sorry|grateful)\b")
ALSO = _any(r"\b(?:also|another thing|one more|by the way|in addition|additionally|actually|and i)\b")
INSTEAD = _any(
    r"^\W*(?:wait|hold on|actually|hm+,? actually|sorry)\b",
    r"\b(?:instead|rather|after all|make (?:it|that)|let's do|on second thought|changed? my mind|i meant)\b",
)
WISH = _any(
    r"\?",
    r"\b(?:want|wanna|need|would like|i'd like|like to|can you|could you|can i|could i|please|help|looking for"
    r"|let's|also)\b",
)
PART = _any(r"(?<=[,;.!?])\s+", r"\s+and\s+")
CLAUSE = _any(r"[,;:]\s", r"\band\b", r"\bbut\b")
# These two tell names by their capitals and are for the text as it stands.
_ENDS = r"(?=\s*(?:[.,;!?\n]|and\b|from\b|$))"
MY = _any(rf"\b[Mm]y (\w+(?: \w+)?)(?: is|'s) ((?!not\b)\w[\w'-]*){_ENDS}")
I_AM = _any(rf"\b(?:[Ii]'m|[Ii] am|[Tt]his is)(?: called)? ([A-Z][\w'-]+){_ENDS}")

# Words that say nothing about which value or thing is meant.
EMPTY = frozenset(
    """
    a an the and or but if so as at by for from in into of on off to up with about this that these those it its
    is are was were be been am do does did have has had can could will would shall should may might must
    i i'm i'll i've i'd me my mine we our us you you're your yours he she they them their there here
    what which who whom whose when where why how not no yes ok okay please kindly thank thanks sure
    also just still then than too very really any some all both each other another one same such more most
    like want need know tell give provide share let confirm help assist get got make made see look looking
    find found go going before after again first next now today let's don't can't it's that's what's hi hello
    sorry able proceed specify verify following info information detail details
    """.split()
)
