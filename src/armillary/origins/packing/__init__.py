"""Sphere packing: how far apart V directions in d dimensions can lie, and whether descent finds it."""

from armillary.origins.packing.beside import closest_distinct
from armillary.origins.packing.frontier import Frontier, FrontierPoint, frontier
from armillary.origins.packing.known import best_known_cosine
from armillary.origins.packing.pack import pack
from armillary.origins.packing.packing import Packing, Start

__all__ = ["Frontier", "FrontierPoint", "Packing", "Start", "best_known_cosine", "closest_distinct", "frontier", "pack"]
