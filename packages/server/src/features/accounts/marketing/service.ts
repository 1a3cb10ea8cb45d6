import { createHash, randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { MarketingCampaignsTable, MarketingSubscribersTable } from '../../../db/tables/platform/marketing.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { confirmSubscriptionMail, newsMail } from '../../../mail/templates/news.ts';
import type { ClockServices, KeyServices, MailServices } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  confirmRequest,
  deleteSubscriber,
  insertWithdrawal,
  isTokenUsed,
  listConfirmed,
  lockCampaign,
  updateCampaign,
  upsertRequest,
} from './queries.ts';

/** The number of days after which an unconfirmed request expires and is deleted. */
const confirmationDays = 7;

/**
 * Mails a link with which the recipient gives consent to the news. A confirmed address gets no mail. The work is the
 * same in both cases, so that the response time does not reveal whether an address is subscribed. An address that has got
 * enough links gets no further one, and the last one stays valid.
 */
export async function subscribe(services: MailServices, email: string, requestId: string): Promise<void> {
  const { clock, config, keyring, mail, platform } = services;
  const token = randomBytes(32).toString('base64url');
  const to = foldEmail(email);
  await platform.transaction(async (tx) => {
    const at = clock.now();
    const expiresAt = addDays(at, confirmationDays);
    const isAdmitted = await mail.admit(tx, { kind: 'subscription', to });
    const id = await upsertRequest(tx, isAdmitted, {
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
    const letter = confirmSubscriptionMail({ to, token, expiresAt, publicUrl });
    await mail.enqueue(tx, id === undefined || !isAdmitted ? null : letter);
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
 * because unsubscribing another person does no harm. Deletes all personal data except the proof that the consent
 * existed and was withdrawn. Does the same work if no subscriber has the address. Repeating it with the same token has
 * no effect. Throws 422 `AUTH.LINK_INVALID` for a token that no mail contained.
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
  return deleteSubscriber(tx, 'email', foldEmail(email));
}

/** Deletes the subscriber with a token. Returns undefined if the token was used already. */
async function deleteByToken(tx: PlatformTransaction, token: string) {
  const tokenHash = unsubscribeTokenHash(token);
  const gone = await deleteSubscriber(tx, 'unsubscribe_token_hash', tokenHash);
  if (gone !== undefined || (await isTokenUsed(tx, tokenHash))) return gone;
  throw new AppError(
    'AUTH.LINK_INVALID',
    'No mail contained this link, or it was shortened. Unsubscribe with the email address instead.',
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

/** Returns the SHA-256 hash under which an unsubscribe token is stored, in hexadecimal. */
function unsubscribeTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns a new unsubscribe token and the columns to store: its hash, and the token sealed with the application key.
 */
function newUnsubscribeToken(keyring: Keyring) {
  const token = randomBytes(32).toString('base64url');
  const stored = { unsubscribe_token_hash: unsubscribeTokenHash(token), sealed_unsubscribe_token: keyring.seal(token) };
  return { token, stored };
}

/** Returns the token of a subscriber, or null if no configured application key opens it. */
function openUnsubscribeToken(keyring: Keyring, row: MarketingSubscribersTable): string | null {
  if (row.sealed_unsubscribe_token === null) return null;
  try {
    return keyring.open(row.sealed_unsubscribe_token);
  } catch {
    return null;
  }
}

const batchSize = 200;
/** The rate at which a campaign's mails fall due, so that they do not delay mails such as password links. */
const mailsPerSecond = 50;

/** A mail to all confirmed subscribers. Blank lines in `text` separate paragraphs. */
export interface Campaign {
  readonly subject: string;
  readonly text: string;
}

/**
 * Queues one mail for each confirmed subscriber. A campaign is identified by its subject and text: a repeated call
 * continues where an interrupted one stopped, and concurrent calls queue alternating batches, so that no subscriber
 * gets the mail twice. Returns the number of mails that this call queued; null if the campaign was already complete.
 */
export async function sendCampaign(
  services: MailServices,
  campaign: Campaign,
  onProgress: (queued: number) => void,
): Promise<number | null> {
  let queued = 0;
  for (let round = 0; ; round += 1) {
    const batch = await services.platform.transaction((tx) => queueBatch(services, tx, campaign));
    if (batch === null) return round === 0 ? null : queued;
    services.mail.kick();
    queued += batch.count;
    onProgress(queued);
    if (batch.isLast) return queued;
  }
}

async function queueBatch(services: MailServices, tx: PlatformTransaction, campaign: Campaign) {
  const state = await lockCampaign(tx, newCampaign(services, campaign));
  if (state.completed_at !== null) return null;
  const subscribers = await listConfirmed(tx, state.last_subscriber_id, batchSize);
  for (const [index, subscriber] of subscribers.entries()) {
    const token = await tokenOf(services, tx, subscriber);
    const { publicUrl } = services.config;
    const mail = newsMail({ ...campaign, to: subscriber.email, token, publicUrl });
    const offsetMs = ((state.queued + index) * 1000) / mailsPerSecond;
    await services.mail.enqueue(tx, mail, toTimestamp(Math.floor(Date.parse(state.created_at) + offsetMs)));
  }
  const isLast = subscribers.length < batchSize;
  await updateCampaign(tx, {
    id: state.id,
    last_subscriber_id: subscribers.at(-1)?.id ?? state.last_subscriber_id,
    queued: state.queued + subscribers.length,
    completed_at: isLast ? services.clock.now() : null,
  });
  if (isLast) await recordCompletion(services, tx, state);
  return { count: subscribers.length, isLast };
}

function newCampaign({ clock }: ClockServices, { subject, text }: Campaign): MarketingCampaignsTable {
  const id = createHash('sha256')
    .update(JSON.stringify([subject, text]))
    .digest('hex');
  return { id, subject, last_subscriber_id: '', queued: 0, created_at: clock.now(), completed_at: null };
}

/**
 * Returns the unsubscribe token of a subscriber. Replaces the token if no configured application key opens it; the
 * links in older mails then stop working.
 */
async function tokenOf(
  { keyring }: KeyServices,
  tx: PlatformTransaction,
  subscriber: MarketingSubscribersTable,
): Promise<string> {
  const existing = openUnsubscribeToken(keyring, subscriber);
  if (existing !== null) return existing;
  const { token, stored } = newUnsubscribeToken(keyring);
  await updateRows(tx, 'marketing_subscribers', subscriber.id, stored);
  return token;
}

function recordCompletion(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  { id }: MarketingCampaignsTable,
): Promise<void> {
  return recordPlatformAudit(tx, systemActor, {
    event: 'MARKETING.CAMPAIGN_SENT',
    resourceType: 'marketing_campaign',
    resourceId: id,
    at: clock.now(),
  });
}
