"""Bytes to text: which encoding, found from the bytes, shown to the user and changeable.

UTF-8 and UTF-16 prove themselves.  The old two-byte encodings of East Asia do not: nearly every Big5 file decodes
without error as GB 18030 into nonsense.  So each candidate's text is scored by how common its characters are where
that encoding is at home, and the best wins.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from plm_engine.errors import DataError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: characters that head columns and fill notes of market tables, in traditional, simplified and Japanese spelling
_COMMON = frozenset(
    "日期時間时间年月周週季天價格价格收盤盘開开最高低成交量額额庫库存指數数美元匯汇率銅铜鋁铝鋅锌鎳镍金銀银鉛铅錫锡鐵铁鋼钢油氣气"
    "倫伦敦上海紐纽約约期貨货現现市場场漲涨跌幅平均總总計计名稱称單单位備备註注說说明資资料來来源中國国臺台灣湾產产銷销出進进口利息"
    "經经濟济物消費费者生產業业本益比例公司代碼码號号地區区目標标變变化差合小大前後后今昨明新舊旧無无有是否的一二三四五六七八九十"
    "終値始高安値出来株円商品先物在庫価格銘柄取引日付曜為替"
    "날짜일자종가시가고가저가거래량변동재고환율지수구리가격달러금은주월년미국중한전일대비율"
)
_WESTERN = frozenset("äöüÄÖÜßéèêëàâáåÅçÇíîïìñÑóôòõøØúûùœŒæÆãÃ°²³µ€£§–—’‘“”·±×½¼®©ºª\u00a0")
_SPECIAL_RUN = re.compile(r"[^\x00-\x7f]+")
_INSIDE_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")
_CANDIDATES = ("big5", "gb18030", "shift_jis", "euc_jp", "euc_kr", "cp1252", "cp1251")
#: a Russian word in small letters or in capitals: two-byte text that is read as Cyrillic mixes them
_RUSSIAN = re.compile(r"(?<![A-Za-z])[А-ЯЁ]?(?:[а-яё]+|[А-ЯЁ]+)(?![A-Za-z])")
_SAMPLE = 256 * 1024


@dataclass(frozen=True)
class Decoded:
    """Text of a file and how it was found.

    ``doubt`` is a sentence where other encodings fit too, or where some bytes are no text; otherwise empty.
    """

    text: str
    encoding: str
    bom: bool = False
    doubt: str = ""


def decode(data: bytes, given: str | None = None) -> Decoded:
    """Decode a text file.

    Parameters
    ----------
    data : bytes
        The whole file.
    given : str or None
        Encoding the person chose; found out if None.

    Raises
    ------
    DataError
        If the chosen encoding does not exist or does not fit, or if no encoding fits.
    """
    for mark, name in _BOMS:
        if data.startswith(mark) and (given is None or codecs_name(given) in (name, "utf-16", "utf-32", "utf-8-sig")):
            return Decoded(_strict(data[len(mark) :], name), name, bom=True)
    if given is not None:
        return Decoded(_strict(data, codecs_name(given)), codecs_name(given))
    wide = _utf16_without_mark(data)
    if wide:
        return Decoded(_strict(data, wide), wide)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _guess(data, error)


def codecs_name(name: str) -> str:
    """Return Python's own spelling of an encoding's name, or raise DataError."""
    try:
        info = codecs.lookup(name.strip())
        # codecs such as "rot13" and "zip" are no encodings of text files
        if not info._is_text_encoding:
            raise LookupError(name)
    except (LookupError, ValueError, TypeError) as error:
        raise DataError(
            f"Encoding {name!r} is not known: give one such as utf-8, utf-16, big5, gb18030, shift_jis or cp1252."
        ) from error
    return info.name


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"The file is not {encoding}: byte {error.start + 1} (0x{data[error.start]:02x}, line {line}) does not "
            "fit. Choose another encoding, or leave it to be found out."
        ) from error
    except (UnicodeError, ValueError) as error:
        raise DataError(f"The file cannot be read as {encoding}: choose another encoding.") from error


def _utf16_without_mark(data: bytes) -> str:
    """Recognise UTF-16 that lacks its mark: every second byte of ASCII text is then NUL."""
    head = data[:4096]
    half = len(head) // 2
    if half < 4 or len(data) % 2:
        return ""
    if head[1::2].count(0) > 0.6 * half and head[0::2].count(0) == 0:
        return "utf-16-le"
    if head[0::2].count(0) > 0.6 * half and head[1::2].count(0) == 0:
        return "utf-16-be"
    return ""


def _guess(data: bytes, error: UnicodeDecodeError) -> Decoded:
    """Choose among damaged UTF-8 and the old encodings, by how common the characters of each reading are."""
    # cut at a line end, so that no character is halved
    cut = data.rfind(b"\n", 0, _SAMPLE) if len(data) > _SAMPLE else len(data)
    sample = data[: cut if cut > 0 else len(data)]
    scores = {"utf-8": _score(data.decode("utf-8", errors="replace"), "utf-8")}
    for name in _CANDIDATES:
        try:
            scores[name] = _score(sample.decode(name), name)
        except UnicodeDecodeError:
            continue
    ranked = [
        name
        for name in sorted(scores, key=lambda name: -scores[name])
        if name not in ("utf-8", "cp1251") or scores[name] > 0.3
    ]
    for name in ranked:
        if name == "utf-8":
            return _damaged_utf8(data, error)
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        others = [n for n in ranked if n not in (name, "utf-8")]
        also = f" (it could also be {', '.join(others)})" if others else ""
        doubt = (
            f"The file is not UTF-8 and was read as {name}{also}: look at the names below, and choose another "
            "encoding if they are wrong."
        )
        return Decoded(text, name, doubt=doubt)
    raise DataError("The file is not text in any encoding that is tried: choose its encoding, or save it as UTF-8.")


def _damaged_utf8(data: bytes, error: UnicodeDecodeError) -> Decoded:
    """Read UTF-8 with damaged bytes, which become U+FFFD and make their cells unreadable."""
    text = data.decode("utf-8", errors="replace")
    broken = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    line = data[: error.start].count(b"\n") + 1
    doubt = (
        f"{broken} place{'s' * (broken != 1)} in the file are not valid UTF-8 (the first in line {line}): "
        "cells there are rejected where a number is needed."
    )
    return Decoded(text, "utf-8", doubt=doubt)


def _score(text: str, encoding: str) -> float:
    """Return 0 (nonsense) to 2 (all characters are common ones) for one reading."""
    special = [c for c in text if ord(c) > 127]
    if not special:
        return 0.0
    if encoding == "utf-8":
        broken = text.count("\ufffd")
        return 1.6 * (len(special) - broken) / (len(special) + broken)
    if encoding == "cp1252":
        # letters with accents stand between ASCII ones; longer runs of them are two-byte text read wrongly
        short = sum(len(run) for run in _SPECIAL_RUN.findall(text) if len(run) <= 2)
        western = sum(c in _WESTERN for c in special)
        return 1.5 * western / len(special) * short / len(special)
    if encoding == "cp1251":
        words = sum(len(run) for run in _SPECIAL_RUN.findall(text) if _RUSSIAN.fullmatch(run) and len(run) > 1)
        beside = len(_INSIDE_WORD.findall(text))
        return 1.9 * max(0, words - 2 * beside) / len(special)
    common = sum(c in _COMMON for c in special)
    level_one = sum(_is_level_one(c, encoding) for c in special)
    # one such character inside a word of ASCII letters is an accented letter read wrongly
    inside = len(_INSIDE_WORD.findall(text))
    return (common + level_one - 2 * inside) / len(special)


def _is_level_one(character: str, encoding: str) -> bool:
    """Return whether a character is in the part of its character set that holds the frequent ones."""
    code = ord(character)
    if encoding == "euc_kr":
        return 0xAC00 <= code <= 0xD7A3
    if encoding in ("shift_jis", "euc_jp") and 0x3040 <= code <= 0x30FF:
        return True
    if not 0x4E00 <= code <= 0x9FFF:
        return character in "，。、：（）％　；？！「」《》－～"
    raw = character.encode(encoding, errors="ignore")
    if len(raw) != 2:
        return False
    low, high = {"big5": (0xA4, 0xC6), "gb18030": (0xB0, 0xD7), "shift_jis": (0x88, 0x97), "euc_jp": (0xB0, 0xCF)}[
        encoding
    ]
    return low <= raw[0] <= high and (encoding != "gb18030" or raw[1] >= 0xA1)
