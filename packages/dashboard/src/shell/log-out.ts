import { apiOf } from '../api/client.ts';
import { type Area, clearSession } from '../api/session.ts';

/** Ends the session on the server and in all tabs. If the server cannot be reached, this browser deletes it anyway. */
export async function logOut(area: Area): Promise<void> {
  try {
    await apiOf({ area, tenantId: null }).POST('/api/v1/auth/logout');
  } catch {
    // An expired token needs no revocation, and without a network nothing more can be done.
  } finally {
    clearSession(area);
  }
}
