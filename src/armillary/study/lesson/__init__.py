"""What the lesson shows of a real table: fixed questions, each one small document in plain JSON.

The questions have no free parameters, so a live page and an exported folder can answer the same ones. The words they
are about are written for each language, not translated.
"""

from armillary.study.lesson.parts import LANGUAGES, PARTS, lesson_of

__all__ = ["LANGUAGES", "PARTS", "lesson_of"]
