// The vocabulary of an exported folder: every token's text, name, bytes and kind, and the search over them.

import type { TokenView } from '../api/types';
import { json } from './files';

interface Shipped {
  text: string[];
  name: string[];
  bytes: string[];
  kind: TokenView['kind'][];
}

export class Vocabulary {
  private byBytes: Map<string, number[]> | undefined;

  constructor(private readonly shipped: Shipped) {}

  get size(): number {
    return this.shipped.text.length;
  }

  token(id: number): TokenView {
    const { text, name, bytes, kind } = this.shipped;
    return { id, text: text[id]!, name: name[id]!, bytes: bytes[id]!, kind: kind[id]! };
  }

  /** Ids whose bytes are these (hex), ascending. */
  private ids(hex: string): number[] {
    if (!this.byBytes) {
      this.byBytes = new Map();
      this.shipped.bytes.forEach((bytes, id) => {
        if (this.shipped.kind[id] === 'no-token') return;
        const same = this.byBytes!.get(bytes);
        if (same) same.push(id);
        else this.byBytes!.set(bytes, [id]);
      });
    }
    return this.byBytes.get(hex) ?? [];
  }

  /** All ids that spell a text: with a leading space first, then without, then by the vocabulary's own name. */
  find(text: string): number[] {
    const hex = hexOf(text);
    const named = this.shipped.name.flatMap((name, id) => (name === text && this.shipped.kind[id] !== 'no-token' ? [id] : []));
    return [...new Set([...this.ids(`20${hex}`), ...this.ids(hex), ...named, ...this.ids(hexOf(text.replaceAll('▁', ' ')))])];
  }

  /** The one row a word stands for, leading space first; null where no single token does. `#123` names a row. */
  word(text: string): number | null {
    if (/^#\d+$/.test(text)) return Number(text.slice(1)) < this.size ? Number(text.slice(1)) : null;
    return this.find(text)[0] ?? null;
  }

  /** Tokens that a text, an id or bytes may mean, at most `limit`. */
  search(text: string, limit = 12): number[] {
    const bytes = /^(?:\\x[0-9A-Fa-f]{2})+$/.test(text) ? text.replaceAll('\\x', '').toLowerCase() : null;
    const found = bytes === null ? this.find(text) : this.ids(bytes);
    if (/^\d+$/.test(text) && Number(text) < this.size) found.push(Number(text));
    const start = bytes ?? hexOf(text);
    for (let id = 0; id < this.size && found.length < 4 * limit; id++) {
      const own = this.shipped.bytes[id]!;
      if (start && (own.startsWith(start) || (bytes === null && own.startsWith(`20${start}`))) && this.shipped.kind[id] !== 'no-token') found.push(id);
    }
    return [...new Set(found)].slice(0, limit);
  }
}

export function hexOf(text: string): string {
  return [...new TextEncoder().encode(text)].map((b) => b.toString(16).padStart(2, '0')).join('');
}

let kept: Promise<Vocabulary> | undefined;

export function vocabulary(): Promise<Vocabulary> {
  kept ??= json<Shipped>('tokens').then((shipped) => new Vocabulary(shipped));
  kept.catch(() => (kept = undefined));
  return kept;
}
