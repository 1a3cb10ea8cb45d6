import type { Credentials } from '../../api/identity.ts';
import type { Area } from '../../api/session.ts';

/** A login whose password was right and whose code is missing. */
interface PendingLogin {
  readonly area: Area;
  readonly credentials: Credentials;
}

/** Kept in memory only: a password must not be in the storage or the URL. After a reload the person starts again. */
let pending: PendingLogin | null = null;

/** Returns the login that waits for a code. */
export function pendingLogin(): PendingLogin | null {
  return pending;
}

/** Remembers the login that waits for a code; null forgets it. */
export function setPendingLogin(login: PendingLogin | null): void {
  pending = login;
}
