// Numbers as the page writes them: three significant digits, ranks whole, thousands separated.

import type { MeasureValue } from '../api/types';

/** m·10ⁿ as people write it, 2.78×10⁻⁸⁰. */
export function scientific(mantissa: number, power: number, digits = 3): string {
  const raised = String(power).replace(/[-\d]/g, (sign) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(sign)]!);
  return `${mantissa.toFixed(digits - 1)}×10${raised}`.replace('-', '−');
}

/** Three significant digits; a leading zero is kept, −0 is 0. */
export function short(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [digit, power] = value.toExponential(digits - 1).split('e');
    return scientific(Number(digit), Number(power), digits);
  }
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
  return short(value).replace(/(\.\d*?)0+(?=×|$)/, '$1').replace(/\.(?=×|$)/, '').replace(/^1×/, '');
}

/** A measure with its unit; near 1 with as many digits as tell it from 1. */
export function measured({ name, value, unit }: MeasureValue): string {
  if (value === null) return '–';
  if (name.endsWith('_share')) return percent(value);
  const whole = Number.isInteger(value) && Math.abs(value) < 1e7;
  const text = whole ? count(value) : short(value, value > 0.99 && value < 1 ? 5 : 3);
  if (unit === '°' || unit === 'degrees') return `${text}°`;
  return text;
}
