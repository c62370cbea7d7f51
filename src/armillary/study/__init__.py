"""The one composition: open a model's table, normalise, scan, measure, report; and the cache of finished scans."""

from armillary.study.comparing import compare
from armillary.study.opening import open_study as open
from armillary.study.study import Study

__all__ = ["Study", "compare", "open"]
