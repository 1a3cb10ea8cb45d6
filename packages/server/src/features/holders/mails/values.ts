import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import { keyHint } from '../../licensing/licenses/license-key.ts';
import { renewalUrlOf } from '../../licensing/products/renewal-url.ts';
import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mails/holder-mail.ts';
import { type VariableValues, variablesOf } from './variables.ts';

/** A license with what its mails need of its product and policy. */
export interface MailedLicense
  extends Pick<
    LicensesTable,
    | 'id'
    | 'key'
    | 'status'
    | 'holder_name'
    | 'holder_email'
    | 'expires_at'
    | 'maintenance_expires_at'
    | 'max_activations'
    | 'order_number'
    | 'deleted_at'
  > {
  readonly product_name: string;
  readonly renewal_url: string | null;
  readonly policy_name: string;
  readonly policy_max_activations: number | null;
}

/** Everything that a mail can mention. */
export interface MailFacts {
  readonly tenantName: string;
  readonly supportEmail: string | null;
  readonly portalUrl: string | null;
  readonly timezone: string;
  readonly license: MailedLicense | null;
  /** The values that the event supplied. */
  readonly own: VariableValues;
  /** When the event happened. */
  readonly happenedAt: Timestamp;
  readonly now: Timestamp;
}

const dayMs = 86_400_000;

/**
 * Returns the values of a mail: those that its type permits and that the license has. The key is among them only in the
 * mails whose purpose is to deliver it.
 */
export function valuesOf(type: HolderMailType, facts: MailFacts): VariableValues {
  const { license, timezone, happenedAt } = facts;
  const all: Readonly<Record<string, string | null>> = {
    tenant_name: facts.tenantName,
    support_email: facts.supportEmail,
    portal_url: facts.portalUrl,
    happened_at: inWords(happenedAt, timezone, true),
    ...(license !== null && ofLicense(license, facts)),
    ...facts.own,
  };
  const known = variablesOf(type).map(({ name }) => [name, all[name]] as const);
  return Object.fromEntries(known.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function ofLicense(license: MailedLicense, { timezone, now }: MailFacts): Record<string, string | null> {
  const { expires_at, maintenance_expires_at } = license;
  const seats = license.max_activations ?? license.policy_max_activations;
  const leftMs = expires_at === null ? null : toEpochMs(expires_at) - toEpochMs(now);
  return {
    holder_name: license.holder_name,
    product_name: license.product_name,
    policy_name: license.policy_name,
    license_key: license.key,
    // A word joiner, so that no line ends after the ellipsis.
    license_hint: keyHint(license.key).replace('…', '…\u2060'),
    expires_on: expires_at === null ? null : inWords(expires_at, timezone),
    expires_on_iso: expires_at === null ? null : inDigits(expires_at, timezone),
    maintenance_until: maintenance_expires_at === null ? null : inWords(maintenance_expires_at, timezone),
    seats: seats === null ? null : String(seats),
    order_number: license.order_number,
    renewal_url: renewalUrlOf(license, license.id),
    days_left: leftMs === null ? null : String(Math.max(Math.ceil(leftMs / dayMs), 0)),
  };
}

// A formatter takes longer to create than the rest of a mail: 5 % of the time of a run that sends reminders.
const dayFormat = { day: 'numeric', month: 'long', year: 'numeric' } as const;
const timeFormat = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const digitFormat = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const dayIn = memoizeText((timeZone) => new Intl.DateTimeFormat('en-GB', { timeZone, ...dayFormat }));
const timeIn = memoizeText((timeZone) => new Intl.DateTimeFormat('en-GB', { timeZone, ...dayFormat, ...timeFormat }));
const digitsIn = memoizeText((timeZone) => new Intl.DateTimeFormat('en-CA', { timeZone, ...digitFormat }));

/** Formats the day of a moment, such as `27 November 2026`, with the time if `hasTime`. */
function inWords(moment: Timestamp, timeZone: string, hasTime = false): string {
  const format = hasTime ? timeIn(timeZone) : dayIn(timeZone);
  return format.format(toEpochMs(moment)).replace(' at ', ', ');
}

/** Formats the day of a moment, such as `2026-11-27`. */
function inDigits(moment: Timestamp, timeZone: string): string {
  return digitsIn(timeZone).format(toEpochMs(moment));
}

/** What a mail is checked against right before it is sent. */
interface CheckedMail {
  readonly type: HolderMailType;
  readonly recipient: string;
  /** True if a person asked for this mail. */
  readonly isRequested: boolean;
  readonly hasLicense: boolean;
  /** The expiry that the mail reports; null if it reports none. */
  readonly reportedExpiry: Timestamp | null;
}

/**
 * Returns why a mail about a license is useless by now, as a sentence; null if it is still useful. A mail server may have
 * refused mail for days, and the license may have changed meanwhile.
 */
export function uselessBecause(mail: CheckedMail, license: MailedLicense | null, now: Timestamp): string | null {
  if (!mail.hasLicense) return null;
  if (license === null || license.deleted_at !== null) return 'The license was deleted before the mail was sent.';
  const hasMoved = foldEmail(license.holder_email ?? '') !== mail.recipient;
  if (hasMoved && holderMailKind(mail.type).hasSecrets !== true)
    return 'The license had another address before the mail was sent.';
  if (mail.isRequested) return null;
  const isActive = license.status === 'active';
  const hasEnded = license.expires_at !== null && license.expires_at <= now;
  const isSameExpiry = mail.reportedExpiry === null || mail.reportedExpiry === license.expires_at;
  const isTrue: Partial<Record<HolderMailType, boolean>> = {
    'license.expiring': isActive && !hasEnded && isSameExpiry,
    'license.expired': isActive && hasEnded && isSameExpiry,
    'license.suspended': license.status === 'suspended',
    'license.reinstated': isActive,
  };
  return isTrue[mail.type] === false ? 'The license changed before the mail was sent, so it no longer applied.' : null;
}
