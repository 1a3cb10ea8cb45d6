import type { Credentials } from '../../api/identity.ts';
import type { Area } from '../../api/session.ts';

/** A login with a correct password that still needs a code. */
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

/** Stores the login that waits for a code; null deletes it. */
export function setPendingLogin(login: PendingLogin | null): void {
  pending = login;
}
