# To the type checker these packages are Any: they declare no types, or so many that reading them takes half a minute.
from typing import Any

def __getattr__(name: str) -> Any: ...
