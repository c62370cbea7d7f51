"""Formats: a file or a folder on disk becomes a Table. One file per format, known layouts as data.

`open_table` decides by content, never by name. Adding a format is one file here and one line in `registry.py`.
"""

from armillary.formats.convert import convert
from armillary.formats.hub import bring, is_hub_name
from armillary.formats.opener import open_table
from armillary.formats.source import Format, Request, Role, Source
from armillary.formats.write import write_safetensors

__all__ = ["Format", "Request", "Role", "Source", "bring", "convert", "is_hub_name", "open_table", "write_safetensors"]
