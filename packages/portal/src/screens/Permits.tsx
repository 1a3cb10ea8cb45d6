import { type Language, useLanguage } from '../language/Language.tsx';
import { devicesOf } from '../license-state.ts';
import type { PortalEntitlement, PortalLicense } from '../shapes.ts';

const daySeconds = 86_400;
const dayMs = 86_400_000;

/** What a license permits, in words. */
export function Permits({ license }: { readonly license: PortalLicense }) {
  const language = useLanguage();
  const sentences = [...termsIn(license, language), ...featuresIn(license, language)];
  return (
    <ul className={license.works ? 'permits' : 'permits over'}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function termIn({ terms, expires_at }: PortalLicense, { t, duration, months }: Language): string {
  if (terms.duration_months !== null) return t('permits.term', { duration: months(terms.duration_months) });
  if (terms.duration_days !== null) return t('permits.term', { duration: duration(terms.duration_days * daySeconds) });
  return expires_at === null ? t('permits.noEnd') : t('permits.untilEnd');
}

function* termsIn(license: PortalLicense, language: Language): Generator<string> {
  const { terms, seats, expires_at, grace_ends_at } = license;
  const { t, count, duration } = language;
  const isTolerant = seats.admitted !== seats.maximum;
  if (seats.maximum === null) yield t('permits.anyDevices');
  else yield (isTolerant && devicesOf(license, language)) || count('permits.devices', seats.maximum);
  if (seats.maximum !== null && !terms.requires_activation) yield t('permits.notLimited');
  yield termIn(license, language);
  if (terms.runs_after_expiry) yield t('permits.afterEnd');
  if (expires_at !== null && grace_ends_at !== null) {
    const days = Math.round((Date.parse(grace_ends_at) - Date.parse(expires_at)) / dayMs);
    yield t('permits.grace', { duration: duration(days * daySeconds) });
  }
  yield t('permits.offline', { duration: duration(terms.offline_seconds) });
}

/** The entitlements that grant something; one that is switched off is of no interest to the holder. */
function* featuresIn({ terms }: PortalLicense, language: Language): Generator<string> {
  for (const entitlement of terms.entitlements) {
    const sentence = featureText(entitlement, language);
    if (sentence === null) continue;
    const { expires_at } = entitlement;
    yield expires_at === null
      ? sentence
      : language.t('permits.until', { feature: sentence, date: language.lastDay(expires_at) });
  }
}

function featureText({ name, type, value, limit, reset }: PortalEntitlement, { t, number }: Language): string | null {
  if (value === false) return null;
  if (type === 'boolean') return name;
  if (type === 'value') {
    return t('permits.value', {
      feature: name,
      value: typeof value === 'number' ? number(value) : String(value ?? ''),
    });
  }
  if (limit === null) return t('permits.unlimited', { feature: name });
  const values = { feature: name, limit: number(limit) };
  switch (reset) {
    case 'day':
      return t('permits.perDay', values);
    case 'week':
      return t('permits.perWeek', values);
    case 'month':
      return t('permits.perMonth', values);
    case 'year':
      return t('permits.perYear', values);
    default:
      return t('permits.limit', values);
  }
}
