// The files of an exported folder: data/NAME.json and data/NAME.bin, each read once.

import { Failure } from '../api/client';
import { unpack, type Pack } from '../api/pack';

/** The file that answers a question: `ladder?language=en` is data/ladder-language-en. */
export function fileName(path: string): string {
  return `data/${path.replace(/[?&=]/g, '-')}`;
}

const texts = new Map<string, Promise<unknown>>();
const packs = new Map<string, Promise<Pack>>();

async function read(name: string): Promise<Response> {
  const response = await fetch(name).catch(() => null);
  if (!response?.ok) throw new Failure('this exported page does not hold the answer; the live page (armillary serve) does');
  return response;
}

function once<T>(kept: Map<string, Promise<T>>, name: string, ask: () => Promise<T>): Promise<T> {
  let answer = kept.get(name);
  if (!answer) {
    answer = ask();
    kept.set(name, answer);
    answer.catch(() => kept.delete(name)); // a failure may be asked again
  }
  return answer;
}

export function json<T>(path: string): Promise<T> {
  const name = `${fileName(path)}.json`;
  return once(texts, name, async () => (await read(name)).json()) as Promise<T>;
}

export function pack(path: string): Promise<Pack> {
  const name = `${fileName(path)}.bin`;
  return once(packs, name, async () => unpack(await (await read(name)).arrayBuffer()));
}
