import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { Services } from '../../../services.ts';
import {
  deleteMailLinksOf,
  findMailLinkOwner,
  type MailLinkPurpose,
  takeMailLink,
  upsertMailLinks,
} from './mail-link-queries.ts';

const lifetimeSeconds = 3_600;

/** Links that were just made. A token exists nowhere but in the mail that it is put into. */
export interface IssuedLinks {
  readonly tokens: Readonly<Record<MailLinkPurpose, string>>;
  readonly expiresAt: Timestamp;
}

/** A user, and what a mail proves about the mailbox when its link is followed. */
export interface LinkRequest {
  readonly userId: string;
  readonly purposes: readonly MailLinkPurpose[];
}

/**
 * Makes links of a user that work once, for 60 minutes, in place of those of the same purposes, in the caller's
 * transaction. Without a request it does as much work and makes none, so that the time does not tell. Tokens that were
 * not asked for lead nowhere.
 */
export async function issueMailLinks(
  { keyring }: Pick<Services, 'keyring'>,
  tx: PlatformTransaction,
  request: LinkRequest | null,
  at: Timestamp,
): Promise<IssuedLinks> {
  const tokens = { verify_email: newToken(), reset_password: newToken() };
  const expiresAt = addSeconds(at, lifetimeSeconds);
  if (request === null) {
    // Nobody has this id, and nobody's links are ended.
    await takeMailLink(tx, { userId: '', purpose: 'verify_email', tokenHashes: hashesOf(keyring, newToken()) }, at);
    return { tokens, expiresAt };
  }
  const rows = request.purposes.map((purpose) => {
    const token_hash = keyring.hash(tokens[purpose]);
    return { user_id: request.userId, purpose, token_hash, created_at: at, expires_at: expiresAt };
  });
  await upsertMailLinks(tx, rows);
  return { tokens, expiresAt };
}

/** Whose link a token is of, while it works. Throws 422 `AUTH.LINK_INVALID`. */
export async function ownerOfMailLink(
  { clock, keyring, platform }: Pick<Services, 'clock' | 'keyring' | 'platform'>,
  purpose: MailLinkPurpose,
  token: string,
): Promise<string> {
  const owner = await findMailLinkOwner(platform, purpose, hashesOf(keyring, token), clock.now());
  if (owner === undefined) throw linkInvalid();
  return owner;
}

/** Uses a user's link up. Throws 422 `AUTH.LINK_INVALID` when it was used, superseded or is over, or is another's. */
export async function useMailLink(
  { keyring }: Pick<Services, 'keyring'>,
  tx: PlatformTransaction,
  link: { readonly userId: string; readonly purpose: MailLinkPurpose; readonly token: string },
  at: Timestamp,
): Promise<void> {
  const { token, ...rest } = link;
  if (!(await takeMailLink(tx, { ...rest, tokenHashes: hashesOf(keyring, token) }, at))) throw linkInvalid();
}

/** Ends every link that was mailed to a user, in the caller's transaction. */
export function endMailLinks(tx: PlatformTransaction, userId: string): Promise<void> {
  return deleteMailLinksOf(tx, userId);
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashesOf(keyring: Keyring, token: string): readonly string[] {
  return [keyring.hash(token), ...keyring.previousHashes(token)];
}

export function linkInvalid(): AppError {
  return new AppError('AUTH.LINK_INVALID', 'This link was used, replaced or has expired. Ask for a new one.');
}
