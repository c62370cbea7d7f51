// The whole view state lives in the address, readable: #/sphere?token=9615&space=raw&lang=zh-CN. The back button walks
// it. Nothing is kept anywhere else but the chosen language and theme.

export const ROOMS = ['atlas', 'sphere', 'words', 'isotropy', 'health', 'lens', 'learn'] as const;
export type Room = (typeof ROOMS)[number];

export interface Address {
  room: Room;
  query: Record<string, string>;
}

/** The address that a hash spells; an unknown room is the first. */
export function parseAddress(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const room = ROOMS.find((r) => r === path) ?? 'atlas';
  return { room, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The hash that spells an address; keys in alphabetical order, empty values left out. */
export function formatAddress({ room, query }: Address): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(kept.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return `#/${room}${search ? `?${search}` : ''}`;
}

class AddressState {
  current = $state<Address>(parseAddress(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.current = parseAddress(location.hash)));
  }

  get room(): Room {
    return this.current.room;
  }

  get(key: string): string | undefined {
    return this.current.query[key];
  }

  /** Goes somewhere; keys set to '' are removed, others kept. `replace` leaves no step for the back button. */
  go(change: Partial<{ room: Room } & Record<string, string>>, replace = false): void {
    const { room, ...query } = change;
    const merged = { ...this.current.query, ...(query as Record<string, string>) };
    const next = formatAddress({ room: room ?? this.current.room, query: merged });
    if (next === location.hash) return; // already there: what was asked goes on
    if (replace) history.replaceState(null, '', next);
    else history.pushState(null, '', next);
    this.current = parseAddress(next);
  }
}

export const address = new AddressState();
addEventListener('popstate', () => (address.current = parseAddress(location.hash)));
