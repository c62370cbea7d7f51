// What a step remembers lives in the address, under keys that begin with `l_`, so that a reader can send exactly what
// they see. Leaving a step or resetting it takes these keys away.

import { address } from '../state/address.svelte';

const PREFIX = 'l_';

/** A number in the address; `start` where the address has none. */
export class Kept {
  constructor(
    private readonly key: string,
    private readonly start: number,
  ) {}

  /** Derived, so that another key of the address wakes nobody who reads this one. */
  private readonly kept: number = $derived.by(() => {
    const found = Number(address.get(PREFIX + this.key) ?? NaN);
    return Number.isFinite(found) ? found : this.start;
  });

  get value(): number {
    return this.kept;
  }

  set value(wanted: number) {
    address.go({ [PREFIX + this.key]: wanted === this.start ? '' : String(wanted) }, true);
  }
}

/** A word in the address. */
export class KeptText {
  constructor(
    private readonly key: string,
    private readonly start = '',
  ) {}

  private readonly kept: string = $derived.by(() => address.get(PREFIX + this.key) ?? this.start);

  get value(): string {
    return this.kept;
  }

  set value(wanted: string) {
    address.go({ [PREFIX + this.key]: wanted === this.start ? '' : wanted }, true);
  }
}

/** The changes to an address that forget everything a step has kept. */
export function forgotten(): Record<string, string> {
  const keys = Object.keys(address.current.query).filter((key) => key.startsWith(PREFIX));
  return Object.fromEntries(keys.map((key) => [key, '']));
}
