"""The sphere: rows of a table as directions, and the cloud they form before they are normalised."""

from armillary.sphere.cloud import Cloud, cloud
from armillary.sphere.code import BLOCK_ROWS, Code

__all__ = ["BLOCK_ROWS", "Cloud", "Code", "cloud"]
