// Numbers as the page writes them: three significant digits, ranks whole, thousands separated.

/** Three significant digits; a leading zero is kept, −0 is 0. */
export function short(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace('e+', 'e').replace('-', '−');
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(decimals).replace('-', '−');
}

/** A count with thousands separated by commas. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share as a percentage with three significant digits, never 100 % unless it is all. */
export function percent(share: number): string {
  if (share < 1 && share > 0.9995) return `${(Math.floor(share * 1e6) / 1e4).toString()} %`;
  return `${short(share * 100)} %`;
}

/** A value on an axis: thousands separated, no zeros that say nothing. */
export function tick(value: number): string {
  if (Math.abs(value) >= 1000 && Math.abs(value) < 1e6) return count(value);
  return short(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}
