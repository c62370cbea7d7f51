"""Numbers as people read them: three significant digits, a real minus, thousands separated, powers of ten.

A number is never written with more digits than its error allows, and a cosine is never rounded to 1 unless it is 1.
"""

from __future__ import annotations

import math

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = ("bytes", "kB", "MB", "GB", "TB")


def number(value: float | None, digits: int = 3) -> str:
    """`value` to that many significant digits: 0.0120, 12.3, 1,230, 4.10×10⁻⁷; — for None or NaN."""
    if value is None or math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if isinstance(value, int):
        return count(value)
    if value == 0:
        return "0"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")  # rounded first, so that 9.999 is 10.0
    exponent = int(power)
    if not -4 <= exponent < 7:
        return _minus(mantissa) + f"×10{str(exponent).translate(_SUPERSCRIPT)}"
    return _minus(f"{value:,.{max(0, digits - 1 - exponent)}f}")


def number_of_log10(exponent: float, digits: int = 3) -> str:
    """The number 10^exponent, which may be too large for a float: 99,200, 4.10×10¹²⁸."""
    if abs(exponent) < 15:
        return number(10.0**exponent, digits)
    whole = math.floor(exponent)
    mantissa = f"{10.0 ** (exponent - whole):.{digits - 1}f}"
    if mantissa.startswith("10"):  # rounded up to the next power
        whole, mantissa = whole + 1, f"{1:.{digits - 1}f}"
    return f"{mantissa}×10{str(whole).translate(_SUPERSCRIPT)}"


def cosine(value: float | None) -> str:
    """A cosine with three decimals, or with as many as keep it from looking like ±1: 0.870, 0.99996, 1."""
    if value is None or math.isnan(value):
        return "—"
    if abs(value) >= 1:
        return _minus(f"{value:.0f}")
    decimals = 3
    while decimals < 16 and abs(float(f"{value:.{decimals}f}")) >= 1:
        decimals += 1
    text = f"{value:.{decimals}f}"
    return _minus(text) if float(text) else text.lstrip("-")


def count(value: int) -> str:
    """A whole number with its thousands separated: 262,144."""
    return _minus(f"{value:,d}")


def percent(share: float | None, digits: int = 3) -> str:
    """A share as a percentage: 0.6258 is 62.6 %."""
    return "—" if share is None or math.isnan(share) else f"{number(100.0 * share, digits)} %"


def ratio(value: float) -> str:
    """A factor: 3.20 times."""
    return f"{number(value)} times"


def interval(value: float, error: float | None) -> str:
    """A value with its error, cut where the error starts to speak: 0.2046 ± 0.0003."""
    if not error or not math.isfinite(error) or not math.isfinite(value):
        return number(value)
    decimals = max(0, -math.floor(math.log10(error)))
    if decimals > 5:
        return f"{number(value)} ± {number(error, 1)}"
    return f"{_minus(f'{value:,.{decimals}f}')} ± {error:.{decimals}f}"


def seconds(value: float) -> str:
    """A duration: 40 ms, 3.2 s, 95 s, 12 min 5 s, 2 h 10 min."""
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 99.95:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(n_bytes: int) -> str:
    """A size in decimal units: 65,536 bytes, 335 MB."""
    value, unit = float(n_bytes), 0
    if n_bytes < 100_000:
        return f"{n_bytes:,} bytes"
    while value >= 1000 and unit < len(_SIZES) - 1:
        value, unit = value / 1000, unit + 1
    return f"{number(value)} {_SIZES[unit]}"


def _minus(text: str) -> str:
    return text.replace("-", "−")
