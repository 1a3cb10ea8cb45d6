import type { Language } from './language/Language.tsx';
import type { PortalLicense } from './shapes.ts';

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

/** Returns the standing as a sentence. */
export function sentenceOf(license: PortalLicense, vendor: string, language: Language): string {
  const { t, date, distance } = language;
  const expiry = license.expires_at ?? '';
  switch (standingOf(license)) {
    case 'active':
      if (license.expires_at !== null) return t('state.active', { date: date(expiry) });
      return license.terms.duration_days === null && license.terms.duration_months === null
        ? t('state.perpetual')
        : t('state.unstarted');
    case 'expiring':
      return t('state.expiring', { date: date(expiry), when: distance(expiry) });
    case 'grace':
      return t('state.grace', { date: date(expiry), end: date(license.grace_ends_at ?? expiry) });
    case 'expired':
      return license.works
        ? t('state.expiredUsable', { date: date(expiry) })
        : t('state.expired', { date: date(expiry) });
    case 'pending':
      return t('state.pending', { date: date(license.starts_at) });
    case 'suspended':
      return t('state.suspended', { vendor });
    case 'revoked':
      return t('state.revoked', { vendor });
  }
}

/** Returns what the holder can do about the standing; null if there is nothing to do. */
export function adviceOf(license: PortalLicense, vendor: string, { t }: Language): string | null {
  const standing = standingOf(license);
  if (standing === 'suspended' || standing === 'revoked') return t('advice.ask', { vendor });
  if (standing === 'active' || standing === 'pending') return null;
  return license.renewal_url === null ? t('advice.contact', { vendor }) : t('advice.renew');
}
