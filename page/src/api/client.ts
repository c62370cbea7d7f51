// How the page asks. Live, the server answers under api/; an exported folder answers the same questions from its files.
// The token from the printed address is sent as a header and kept only in this tab.

import { unpack, type Pack } from './pack';

export class Failure extends Error {}

const KEY = 'armillary.token';

/** Whether this page was exported: there is no server to ask, only the files beside it. */
export const EXPORTED = document.documentElement.dataset.source === 'folder';

function token(): string {
  const fromAddress = new URLSearchParams(location.search).get('token');
  if (fromAddress) {
    sessionStorage.setItem(KEY, fromAddress);
    history.replaceState(null, '', location.pathname + location.hash); // the secret leaves the address bar at once
  }
  return sessionStorage.getItem(KEY) ?? '';
}

const TOKEN = EXPORTED ? '' : token();

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, { ...init, headers: { ...init.headers, 'X-Armillary-Token': TOKEN } });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Failure('the server does not answer; is armillary serve still running?');
  }
  if (!response.ok) {
    const body = (await response.json().catch(() => ({}))) as { message?: string; cure?: string };
    throw new Failure([body.message ?? `${response.status}`, body.cure].filter(Boolean).join(' · '));
  }
  return response;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (EXPORTED) return (await import('../folder/answers')).getJson<T>(path);
  return (await ask(path, signal ? { signal } : {})).json() as Promise<T>;
}

export async function getPack(path: string, signal?: AbortSignal): Promise<Pack> {
  if (EXPORTED) return (await import('../folder/files')).pack(path);
  return unpack(await (await ask(path, signal ? { signal } : {})).arrayBuffer());
}

function posted(body: unknown, signal?: AbortSignal): RequestInit {
  const headers = { 'Content-Type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) };
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  if (EXPORTED) return (await import('../folder/answers')).postJson<T>(path, body);
  return (await ask(path, posted(body, signal))).json() as Promise<T>;
}

export async function postForPack(path: string, body: unknown, signal?: AbortSignal): Promise<Pack> {
  if (EXPORTED) return (await import('../folder/answers')).postForPack(path, body);
  return unpack(await (await ask(path, posted(body, signal))).arrayBuffer());
}

export async function remove(path: string): Promise<void> {
  await ask(path, { method: 'DELETE' });
}
