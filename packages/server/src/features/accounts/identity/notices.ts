import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { MailServices } from '../../../services.ts';

/** A user or an admin. Admins have proven their address by their invitation. */
interface Notified {
  readonly email: string;
  readonly email_verified_at?: Timestamp | null;
}

/**
 * Returns whether a security notice is mailed to a person, in the caller's transaction. A proven address gets every one:
 * a thief must not be able to silence them. The mailbox of an unproven address may belong to a stranger, so it gets few.
 */
export async function admitsNotice(
  { mail }: MailServices,
  tx: PlatformTransaction,
  { email, email_verified_at }: Notified,
): Promise<boolean> {
  return email_verified_at !== null || (await mail.admit(tx, { kind: 'unverified_account', to: email }));
}
