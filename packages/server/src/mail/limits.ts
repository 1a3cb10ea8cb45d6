import type { PlatformTransaction } from '../db/database.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { AppError } from '../lib/error.ts';
import type { Keyring } from '../lib/keyring.ts';
import { countMail } from './queries.ts';

/** The limits of one kind of mail, in fixed windows of an hour and of a day that the first mail opens. */
interface MailLimit {
  /** Of all senders together to one address. Without it, only the sender is limited. */
  readonly address?: { readonly hour: number; readonly day: number };
  /**
   * True if one mail an hour is still sent above the limit of the day. Its link lasts an hour, so a stranger who uses up
   * the limit cannot keep the owner of the address from having a link that works.
   */
  readonly staysReachable?: true;
  /** Of one tenant or user, in a day: to all addresses, and to each one. */
  readonly sender?: { readonly day: number; readonly addressDay: number };
}

/**
 * THE limits of mails. Every kind of mail that a stranger can cause has one: one without an account, or a member to an
 * address that is not the member's own. A new kind of such mail must be added here; test/architecture/mail-limits.test.ts
 * lists the templates.
 */
export const mailLimits = {
  /** Registering, and the links that verify an address. */
  registration: { address: { hour: 5, day: 15 }, staysReachable: true },
  password_reset: { address: { hour: 5, day: 15 }, staysReachable: true },
  /** Security notices to an address that its account has never verified. */
  unverified_account: { address: { hour: 5, day: 15 } },
  /** The mail to the new address. */
  address_change: { address: { hour: 5, day: 5 }, sender: { day: 10, addressDay: 5 } },
  invitation: { address: { hour: 5, day: 10 }, sender: { day: 100, addressDay: 3 } },
  /** The code and the link of a login to a tenant's portal, which anyone can request for any holder. */
  portal_login: { address: { hour: 5, day: 15 }, staysReachable: true },
  /** The link that confirms a subscription to news. */
  subscription: { address: { hour: 2, day: 3 } },
  /** Notifications to an address of a tenant's settings that is not an owner's. */
  notification: { address: { hour: 20, day: 100 } },
  /**
   * Mails to the license holders of a tenant through the service's own mail server: a tenant could write to anybody in the
   * name of the operator. The limit of a tenant is a setting. Above a limit they wait until the window ends; none is lost.
   */
  holder: { address: { hour: 60, day: 300 } },
  /** Test mails of a tenant. */
  holder_test: { sender: { day: 50, addressDay: 20 } },
} as const satisfies Readonly<Record<string, MailLimit>>;

/** A kind of mail that is limited. */
export type LimitedMail = keyof typeof mailLimits;

/** A mail that a stranger causes. */
export interface MailRequest {
  readonly kind: LimitedMail;
  /** The address, in its normalised spelling. */
  readonly to: string;
  /** The id of the tenant or user who sends it, if its kind limits senders. Undefined for anonymous callers. */
  readonly sender?: string;
}

interface LimitServices {
  readonly keyring: Keyring;
  readonly clock: Clock;
}

const hourMs = 3_600_000;
const lengths = { hour: hourMs, day: 24 * hourMs } as const;

/**
 * Counts a mail in the caller's transaction, so that the count is exact over all nodes and a change that is rolled back
 * counts nothing. Returns false if the address has got enough mail of the kind: the caller must then send none, leave
 * links that were mailed before valid, and respond as always. Keys of the counters are hashed.
 *
 * Throws 429 `MAIL.LIMIT_REACHED` if the sender has used up the own limits, which says nothing about the address.
 *
 * Deadlock-free: the counters are the last rows that a transaction locks, the sender's before the address's. A caller
 * that counts several addresses does so in their order.
 */
export async function admitMail(
  services: LimitServices,
  tx: PlatformTransaction,
  { kind, to, sender }: MailRequest,
): Promise<boolean> {
  const limit: MailLimit = mailLimits[kind];
  const count = (length: keyof typeof lengths, ...key: readonly string[]) =>
    countInWindow(services, tx, length, [kind, ...key]);
  if (limit.sender !== undefined && sender !== undefined) {
    assertWithin(services, await count('day', 'sender', sender), limit.sender.day, 'today');
    const toAddress = await count('day', 'sender', sender, to);
    assertWithin(services, toAddress, limit.sender.addressDay, 'to this address today');
  }
  if (limit.address === undefined) return true;
  const inHour = await count('hour', 'address', to);
  if (inHour.hits > limit.address.hour) return false;
  const inDay = await count('day', 'address', to);
  return inDay.hits <= limit.address.day || (limit.staysReachable === true && inHour.hits === 1);
}

/** A mail to a license holder that is about to be sent through the service's mail server. */
interface HolderMailRequest {
  readonly id: string;
  /** In its normalised spelling. */
  readonly to: string;
  /** False for mails that a holder asked for: they do not count against the tenant's limit, which bulk mail uses up. */
  readonly countsForTenant: boolean;
}

/**
 * Counts mails to license holders against the limits of their addresses and of the tenant and day. Returns those that
 * must wait, with the time until which they wait. Counts in the caller's transaction.
 */
export async function admitHolderMails(
  services: LimitServices,
  tx: PlatformTransaction,
  {
    tenantId,
    perDay,
    mails,
  }: { readonly tenantId: string; readonly perDay: number; readonly mails: readonly HolderMailRequest[] },
): Promise<ReadonlyMap<string, Timestamp>> {
  const waiting = new Map<string, Timestamp>();
  for (const { id, countsForTenant } of mails) {
    if (!countsForTenant || perDay === 0) continue;
    const { hits, ends_at } = await countInWindow(services, tx, 'day', ['holder', 'sender', tenantId]);
    if (hits > perDay) waiting.set(id, ends_at);
  }
  // In the order of the addresses, as `admitMail` requires.
  for (const { id, to } of mails.toSorted((one, other) => (one.to < other.to ? -1 : 1))) {
    if (waiting.has(id)) continue;
    for (const length of ['hour', 'day'] as const) {
      const { hits, ends_at } = await countInWindow(services, tx, length, ['holder', 'address', to]);
      if (hits > mailLimits.holder.address[length]) waiting.set(id, ends_at);
    }
  }
  return waiting;
}

interface Counted {
  readonly hits: number;
  readonly ends_at: string;
}

function countInWindow(
  { keyring, clock }: LimitServices,
  tx: PlatformTransaction,
  length: keyof typeof lengths,
  key: readonly string[],
): Promise<Counted> {
  const hash = keyring.hash(`mail-limit ${JSON.stringify([length, ...key])}`);
  return countMail(tx, hash, { now: clock.now(), endsAt: toTimestamp(clock.nowMs() + lengths[length]) });
}

function assertWithin({ clock }: LimitServices, { hits, ends_at }: Counted, limit: number, what: string): void {
  if (hits <= limit) return;
  const seconds = Math.max(Math.ceil((Date.parse(ends_at) - clock.nowMs()) / 1000), 1);
  throw new AppError(
    'MAIL.LIMIT_REACHED',
    `You have sent ${limit} mails of this kind ${what}. Links in them stay valid. Try again tomorrow.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
