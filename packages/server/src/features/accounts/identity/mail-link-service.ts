import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { Services } from '../../../services.ts';
import { takePendingEmailChange } from './email-change-queries.ts';
import {
  deleteMailLinksOf,
  findMailLinkOwner,
  type MailLinkPurpose,
  takeMailLink,
  upsertMailLinks,
} from './mail-link-queries.ts';

const lifetimeSeconds = 3_600;

/** New links. Only the mail contains the token of a link; the database stores its hash. */
export interface IssuedLinks {
  readonly tokens: Readonly<Record<MailLinkPurpose, string>>;
  readonly expiresAt: Timestamp;
}

/** The user and the purposes for which links are requested. */
export interface LinkRequest {
  readonly userId: string;
  readonly purposes: readonly MailLinkPurpose[];
}

/**
 * Creates links of a user that work once, for 60 minutes, and replace the user's previous links of the same purposes,
 * in the caller's transaction. A null request creates no links but does the same work, so that the response time does
 * not reveal whether the user exists. The tokens of purposes that were not requested are not stored and do not work.
 */
export async function issueMailLinks(
  { keyring }: Pick<Services, 'keyring'>,
  tx: PlatformTransaction,
  request: LinkRequest | null,
  at: Timestamp,
): Promise<IssuedLinks> {
  const tokens = { verify_email: newLinkToken(), reset_password: newLinkToken() };
  const expiresAt = addSeconds(at, lifetimeSeconds);
  if (request === null) {
    // No user has an empty id, so this deletes nothing.
    await takeMailLink(
      tx,
      { userId: '', purpose: 'verify_email', tokenHashes: linkHashes(keyring, newLinkToken()) },
      at,
    );
    return { tokens, expiresAt };
  }
  const rows = request.purposes.map((purpose) => {
    const token_hash = keyring.hash(tokens[purpose]);
    return { user_id: request.userId, purpose, token_hash, created_at: at, expires_at: expiresAt };
  });
  await upsertMailLinks(tx, rows);
  return { tokens, expiresAt };
}

/** Returns the id of the user to whom the link of a token belongs. Throws 422 `AUTH.LINK_INVALID`. */
export async function ownerOfMailLink(
  { clock, keyring, platform }: Pick<Services, 'clock' | 'keyring' | 'platform'>,
  purpose: MailLinkPurpose,
  token: string,
): Promise<string> {
  const owner = await findMailLinkOwner(platform, purpose, linkHashes(keyring, token), clock.now());
  if (owner === undefined) throw linkInvalid();
  return owner;
}

/**
 * Uses up a user's link, in the caller's transaction. Throws 422 `AUTH.LINK_INVALID` if the link was used or replaced,
 * has expired, or belongs to another user.
 */
export async function useMailLink(
  { keyring }: Pick<Services, 'keyring'>,
  tx: PlatformTransaction,
  link: { readonly userId: string; readonly purpose: MailLinkPurpose; readonly token: string },
  at: Timestamp,
): Promise<void> {
  const { token, ...rest } = link;
  if (!(await takeMailLink(tx, { ...rest, tokenHashes: linkHashes(keyring, token) }, at))) throw linkInvalid();
}

/**
 * Invalidates every link that was mailed to a user, in the caller's transaction, and cancels a pending change of the
 * address. Confirmed changes can still be reverted, because the one who ends the links may have stolen the account.
 */
export async function endMailLinks(tx: PlatformTransaction, userId: string): Promise<void> {
  await deleteMailLinksOf(tx, userId);
  await takePendingEmailChange(tx, userId);
}

/** Creates the token of a mailed link: 256 random bits. */
export function newLinkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hashes under which the token of a link may be stored: of the current and of each previous key. */
export function linkHashes(keyring: Keyring, token: string): readonly string[] {
  return [keyring.hash(token), ...keyring.previousHashes(token)];
}

/** Returns the same error for a link that was used, was replaced, has expired or is unknown. */
export function linkInvalid(): AppError {
  return new AppError(
    'AUTH.LINK_INVALID',
    'This link was already used, was replaced or has expired. Request a new link.',
  );
}
