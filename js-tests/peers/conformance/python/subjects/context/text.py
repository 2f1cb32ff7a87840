"""Texts in several scripts, and characters that Python's repr escapes."""

from __future__ import annotations

from random import Random

PHRASES = (
    "The quick brown fox jumps over the lazy dog.",
    "Please summarise what we decided yesterday, and why",
    "für Größe çà et là, ñandú",
    "Съешь ещё этих мягких французских булок",
    "我们昨天决定先修复登录页面的错误",
    "今日は東京で会議があります。カタカナも",
    "한국어로 짧게 답해 주세요",
    "مرحبا، كيف حالك اليوم؟",
    "हिन्दी में एक छोटा वाक्य",
    "def f(x):\n    return {'a': x, \"b\": [1, 2]}",
    '{"rows":[{"id":17,"ok":true,"note":null}]}',
    "a,b,c\n1,2,3\n\n4,5,6\n",
    "iVBORw0KGgoAAAANSUhEUgAAAAUA+/8=",
    "😀👍🏽 𝒳 🇪🇺",
    "https://example.org/a?b=c&d=%20#e",
    "",
    "ok",
    "don't",
)

# One of each kind that repr treats apart: quotes, backslash, named and other
# controls, unprintables below U+0100, in the BMP and above, and printable
# characters next to them. None whose kind depends on the release of Unicode.
ODD = (
    "'", '"', "'\"", "\\", "\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x80", "\xa0", "\xad", "é",
    "\u0378", "\u200b", "\u200d", "\u2028", "\u3000", "\ue000", "\ufeff", "\ufffd", "\ufffe", "日",
    "\U0001f600", "\U000e0001", "\U000f0000", "\U00030000", "\U0010ffff", " ",
    "\u0300", "\u061c", "\u180e", "\U0001d173",
)


def text(rng: Random, most: int = 3) -> str:
    """Up to `most` phrases with something between them."""
    parts = [rng.choice(PHRASES) for _ in range(rng.randrange(1, most + 1))]
    return rng.choice([" ", "\n", ""]).join(parts)


def odd_text(rng: Random) -> str:
    """A short string most of whose characters are odd ones."""
    pieces = [rng.choice(ODD if rng.random() < 0.6 else "ab1 ") for _ in range(rng.randrange(9))]
    return "".join(pieces)
