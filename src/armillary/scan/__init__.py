"""The exact all-pairs engine on plain arrays: it knows no token and no file."""

from __future__ import annotations

from armillary.scan.above import PairBlock as PairBlock
from armillary.scan.above import pairs_above as pairs_above
from armillary.scan.driver import scan as scan
from armillary.scan.moments import even_moments as even_moments
from armillary.scan.nearest import Nearest as Nearest
from armillary.scan.nearest import nearest as nearest
from armillary.scan.result import Histogram as Histogram
from armillary.scan.result import Moments as Moments
from armillary.scan.result import Pair as Pair
from armillary.scan.result import Rows as Rows
from armillary.scan.result import Scan as Scan
from armillary.scan.rows import ArrayRows as ArrayRows
from armillary.scan.tail import upper_tail as upper_tail
