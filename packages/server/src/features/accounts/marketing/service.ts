import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import { addDays } from '../../../lib/duration.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { confirmSubscriptionMail } from '../../../mail/templates/confirm-subscription.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { confirmRequest, deleteSubscriber, insertWithdrawal, upsertRequest } from './queries.ts';
import { newUnsubscribeToken, unsubscribeTokenHash } from './unsubscribe-token.ts';

type MarketingServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform'>;

/** How long a request waits for its confirmation before it is forgotten. */
const confirmationDays = 7;

/**
 * Mails a link that gives consent; nothing is sent without it. An address that has given it gets nothing, after the same
 * work.
 */
export async function subscribe(services: MarketingServices, email: string, requestId: string): Promise<void> {
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

/** Gives the consent that was asked for by mail. Throws 422 `AUTH.LINK_INVALID`. */
export async function confirmSubscription(
  services: MarketingServices,
  token: string,
  requestId: string,
): Promise<void> {
  const { clock, keyring, platform } = services;
  const hashes = [keyring.hash(token), ...keyring.previousHashes(token)];
  await platform.transaction(async (tx) => {
    const at = clock.now();
    const consent = { ...newUnsubscribeToken(keyring).stored, confirmed_at: at };
    const id = await confirmRequest(tx, hashes, consent, at);
    if (id === undefined) {
      throw new AppError('AUTH.LINK_INVALID', 'This link was used, replaced or has expired. Subscribe again.');
    }
    await record(services, tx, 'MARKETING.SUBSCRIBED', id, requestId);
  });
}

/**
 * Withdraws the consent, at once, of the token of a mail or of an address: it harms nobody, so nobody has to prove
 * anything. Everything on the person goes but what proves that the consent was there and is over. Does the same work for
 * whoever is no subscriber.
 */
export async function unsubscribe(
  services: MarketingServices,
  who: { readonly token: string } | { readonly email: string },
  requestId: string,
): Promise<void> {
  const { clock, keyring, mail, platform } = services;
  await platform.transaction(async (tx) => {
    const gone =
      'token' in who
        ? await deleteSubscriber(tx, 'unsubscribe_token_hash', unsubscribeTokenHash(who.token))
        : await deleteSubscriber(tx, 'email', normalizeEmail(who.email));
    if (gone !== undefined && gone.confirmed_at !== null) {
      const withdrawal = { email_hash: keyring.hash(gone.email), consented_at: gone.confirmed_at };
      await insertWithdrawal(tx, { id: newId(), ...withdrawal, withdrawn_at: clock.now() });
    }
    await record(services, tx, 'MARKETING.UNSUBSCRIBED', gone?.id ?? null, requestId);
    // Something is committed in either case, which takes longer than nothing.
    await mail.enqueue(tx, null);
  });
  mail.kick();
}

/** Without the client's address: nothing of a person may be left when the consent is withdrawn. */
function record(
  { clock }: Pick<Services, 'clock'>,
  tx: PlatformTransaction,
  event: string,
  id: string | null,
  requestId: string,
): Promise<void> {
  const actor: Actor = { type: 'user', id: null, requestId, ip: null };
  const target = { resourceType: 'marketing_subscriber', resourceId: id };
  return recordPlatformAudit(tx, actor, { event, ...target, at: clock.now() });
}
