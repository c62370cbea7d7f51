"""Repairs: a table becomes a rounder one, and the map that did it is kept for vectors that come later.

`fit` reads the cloud of a code, one or two passes over its rows, and returns a `Repair`; a repair maps vectors,
tables and files of its own. What a repair bought and what it cost is measured in `study`.
"""

from armillary.repairs.apply import RepairedRows, held_in_memory, repaired_table
from armillary.repairs.contrastive import Contrastive, Training, groups_of, train
from armillary.repairs.filters import Filters, filters
from armillary.repairs.fitting import METHODS, Method, fit, fit_cloud
from armillary.repairs.pairs import neighbour_pairs, read_pairs, variant_pairs
from armillary.repairs.plan import WAYS, Change, Plan, read_plan
from armillary.repairs.repair import Layer, Repair
from armillary.repairs.replaced import changed_table, made_rows
from armillary.repairs.saving import load_repair, save_repair

__all__ = [
    "METHODS",
    "WAYS",
    "Change",
    "Contrastive",
    "Filters",
    "Layer",
    "Method",
    "Plan",
    "Repair",
    "RepairedRows",
    "Training",
    "changed_table",
    "filters",
    "fit",
    "fit_cloud",
    "groups_of",
    "held_in_memory",
    "load_repair",
    "made_rows",
    "neighbour_pairs",
    "read_pairs",
    "read_plan",
    "repaired_table",
    "save_repair",
    "train",
    "variant_pairs",
]
