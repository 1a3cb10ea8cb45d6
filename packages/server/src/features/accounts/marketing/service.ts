import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import { addDays } from '../../../lib/duration.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { confirmSubscriptionMail } from '../../../mail/templates/confirm-subscription.ts';
import type { ClockServices, MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { confirmRequest, deleteSubscriber, insertWithdrawal, isTokenUsed, upsertRequest } from './queries.ts';
import { newUnsubscribeToken, unsubscribeTokenHash } from './unsubscribe-token.ts';

/** The number of days after which an unconfirmed request expires and is deleted. */
const confirmationDays = 7;

/**
 * Mails a link with which the recipient gives consent to the news. A confirmed address gets no mail. The work is the
 * same in both cases, so that the response time does not reveal whether an address is subscribed.
 */
export async function subscribe(services: MailServices, email: string, requestId: string): Promise<void> {
  const { clock, config, keyring, mail, platform } = services;
  const token = randomBytes(32).toString('base64url');
  const to = normalizeEmail(email);
  await platform.transaction(async (tx) => {
    const at = clock.now();
    const expiresAt = addDays(at, confirmationDays);
    const id = await upsertRequest(tx, {
      id: newId(),
      email: to,
      requested_at: at,
      confirm_token_hash: keyring.hash(token),
      confirm_expires_at: expiresAt,
      confirmed_at: null,
      unsubscribe_token_hash: null,
      sealed_unsubscribe_token: null,
    });
    await record(services, tx, 'MARKETING.SUBSCRIPTION_REQUESTED', id ?? null, requestId);
    const { publicUrl } = config;
    await mail.enqueue(tx, id === undefined ? null : confirmSubscriptionMail({ to, token, expiresAt, publicUrl }));
  });
  mail.kick();
}

/** Stores the consent that a mailed link gives. Throws 422 `AUTH.LINK_INVALID`. */
export async function confirmSubscription(services: MailServices, token: string, requestId: string): Promise<void> {
  const { clock, keyring, platform } = services;
  const hashes = [keyring.hash(token), ...keyring.previousHashes(token)];
  await platform.transaction(async (tx) => {
    const at = clock.now();
    const consent = { ...newUnsubscribeToken(keyring).stored, confirmed_at: at };
    const id = await confirmRequest(tx, hashes, consent, at);
    if (id === undefined) {
      throw new AppError(
        'AUTH.LINK_INVALID',
        'This link was already used, was replaced or has expired. Subscribe again.',
      );
    }
    await record(services, tx, 'MARKETING.SUBSCRIBED', id, requestId);
  });
}

/**
 * Withdraws the consent of a mail's token or of an address, with immediate effect. It requires no proof of identity,
 * because unsubscribing somebody else does no harm. Deletes all personal data except the proof that the consent existed
 * and was withdrawn. Does the same work if no subscriber has the address. Repeating it with the same token has no
 * effect. Throws 422 `AUTH.LINK_INVALID` for a token that no mail contained.
 */
export async function unsubscribe(
  services: MailServices,
  who: { readonly token: string } | { readonly email: string },
  requestId: string,
): Promise<void> {
  const { clock, keyring, mail, platform } = services;
  await platform.transaction(async (tx) => {
    const gone = 'token' in who ? await deleteByToken(tx, who.token) : await deleteByEmail(tx, who.email);
    if (gone !== undefined && gone.confirmed_at !== null) {
      const { confirmed_at: consented_at, unsubscribe_token_hash } = gone;
      const withdrawal = { email_hash: keyring.hash(gone.email), consented_at, unsubscribe_token_hash };
      await insertWithdrawal(tx, { id: newId(), ...withdrawal, withdrawn_at: clock.now() });
    }
    await record(services, tx, 'MARKETING.UNSUBSCRIBED', gone?.id ?? null, requestId);
    // An empty mail in both cases: its cost hides the difference between a subscriber and an unknown address.
    await mail.enqueue(tx, null);
  });
  mail.kick();
}

function deleteByEmail(tx: PlatformTransaction, email: string) {
  return deleteSubscriber(tx, 'email', normalizeEmail(email));
}

/** Deletes the subscriber with a token. Returns undefined if the token was used already. */
async function deleteByToken(tx: PlatformTransaction, token: string) {
  const tokenHash = unsubscribeTokenHash(token);
  const gone = await deleteSubscriber(tx, 'unsubscribe_token_hash', tokenHash);
  if (gone !== undefined || (await isTokenUsed(tx, tokenHash))) return gone;
  throw new AppError(
    'AUTH.LINK_INVALID',
    'No mail contained this link, or it was shortened. Unsubscribe with the e-mail address instead.',
  );
}

/** Records an event without the client's address: no personal data may be left after the consent is withdrawn. */
function record(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  event: string,
  id: string | null,
  requestId: string,
): Promise<void> {
  const actor: Actor = { type: 'user', id: null, requestId, ip: null };
  const target = { resourceType: 'marketing_subscriber', resourceId: id };
  return recordPlatformAudit(tx, actor, { event, ...target, at: clock.now() });
}
