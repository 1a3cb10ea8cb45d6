/** A login of a holder at one portal. */
export interface HolderSession {
  readonly token: string;
  readonly email: string;
  readonly expires_at: string;
}

const keyOf = (handle: string, name: 'session' | 'login') => `licensing.portal.${handle}.${name}`;

/** What a browser that blocks storage loses with the page. */
const memory = new Map<string, string>();

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
  }
}

/** Returns the session of this tab, without sessions that have ended. */
export function readSession(handle: string): HolderSession | null {
  const text = read(keyOf(handle, 'session'));
  const session: HolderSession | null = text === null ? null : JSON.parse(text);
  return session !== null && Date.parse(session.expires_at) > Date.now() ? session : null;
}

/** Keeps the session for this tab, or forgets it. */
export function storeSession(handle: string, session: HolderSession | null): void {
  write(keyOf(handle, 'session'), session === null ? null : JSON.stringify(session));
}

/** Returns the address to which a code was sent; a phone may unload the page while the person reads the mail. */
export const readPendingEmail = (handle: string): string | null => read(keyOf(handle, 'login'));

/** Keeps the address until the person has entered the code. */
export const storePendingEmail = (handle: string, email: string | null): void => write(keyOf(handle, 'login'), email);
