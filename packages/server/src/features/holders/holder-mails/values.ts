import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { lastMomentMs } from '../../../lib/day.ts';
import { foldEmail } from '../../../lib/email.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import { activationCapacity } from '../../licensing/licenses/activation-capacity.ts';
import { keyHint } from '../../licensing/licenses/license-key.ts';
import { pendingTerm } from '../../licensing/licenses/license-term.ts';
import { renewalUrlOf } from '../../licensing/products/renewal-url.ts';
import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { deviceWords, termWords } from './license-words.ts';
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
    | 'last_validated_at'
    | 'deleted_at'
  > {
  readonly product_name: string;
  readonly renewal_url: string | null;
  readonly policy_name: string;
  /** What the policy determines. */
  readonly policy: Pick<
    PoliciesTable,
    | 'max_activations'
    | 'activation_overage_percent'
    | 'expiry_basis'
    | 'duration_days'
    | 'duration_months'
    | 'ends_with_month'
  >;
  readonly first_activation_id: string | null;
  readonly is_trial: boolean;
  /** Whether the product has a published release. */
  readonly has_downloads: boolean;
}

/** Everything that a mail can mention. */
export interface MailFacts {
  readonly tenantName: string;
  readonly supportEmail: string | null;
  readonly portalUrl: string | null;
  readonly timezone: string;
  readonly language: MailLanguage;
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
  const { license, happenedAt } = facts;
  const all: Readonly<Record<string, string | null>> = {
    tenant_name: facts.tenantName,
    support_email: facts.supportEmail,
    portal_url: facts.portalUrl,
    happened_at: timeInWords(happenedAt, facts),
    ...(license !== null && ofLicense(license, facts)),
    ...facts.own,
  };
  const known = variablesOf(type).map(({ name }) => [name, all[name]] as const);
  return Object.fromEntries(known.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function ofLicense(license: MailedLicense, facts: MailFacts): Record<string, string | null> {
  const { expires_at, maintenance_expires_at } = license;
  const { timezone, now, language } = facts;
  const capacity = activationCapacity(license, license.policy);
  const term = pendingTerm(license.policy, license);
  const leftMs = expires_at === null ? null : toEpochMs(expires_at) - toEpochMs(now);
  return {
    holder_name: license.holder_name,
    product_name: license.product_name,
    policy_name: license.policy_name,
    license_key: license.key,
    // A word joiner, so that no line ends after the ellipsis.
    license_hint: keyHint(license.key).replace('…', '…\u2060'),
    expires_on: expires_at === null ? null : lastDayInWords(expires_at, facts),
    expires_on_iso: expires_at === null ? null : lastDayInDigits(expires_at, timezone),
    maintenance_until: maintenance_expires_at === null ? null : lastDayInWords(maintenance_expires_at, facts),
    term: term === null ? null : termWords(term, language),
    seats: capacity.limit === null ? null : String(capacity.limit),
    devices: deviceWords(capacity, language),
    order_number: license.order_number,
    // A trial is not renewed.
    renewal_url: license.is_trial ? null : renewalUrlOf(license, license.id),
    downloads_url:
      facts.portalUrl === null || !license.has_downloads ? null : downloadsUrl(facts.portalUrl, license.id),
    days_left: leftMs === null ? null : String(Math.max(Math.ceil(leftMs / dayMs), 0)),
  };
}

/** The part of the portal's page of a license with the files of its product. */
const downloadsUrl = (portalUrl: string, id: string) => `${portalUrl.replace(/\/$/, '')}/licenses/${id}#downloads`;

// A formatter takes longer to create than the rest of a mail: 5 % of the time of a run that sends reminders.
const dayFormat = { day: 'numeric', month: 'long', year: 'numeric' } as const;
const timeFormat = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const digitFormat = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const locales: Readonly<Record<MailLanguage, string>> = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' };
/** The text is a locale, a space and a time zone. */
const dayIn = memoizeText((place) => formatIn(place, dayFormat));
const timeIn = memoizeText((place) => formatIn(place, timeFormat));
const digitsIn = memoizeText((timeZone) => new Intl.DateTimeFormat('en-CA', { timeZone, ...digitFormat }));

function formatIn(place: string, format: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const [locale, timeZone] = place.split(' ') as [string, string];
  return new Intl.DateTimeFormat(locale, { timeZone, ...format });
}

type Reader = Pick<MailFacts, 'language' | 'timezone'>;
const placeOf = ({ language, timezone }: Reader) => `${locales[language]} ${timezone}`;

/** Formats the last day before an end in the language of a mail, such as `27 November 2026`. */
function lastDayInWords(end: Timestamp, reader: Reader): string {
  return dayIn(placeOf(reader)).format(lastMomentMs(end));
}

/** Formats a moment in the language of a mail, such as `27 November 2026, 17:42`. */
function timeInWords(at: Timestamp, reader: Reader): string {
  const [day, time] = [dayIn, timeIn].map((format) => format(placeOf(reader)).format(toEpochMs(at)));
  return `${day}, ${time}`;
}

/** Formats the last day before an end, such as `2026-11-27`. */
function lastDayInDigits(end: Timestamp, timeZone: string): string {
  return digitsIn(timeZone).format(lastMomentMs(end));
}

const sampleEnd: Timestamp = '2027-11-28T00:00:00.000000Z';
const sampleMoment: Timestamp = '2026-11-27T17:42:00.000000Z';

/** Returns the values of a preview in a language. */
export function sampleValues(type: HolderMailType, language: MailLanguage): VariableValues {
  // The license has an end, so it has no term that has not begun.
  const shown = variablesOf(type).filter(({ name }) => name !== 'term');
  const samples = shown.map(({ name, sample }) => [name, sample] as const);
  const reader = { language, timezone: 'UTC' };
  const words: VariableValues = {
    expires_on: lastDayInWords(sampleEnd, reader),
    maintenance_until: lastDayInWords(sampleEnd, reader),
    happened_at: timeInWords(sampleMoment, reader),
    devices: deviceWords({ limit: 2, admitted: 3 }, language) ?? '',
  };
  return Object.fromEntries(samples.map(([name, sample]) => [name, words[name] ?? sample]));
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
