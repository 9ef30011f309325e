"""Special categories of personal data (GDPR, article 9), user names, and the numbers of vehicles.

Nothing here has a checksum but a VIN, so a field's name has to point to it and its texts have to fit, as far as a rule asks.
What rests on the name and a loose form alone scores low and stays a suggestion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from scanners.detectors.core.base import LOOKED, STOPPED
from scanners.detectors.core.plain_texts import is_state
from scanners.detectors.core.tally import MOST, Group, bucket, sampled, whole
from scanners.detectors.lists.name_words import folded
from scanners.detectors.names.fields import speaks


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in folded(text).lower().split(","))


_GENDERS = _vocabulary(
    "m,f,w,d,x,u,n,h,v,k,male,female,man,woman,men,women,boy,girl,other,unknown,diverse,divers,nonbinary,non-binary,non binary,"
    "0,1,2,9,transgender,trans,mann,frau,mannlich,weiblich,herr,homme,femme,masculin,feminin,hombre,mujer,masculino,femenino,feminino,"
    "varon,uomo,donna,maschio,femmina,maschile,femminile,homem,mulher,vrouw,mezczyzna,kobieta,mand,kvinde,kvinna,kvinne,mies,"
    "nainen,erkek,kadin,muz,zena,ferfi,no,мужской,женский,муж,жен,м,ж,男,女,男性,女性,남,여,남성,여성,남자,여자,ذكر,أنثى,"
    "prefer not to say,not specified,undisclosed,mr,mrs,ms,not known,not applicable"
)
_RELIGIONS = _vocabulary(
    "christian,christianity,catholic,roman catholic,protestant,lutheran,evangelical,orthodox,anglican,baptist,methodist,"
    "presbyterian,pentecostal,mormon,jehovah's witness,muslim,islam,sunni,shia,jewish,judaism,hindu,hinduism,buddhist,buddhism,"
    "sikh,sikhism,jain,jainism,shinto,taoist,baha'i,zoroastrian,atheist,agnostic,none,no religion,spiritual,pagan,quaker,other,"
    "katholisch,romisch-katholisch,evangelisch,muslimisch,judisch,konfessionslos,orthodoxe,rk,ev,catholique,protestante,musulman,"
    "juif,bouddhiste,sans religion,athee,catolico,cristiano,judio,budista,ateo,agnostico,musulmano,ebreo,cattolico,buddista,"
    "islamic,православие,ислам,иудаизм,буддизм,атеист,イスラム教,仏教,キリスト教,神道,佛教,基督教,伊斯兰教,道教,불교,기독교,천주교,무교"
)
_ETHNICITIES = _vocabulary(
    "white,black,asian,hispanic,latino,latina,latinx,caucasian,african american,black or african american,native american,"
    "american indian,american indian or alaska native,alaska native,pacific islander,native hawaiian,"
    "native hawaiian or other pacific islander,middle eastern,arab,mixed,mixed race,multiracial,two or more races,biracial,"
    "white british,white irish,black african,black caribbean,south asian,east asian,indian,pakistani,bangladeshi,chinese,roma,"
    "gypsy,traveller,hispanic or latino,not hispanic or latino,non-hispanic,other,unknown,indigenous,aboriginal,maori,jewish,"
    "blanco,negro,mestizo,mulato,indigena,branca,preta,parda,amarela,han,汉,汉族,满族,回族,壮族,藏族,维吾尔族,苗族,european,african"
)
_PARTIES = _vocabulary(
    "democrat,democratic,republican,independent,libertarian,green,labour,labor,conservative,tory,liberal,liberal democrat,"
    "lib dem,snp,ukip,reform,cdu,csu,spd,fdp,grune,die grunen,linke,die linke,afd,bsw,socialist,social democrat,communist,"
    "centrist,left,right,far left,far right,nationalist,populist,progressive,moderate,lfi,rn,lr,ps,psoe,pp,vox,podemos,sumar,pd,"
    "fdi,lega,m5s,forza italia,other,none,undecided,no preference,unaffiliated,dem,rep,ind"
)
_ORIENTATIONS = _vocabulary(
    "heterosexual,homosexual,bisexual,gay,lesbian,straight,asexual,pansexual,queer,hetero,homo,bi,demisexual,questioning,other,"
    "prefer not to say,unknown,heterosexuell,homosexuell,bisexuell,schwul,lesbisch,lgbt,lgbtq,undisclosed"
)
_BLOOD = re.compile(r"(?:A|B|AB|O|0)[ ]?(?:\+|-|−|pos(?:itive)?|neg(?:ative)?|rh[ ]?[+-])\Z", re.I)
_ICD = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?\Z|\d{3}\.\d{1,2}\Z")
"""A code of the International Classification of Diseases: of its tenth revision, or of the ninth with its decimals."""
_WORDS = re.compile(r"(?=(?:.*[^\W\d_]){3}).{3,400}\Z", re.S)
_USER = re.compile(r"@?(?=.*[^\W\d_])(?!\d{4}-\d\d-\d\d)[\w][\w.+-]{1,63}\Z")
_PLATE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[^\W_]{1,4}(?:[ ·.-]?[^\W_]{1,5}){1,3}\Z")
_TEMPLATE = re.compile(r"[A-Za-z0-9+/=_-]{16,}\Z|[\[{].*\Z", re.S)
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}\Z")
_VIN_VALUES = {
    **{str(d): d for d in range(10)},
    **dict(
        zip(
            "ABCDEFGHJKLMNPRSTUVWXYZ",
            (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9),
            strict=True,
        )
    ),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin_checked(text: str) -> bool:
    """Whether a vehicle's number has the check digit that North America and China write (ISO 3779, 49 CFR 565)."""
    if not _VIN.match(text):
        return False
    rest = sum(_VIN_VALUES[c] * weight for c, weight in zip(text, _VIN_WEIGHTS, strict=True)) % 11
    return text[8] == ("X" if rest == 10 else str(rest))


