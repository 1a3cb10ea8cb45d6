import type { Language } from './language/Language.tsx';
import type { Portal, PortalLicense } from './shapes.ts';

const day = 86_400_000;
/** The days before the expiry in which the page asks for the renewal. */
const expiringDays = 30;

/** What a license is for its holder, which is more than its status. */
export type Standing = 'active' | 'expiring' | 'grace' | 'expired' | 'pending' | 'suspended' | 'revoked';

/** Returns what a license is for its holder now. */
export function standingOf(license: PortalLicense, nowMs = Date.now()): Standing {
  if (license.status === 'expired') {
    return license.works && license.grace_ends_at !== null ? 'grace' : 'expired';
  }
  if (license.status !== 'active' || license.expires_at === null) return license.status;
  return Date.parse(license.expires_at) - nowMs < expiringDays * day ? 'expiring' : 'active';
}

/** Returns the standing as a short label. */
export function labelOf(standing: Standing, { t }: Language): string {
  switch (standing) {
    case 'active':
      return t('status.active');
    case 'expiring':
      return t('status.expiring');
    case 'grace':
      return t('status.grace');
    case 'expired':
      return t('status.expired');
    case 'pending':
      return t('status.pending');
    case 'suspended':
      return t('status.suspended');
    case 'revoked':
      return t('status.revoked');
  }
}

const daySeconds = 86_400;

/** Returns how long a license lasts whose term has not begun: `1 year from first activation`. */
export function pendingTermOf(
  { begins_with, duration_days: days, duration_months, ends_with_month }: NonNullable<PortalLicense['pending_term']>,
  { t, duration, months }: Language,
): string {
  const length = duration_months === null ? duration((days ?? 0) * daySeconds) : months(duration_months);
  const start = begins_with === 'first_activation' ? 'facts.fromActivation' : 'facts.fromUse';
  const term = t(start, { duration: length });
  return ends_with_month ? t('facts.toMonthEnd', { term }) : term;
}

/** Returns how many devices may use a license: `2 devices, and 1 more is tolerated`; null: any number. */
export function devicesOf({ seats: { maximum, admitted } }: PortalLicense, { t, count }: Language): string | null {
  if (maximum === null) return null;
  const devices = count('devices.limit', maximum);
  if (admitted === null) return t('devices.moreAny', { devices });
  return admitted === maximum ? devices : count('devices.more', admitted - maximum, { devices });
}

/** Returns the standing as a sentence. */
export function sentenceOf(license: PortalLicense, vendor: string, language: Language): string {
  const { t, date, distance, isNear, lastDay } = language;
  const expiry = license.expires_at ?? '';
  switch (standingOf(license)) {
    case 'active':
      if (license.expires_at !== null) return t('state.active', { date: lastDay(expiry) });
      return license.pending_term === null
        ? t('state.perpetual')
        : t('state.unstarted', { term: pendingTermOf(license.pending_term, language) });
    case 'expiring':
      return isNear(expiry)
        ? t('state.expiring', { date: lastDay(expiry), when: distance(new Date(Date.parse(expiry) - 1).toISOString()) })
        : t('state.active', { date: lastDay(expiry) });
    case 'grace':
      return t('state.grace', { date: lastDay(expiry), end: lastDay(license.grace_ends_at ?? expiry) });
    case 'expired':
      return license.works
        ? t('state.expiredUsable', { date: lastDay(expiry) })
        : t('state.expired', { date: lastDay(expiry) });
    case 'pending':
      return t('state.pending', { date: date(license.starts_at) });
    case 'suspended':
      return t('state.suspended', { vendor });
    case 'revoked':
      return t('state.revoked', { vendor });
  }
}

/** Returns how to reach the vendor, as a sentence with an address; empty if the vendor has stated none. */
export function contactOf({ display_name, support_email, support_url }: Portal, { t }: Language): string {
  const address = support_email ?? support_url;
  return address === null ? '' : t('advice.at', { vendor: display_name, address });
}

/** Returns what the holder can do about the standing; null if there is nothing to do. */
export function adviceOf(license: PortalLicense, brand: Portal, language: Language): string | null {
  const { t } = language;
  const contact = contactOf(brand, language);
  const standing = standingOf(license);
  if (standing === 'suspended' || standing === 'revoked') return contact || null;
  if (standing === 'active' || standing === 'pending') return null;
  if (license.renewal_url !== null && !license.is_trial) return t('advice.renew');
  const ask = t(license.is_trial ? 'advice.trial' : 'advice.contact', { vendor: brand.display_name });
  return `${ask} ${contact}`.trim();
}
