"""The words that the lesson asks about, in each language its own.

Chinese has two sets: of words, for a table that holds words, and of single characters, for the many tables that spell
a Chinese word byte by byte. There the mean of the pieces would stand for the word, and show the pieces, not the word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armillary.table import Table


@dataclass(frozen=True)
class Examples:
    """`three`: two that belong together and one that does not. `analogies`: (base, minus, plus, expected).

    `pairs`: (near, near), (near, far) pairs that share their first word. `ambiguous`: a word, and two sentences in
    which it does not mean the same. `order`: three words that make sense in either order. `prompt`: a text to go on with.
    """

    language: str
    sentence: str
    three: tuple[str, str, str]
    words: tuple[str, ...]
    analogies: tuple[tuple[str, str, str, str], ...]
    pairs: tuple[tuple[str, str], ...]
    ambiguous: str
    contexts: tuple[str, str]
    order: tuple[str, ...]
    prompt: str


EXAMPLES: Mapping[str, Examples] = {
    "en": Examples(
        language="en",
        sentence="the cat sat by the river",
        three=("cat", "dog", "economy"),
        words=("river", "king", "green", "seven", "France", "bread", "walk", "happy"),
        analogies=(
            ("king", "man", "woman", "queen"),
            ("Paris", "France", "Japan", "Tokyo"),
            ("bigger", "big", "small", "smaller"),
        ),
        pairs=(("cat", "dog"), ("cat", "economy"), ("river", "stream"), ("river", "justice")),
        ambiguous="bank",
        contexts=("We had lunch on the bank of the river.", "The bank raised its interest rates again."),
        order=("dog", "bites", "man"),
        prompt="The capital of France is",
    ),
    "zh": Examples(
        language="zh",
        sentence="日在天上月在水中",
        three=("猫", "狗", "经济"),
        words=("河", "山", "火", "七", "女", "书", "国王", "中国", "音乐", "快乐"),
        analogies=(
            ("国王", "男人", "女人", "王后"),
            ("北京", "中国", "日本", "东京"),
            ("上", "开", "关", "下"),
        ),
        pairs=(("猫", "狗"), ("猫", "经济"), ("河", "湖"), ("河", "校")),
        ambiguous="苹果",
        contexts=("她削了一个苹果，分给两个孩子。", "苹果今天发布了一款新手机。"),
        order=("我", "想", "你"),
        prompt="白日依山尽，黄河入海",
    ),
}
CHARACTERS = Examples(
    language="zh",
    sentence="日在天上月在水中",
    three=("河", "湖", "校"),
    words=("河", "山", "火", "七", "女", "书", "食", "春"),
    analogies=(("上", "开", "关", "下"), ("书", "東", "东", "書"), ("王", "男", "女", "后")),
    pairs=(("河", "湖"), ("河", "校"), ("左", "右"), ("左", "茶")),
    ambiguous="会",
    contexts=("明天会下雨。", "下午三点开会。"),
    order=("我", "想", "你"),
    prompt="白日依山尽，黄河入海",
)


def examples_of(table: Table, language: str) -> Examples:
    """The examples of a language for this table: of Chinese words where it holds them as rows, else of characters."""
    from armillary.words.word import try_word

    words = EXAMPLES[language]
    asked = (*words.three[:2], words.ambiguous)
    whole = language != "zh" or all(try_word(table, text, "single") is not None for text in asked)
    return words if whole else CHARACTERS
