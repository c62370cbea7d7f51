// How the page asks. Live, the server answers under api/; in an exported folder the same names are files under data/.
// The token from the printed address is sent as a header and kept only in this tab.

import { unpack, type Pack } from './pack';

export class Failure extends Error {}

const KEY = 'armillary.token';

function token(): string {
  const fromAddress = new URLSearchParams(location.search).get('token');
  if (fromAddress) {
    sessionStorage.setItem(KEY, fromAddress);
    history.replaceState(null, '', location.pathname + location.hash); // the secret leaves the address bar at once
  }
  return sessionStorage.getItem(KEY) ?? '';
}

const TOKEN = token();

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, { ...init, headers: { ...init.headers, 'X-Armillary-Token': TOKEN } });
  } catch {
    throw new Failure('offline');
  }
  if (!response.ok) {
    const body = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Failure(body.message ?? `${response.status}`);
  }
  return response;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, signal ? { signal } : {})).json() as Promise<T>;
}

export async function getPack(path: string, signal?: AbortSignal): Promise<Pack> {
  return unpack(await (await ask(path, signal ? { signal } : {})).arrayBuffer());
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await ask(path, init)).json() as Promise<T>;
}

export async function remove(path: string): Promise<void> {
  await ask(path, { method: 'DELETE' });
}