def _one_of(vocabulary: frozenset[str]) -> Callable[[str], bool]:
    return lambda text: folded(text).lower() in vocabulary


def _words(text: str) -> bool:
    return _WORDS.match(text) is not None and not is_state(text)


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.match(text) is not None


@dataclass(frozen=True, slots=True)
class Category:
    """What the texts of a field called so have to look like.

    fits    of one text; share: how many of the texts have to fit
    score   of a field that does; distinct: different texts there have to be at least
    """

    entity: str
    recognizer: str
    fits: Callable[[str], bool]
    share: float
    score: float
    distinct: int = 2

    @property
    def key(self) -> str:
        return f"{self.entity}|{self.recognizer}"


CATEGORIES = (
    Category("GENDER", "gender", _one_of(_GENDERS), 0.9, 0.8),
    Category("RELIGION", "religion", _one_of(_RELIGIONS), 0.5, 0.8),
    Category("ETHNICITY", "ethnicity", _one_of(_ETHNICITIES), 0.5, 0.8),
    Category("POLITICAL_OPINION", "politics", _one_of(_PARTIES), 0.5, 0.8),
    Category("SEXUAL_ORIENTATION", "orientation", _one_of(_ORIENTATIONS), 0.7, 0.8),
    Category(entity="TRADE_UNION_MEMBERSHIP", recognizer="union", fits=_words, share=0.5, score=0.55, distinct=1),
    Category("HEALTH", "blood_group", _matches(_BLOOD), 0.8, 0.85),
    Category("HEALTH", "icd", _matches(_ICD), 0.7, 0.85),
    Category(entity="HEALTH", recognizer="health_words", fits=_words, share=0.7, score=0.6, distinct=3),
    Category("BIOMETRIC_ID", "template", _matches(_TEMPLATE), 0.7, 0.6),
    Category(entity="USERNAME", recognizer="user_name", fits=_matches(_USER), share=0.8, score=0.6, distinct=5),
    Category(entity="LICENSE_PLATE", recognizer="plate", fits=_matches(_PLATE), share=0.8, score=0.7, distinct=3),
    Category("VIN", "vin", _matches(_VIN), 0.8, 0.8),
)
BY_KEY = {category.key: category for category in CATEGORIES}
ENTITIES = tuple(dict.fromkeys(category.entity for category in CATEGORIES))
VIN_ALONE = "VIN|vin_check"
"""A vehicle's numbers in a field of any name: all with their check digit."""
FLAGS = {
    "HEALTH": _vocabulary(
        "pregnant,schwanger,disability,disabilities,behinderung,discapacidad,deficiencia,hiv_positive,smoker,vaccinated,"
        "chronic_condition"
    ),
    "TRADE_UNION_MEMBERSHIP": _vocabulary(
        "union_member,union_membership,trade_union,gewerkschaftsmitglied,membre_syndicat,afiliacion_sindical"
    ),
}
"""Categories that a yes or no shows -> names that suffice; with other names of the category a person's fields must be beside
it (`allergy` of a patient, not of a product)."""


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" for one column: of what its name announces, and of vehicles' numbers."""
    announced = _announced(names)
    vehicles = not announced and vin_checked(next(iter(every), "").strip())
    if not announced and not vehicles:
        return {}
    counts = sampled(every, MOST)
    by_key = {
        category.key: _names(counts) if category.key == USER_KEY else whole(counts, category.fits)
        for category in announced
    }
    if vehicles:
        by_key[VIN_ALONE] = whole(counts, vin_checked)
    for counters in by_key.values():
        counters[STOPPED], counters[LOOKED] = sum(every.values()), sum(counts.values())
    return {key: counters for key, counters in by_key.items() if counters["valid"]}


def _names(counts: Mapping[str, int]) -> Counter[str]:
    """Counters of user names: those with a number behind their letters, and how many kinds of letters there are."""
    group = Group(counts)
    for text in counts:
        if text:
            plain = text.strip()
            letters = plain.rstrip("0123456789")
            group.add(
                text, bool(_USER.match(plain)), bucket(letters.lower()), *(() if letters == plain else (COUNTED,))
            )
    return group.counters()


USER_KEY = "USERNAME|user_name"
COUNTED = "counted"


@lru_cache(maxsize=16384)
def _announced(names: tuple[str, ...]) -> tuple[Category, ...]:
    entities = {entity for entity in ENTITIES if speaks(entity, names) > 0}
    return tuple(category for category in CATEGORIES if category.entity in entities) if entities else ()
