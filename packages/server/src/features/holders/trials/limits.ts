import type { TenantTransaction } from '../../../db/database.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { RateLimitWindow } from '../../../rate-limit/rate-limits.ts';
import { tooManyAttempts } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { isUnconfirmed } from '../../tenant-core/holder-mail-queue/address-service.ts';
import type { StoredSettings } from '../../tenant-core/settings/settings.ts';
import { countSince } from './queries.ts';

// Anybody who has an application has its API key, and can ask for trials. Each limit ends one kind of abuse: many trials
// from one network, many trials of one vendor, mails to somebody else's address, and guessed codes.

type Limits = Pick<StoredSettings, 'trials_per_day_max' | 'trials_per_address_max'>;

const daySeconds = 86_400;
const addressWindow = 'trials-address';
const mailWindow = 'trial-mails';
const codeWindow = 'trial-codes';

/** Codes that one address may receive in a day; an attempt to flood a mailbox ends here. */
const mailsPerDay = 5;
/** The same for an address that nobody confirmed and that got the mail of a trial. */
const mailsPerDayUnconfirmed = 1;
const attemptsPerMinutes = { limit: 10, windowSeconds: 600 };

const clientOf = ({ id }: Tenant, { ip }: Actor) => `${id} ${clientNetwork(ip ?? '')}`;

/** Counts a trial of the client's network. Call `takeBackHit` if the request creates none. */
export async function countHit(
  { rateLimits }: Services,
  tenant: Tenant,
  actor: Actor,
  { trials_per_address_max }: Limits,
): Promise<RateLimitWindow> {
  const window = { limit: trials_per_address_max, windowSeconds: daySeconds };
  return await rateLimits.consume(addressWindow, clientOf(tenant, actor), window);
}

/** Takes back a hit of `countHit`, because the device had its trial before or got none. */
export async function takeBackHit({ rateLimits }: Services, tenant: Tenant, actor: Actor): Promise<void> {
  await rateLimits.refund(addressWindow, clientOf(tenant, actor));
}

/** Counts a code for an address. False: it has received enough today. The answer must not say so. */
export async function mayMailCode({ rateLimits }: Services, { id, db }: Tenant, emailKey: string): Promise<boolean> {
  const limit = (await isUnconfirmed(db.query, emailKey)) ? mailsPerDayUnconfirmed : mailsPerDay;
  const window = { limit, windowSeconds: daySeconds };
  return (await rateLimits.consume(mailWindow, `${id} ${emailKey}`, window)).allowed;
}

/** Counts an attempt to confirm an address. Throws 429 `RATE_LIMIT.EXCEEDED`. */
export async function limitConfirmations({ rateLimits }: Services, tenant: Tenant, actor: Actor): Promise<void> {
  const window = await rateLimits.consume(codeWindow, clientOf(tenant, actor), attemptsPerMinutes);
  if (!window.allowed) throw tooManyAttempts(window);
}

/**
 * Asserts that the tenant may have another trial today, and notifies it with the last one. Throws 429
 * `TRIAL.LIMIT_REACHED`. The caller holds the product, so only trials of several products can exceed the limit.
 */
export async function assertDayHasTrials(
  tx: TenantTransaction,
  outbox: Outbox,
  { trials_per_day_max: limit }: Limits,
  at: Timestamp,
  requestId: string | null,
): Promise<void> {
  const day = at.slice(0, 10);
  const count = await countSince(tx, `${day}T00:00:00.000000Z`, limit);
  if (count >= limit) {
    const seconds = Math.ceil((Date.parse(`${day}T00:00:00Z`) + daySeconds * 1000 - Date.parse(at)) / 1000);
    const message = 'No more trials can start today. Try again tomorrow, or use a license key.';
    throw new AppError('TRIAL.LIMIT_REACHED', message, { headers: { 'retry-after': String(seconds) } });
  }
  if (count + 1 < limit) return;
  await outbox.notify({
    type: 'trials.limit_reached',
    severity: 'warning',
    title: 'No more trials can start today',
    body:
      `${limit} trials without a key started today (UTC), which is the maximum in the settings. Further ones are ` +
      'refused until tomorrow. Raise the maximum if these are customers; otherwise require an email address for the trial.',
    occurrence: `trials.day:${day}`,
    at,
    requestId,
  });
}

/** Notifies the tenant, once a day, that a network got no more trials. */
export async function noteRefusedAddress(
  services: Services,
  tenant: Tenant,
  { trials_per_address_max: limit }: Limits,
  requestId: string | null,
): Promise<void> {
  const at = services.clock.now();
  await transactWithEvents(services, tenant, (_tx, outbox) =>
    outbox.notify({
      type: 'trials.limit_reached',
      severity: 'info',
      title: 'A network was refused another trial',
      body:
        `One client network asked for more than ${limit} trials without a key within 24 hours, which is the maximum in ` +
        'the settings. Raise the maximum if companies or schools try your products.',
      occurrence: `trials.address:${at.slice(0, 10)}`,
      at,
      requestId,
    }),
  );
}
