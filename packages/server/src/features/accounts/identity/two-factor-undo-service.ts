import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { twoFactorUndoneMail } from '../../../mail/templates/account.ts';
import type { MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { lockSubject, updateUserRow } from './account-queries.ts';
import { endMailLinks, issueMailLinks, linkInvalid } from './mail-link-service.ts';
import { recordTwoFactor } from './second-factor-service.ts';
import type { Origin } from './service.ts';
import { endSessions } from './session-service.ts';
import { deleteRecoveryCodes, deleteTwoFactor, findTwoFactor } from './two-factor-queries.ts';

/** The days for which a user can undo that two-factor authentication was turned on. */
export const twoFactorUndoDays = 7;

const purpose = 'undo two-factor';

/** The confirmed app that a link removes, and the address that got the link. */
interface Undoable {
  readonly userId: string;
  readonly email: string;
  readonly enabledAt: Timestamp;
}

/**
 * Returns the token of the link that undoes the confirmation of an app. It is encrypted and authenticated under the
 * application key and works for this app only, so that no row stores it.
 */
export function twoFactorUndoToken(keyring: Keyring, { userId, email, enabledAt }: Undoable): string {
  return keyring.seal(JSON.stringify([purpose, userId, email, enabledAt]));
}

function readToken(keyring: Keyring, token: string): Undoable {
  try {
    const [kind, userId, email, enabledAt] = JSON.parse(keyring.open(token)) as string[];
    if (kind === purpose && userId && email && enabledAt) return { userId, email, enabledAt };
  } catch {
    // Not a token of this service, or of an application key that was removed.
  }
  throw linkInvalid();
}

/**
 * Turns two-factor authentication off for a user who did not turn it on, with the token of the mailed link. The account
 * may be stolen: every session ends, the password stops working, and the address gets a link to choose a new one.
 * Returns the address. Throws 422 `AUTH.LINK_INVALID` if the link was used, is older than 7 days, or the account has
 * another address by now; the link that undoes the change of the address then ends this factor too.
 */
export async function undoTwoFactor(services: MailServices, token: string, origin: Origin): Promise<string> {
  const undoable = readToken(services.keyring, token);
  await services.platform.transaction((tx) => applyUndo(services, tx, undoable, origin));
  services.mail.kick();
  return undoable.email;
}

async function applyUndo(
  services: MailServices,
  tx: PlatformTransaction,
  { userId, email, enabledAt }: Undoable,
  origin: Origin,
): Promise<void> {
  const name = { ability: 'tenant', id: userId } as const;
  const user = await lockSubject(tx, 'tenant', 'id', userId);
  if (user === undefined || user.disabled_at !== null || user.email !== email) throw linkInvalid();
  const at = services.clock.now();
  const app = await findTwoFactor(tx, name);
  if (app?.confirmed_at !== enabledAt || addDays(enabledAt, twoFactorUndoDays) <= at) throw linkInvalid();
  await deleteRecoveryCodes(tx, name);
  await deleteTwoFactor(tx, name);
  await updateUserRow(tx, userId, { password_hash: null, updated_at: at });
  await endMailLinks(tx, userId);
  await endSessions(tx, name);
  const actor: Actor = { type: 'user', id: userId, ...origin };
  await recordTwoFactor(services, tx, name, 'TWO_FACTOR_RESET', actor);
  const links = await issueMailLinks(services, tx, { userId, purposes: ['reset_password'] }, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, twoFactorUndoneMail({ ...links, to: email, publicUrl }));
}
