"""Endings that family names of a language have and few other words: weak evidence beside a field's name and the texts' shape."""

from __future__ import annotations

import re
from functools import lru_cache

from scanners.detectors.lists.name_words import folded

_ENDINGS = (
    "sson dottir ssen nsen rsen dsen lsen tsen ksen gaard kvist quist qvist strom berg lund gren stad"  # the North
    " inen ainen onen unen aho maki oja lainen"  # Finland
    " mann meyer meier mayer bauer huber hauser stein bach feld hofer inger"  # Germany, Austria, Switzerland
    " sma stra inga ema huis veld kamp dijk mans sens broeck man"  # the Low Countries
    " owski ewski inski ynski ski ska cki cka wicz czyk czak niak"  # Poland
    " ova ovy sky ska cek ska ncik arova akova kova ik ak"  # Bohemia, Slovakia
    " ovic evic vic nic kic jic lic dic sic ric cic zic"  # the South Slavs
    " enko chuk shyn ov ev ova eva ina sky skaya yuk"  # in Latin letters, the East Slavs
    " opoulos opoulou akis aki idis idou iadis atos ellis"  # Greece
    " oglu gil kaya demir turk"  # Turkey
    " escu eanu oiu"  # Romania
    " yan ian shvili adze idze dze iani"  # the Caucasus
    " zadeh pour nejad abadi"  # Persia
    " auskas avicius aitis aite iene iute ins"  # the Baltic
    " nagy szabo kovacs falvi vari hazi falusi"  # Hungary
    " guez ndez rez nez lez eira inho elli etti ucci acci"  # the Romance languages
    " worth ford field wood ton ley man smith well shaw"  # England
)
_FAMILY = re.compile(
    rf"[a-z'-]{{2,}}(?:{'|'.join(sorted(set(_ENDINGS.split()), key=len, reverse=True))})\Z|(?:mc|mac|o')[a-z]{{4,}}\Z"
)


@lru_cache(maxsize=8192)
def ends_as_family_name(token: str) -> bool:
    """Whether a word of five letters or more, in Latin letters, ends as many family names do."""
    return 5 <= len(token) <= 24 and _FAMILY.match(folded(token).lower()) is not None
