"""The words that the lesson asks about, in each language its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Examples:
    """`three`: two that belong together and one that does not. `analogies`: (base, minus, plus, expected).

    `pairs`: (near, near), (near, far) pairs that share their first word. `ambiguous`: a word, and two sentences in
    which it does not mean the same. `order`: three words that make sense in either order. `prompt`: a text to go on with.
    """

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
        sentence="the cat sat by the river",
        three=("cat", "dog", "economics"),
        words=("river", "king", "green", "seven", "France", "bread", "walk", "happy"),
        analogies=(
            ("king", "man", "woman", "queen"),
            ("Paris", "France", "Japan", "Tokyo"),
            ("bigger", "big", "small", "smaller"),
        ),
        pairs=(("cat", "dog"), ("cat", "economics"), ("river", "stream"), ("river", "justice")),
        ambiguous="bank",
        contexts=("We had lunch on the bank of the river.", "The bank raised its interest rates again."),
        order=("dog", "bites", "man"),
        prompt="The capital of France is",
    ),
    "zh": Examples(
        sentence="日在天上月在水中",
        three=("猫", "狗", "经济学"),
        words=("河", "山", "火", "七", "女", "书", "走", "国王", "中国", "米饭"),
        analogies=(
            ("国王", "男", "女", "王后"),
            ("北京", "中国", "日本", "东京"),
            ("父", "男", "女", "母"),
        ),
        pairs=(("猫", "狗"), ("猫", "经济学"), ("河", "江"), ("河", "法律")),
        ambiguous="苹果",
        contexts=("她削了一个苹果，分给两个孩子。", "苹果今天发布了一款新手机。"),
        order=("猫", "追", "狗"),
        prompt="白日依山尽，黄河入海",
    ),
}
