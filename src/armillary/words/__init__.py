"""Words: what a text is in a table, and what its neighbours, directions and relations are."""

from armillary.words.analogy import Analogy, analogy
from armillary.words.directions import Direction, direction, direction_of_lists
from armillary.words.ladder import Ladder, ladder
from armillary.words.null import ChanceOfRank, chance
from armillary.words.relation import Relation, relation
from armillary.words.similarity import Similarity, similarity
from armillary.words.word import Pool, Word, read_word

__all__ = [
    "Analogy",
    "ChanceOfRank",
    "Direction",
    "Ladder",
    "Pool",
    "Relation",
    "Similarity",
    "Word",
    "analogy",
    "chance",
    "direction",
    "direction_of_lists",
    "ladder",
    "read_word",
    "relation",
    "similarity",
]
