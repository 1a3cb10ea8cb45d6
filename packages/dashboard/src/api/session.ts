import { useSyncExternalStore } from 'react';

/** Whose session: a tenant user's or an admin's. Each area has its own. */
export type Area = 'tenant' | 'admin';

/** The login of one area. Other tabs see it through the storage. */
export interface Session {
  readonly token: string;
  readonly expiresAt: string;
}

const keyOf = (area: Area) => `licensing.${area}-session`;
const tenantKey = 'licensing.tenant-id';
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

// The event reports changes of other tabs only.
window.addEventListener('storage', notify);

/** The parsed sessions by their stored text, so that a snapshot keeps its identity while nothing changes. */
const parsed = new Map<Area, { readonly text: string; readonly session: Session | null }>();

function parse(text: string): Session | null {
  try {
    const session: Session = JSON.parse(text);
    return typeof session.token === 'string' && Date.parse(session.expiresAt) > Date.now() ? session : null;
  } catch {
    return null;
  }
}

/** Returns the session of an area, or null if nobody is logged in or the session has expired. */
export function readSession(area: Area): Session | null {
  const text = localStorage.getItem(keyOf(area));
  if (text === null) return null;
  const known = parsed.get(area);
  if (known?.text === text) return known.session;
  const session = parse(text);
  parsed.set(area, { text, session });
  return session;
}

/** The area whose session the service ended while somebody worked, until that person logs in or leaves. */
let expiredArea: Area | null = null;

/** Returns whether the service ended the session of an area, so that the same person may log in again where they are. */
export function hasExpired(area: Area): boolean {
  return expiredArea === area;
}

/** Deletes a session that the service has ended. The tenant stays chosen for the login that follows. */
export function expireSession(area: Area): void {
  expiredArea = area;
  localStorage.removeItem(keyOf(area));
  notify();
}

/** Stores the session that a login returned. All tabs use it. */
export function writeSession(area: Area, session: Session): void {
  expiredArea = null;
  localStorage.setItem(keyOf(area), JSON.stringify({ token: session.token, expiresAt: session.expiresAt }));
  notify();
}

/** Deletes the session of an area in all tabs. */
export function clearSession(area: Area): void {
  expiredArea = null;
  localStorage.removeItem(keyOf(area));
  if (area === 'tenant') selectTenant(null);
  notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session of an area, and renders again when any tab logs in or out. */
export function useSession(area: Area): Session | null {
  return useSyncExternalStore(subscribe, () => readSession(area));
}

/** Returns the tenant that this tab works in. A new tab starts with the tenant that was chosen last. */
export function selectedTenantId(): string | null {
  return sessionStorage.getItem(tenantKey) ?? localStorage.getItem(tenantKey);
}

/** Chooses the tenant of this tab and of tabs that are opened later. Other open tabs keep theirs. */
export function selectTenant(tenantId: string | null): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (tenantId === null) storage.removeItem(tenantKey);
    else storage.setItem(tenantKey, tenantId);
  }
  notify();
}

/** Returns the chosen tenant, and renders again when the choice of this tab changes. */
export function useSelectedTenantId(): string | null {
  return useSyncExternalStore(subscribe, selectedTenantId);
}
