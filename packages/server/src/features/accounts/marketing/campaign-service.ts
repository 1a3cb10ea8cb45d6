import { createHash } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { MarketingCampaignsTable, MarketingSubscribersTable } from '../../../db/tables/platform/marketing.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { newsMail } from '../../../mail/templates/news.ts';
import type { ClockServices, KeyServices, MailServices } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { listConfirmed, lockCampaign, updateCampaign, updateUnsubscribeToken } from './queries.ts';
import { newUnsubscribeToken, openUnsubscribeToken } from './unsubscribe-token.ts';

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
 * Returns the unsubscribe token of a subscriber. If the application key that sealed it is gone, replaces the token; the
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
  await updateUnsubscribeToken(tx, subscriber.id, stored);
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
