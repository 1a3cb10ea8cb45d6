import { memoizeText } from '../../../lib/memoize.ts';
import type { activationCapacity } from '../../licensing/licenses/activation-capacity.ts';
import type { PendingTerm } from '../../licensing/licenses/license-term.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';

const words = {
  en: {
    first_validation: 'from first use',
    first_activation: 'from first activation',
    monthEnd: ', until the end of that month',
    device: { one: 'device', other: 'devices' },
    more: { one: 'and 1 more is tolerated', other: 'and {count} more are tolerated', any: 'and more are tolerated' },
  },
  de: {
    first_validation: 'ab der ersten Nutzung',
    first_activation: 'ab der ersten Aktivierung',
    monthEnd: ', bis zum Ende des Monats',
    device: { one: 'Gerät', other: 'Geräte' },
    more: {
      one: 'und 1 weiteres wird geduldet',
      other: 'und {count} weitere werden geduldet',
      any: 'und weitere werden geduldet',
    },
  },
  fr: {
    first_validation: 'à partir de la première utilisation',
    first_activation: 'à partir de la première activation',
    monthEnd: ', jusqu’à la fin du mois',
    device: { one: 'appareil', other: 'appareils' },
    more: {
      one: 'et 1 de plus est toléré',
      other: 'et {count} de plus sont tolérés',
      any: 'et d’autres sont tolérés',
    },
  },
} as const;

const lengthIn = memoizeText((key) => {
  const [language, unit] = key.split(' ');
  return new Intl.NumberFormat(language, { style: 'unit', unit: unit ?? 'day', unitDisplay: 'long' });
});

/** Returns a term that has not begun in words: `1 year from first activation`. */
export function termWords({ begins_with, ends_with_month, ...term }: PendingTerm, language: MailLanguage): string {
  const { [begins_with]: start, monthEnd } = words[language];
  return `${lengthWords(term, language)} ${start}${ends_with_month ? monthEnd : ''}`;
}

function lengthWords(
  { duration_days: days, duration_months: months }: Omit<PendingTerm, 'begins_with' | 'ends_with_month'>,
  language: string,
) {
  if (months === null) return lengthIn(`${language} day`).format(days ?? 0);
  const isYears = months % 12 === 0;
  return lengthIn(`${language} ${isYears ? 'year' : 'month'}`).format(isYears ? months / 12 : months);
}

/** Returns how many devices may use a license: `2 devices, and 1 more is tolerated`. Null: any number. */
export function deviceWords(
  { limit, admitted }: ReturnType<typeof activationCapacity>,
  language: MailLanguage,
): string | null {
  if (limit === null) return null;
  const { device, more } = words[language];
  const devices = `${limit} ${limit === 1 ? device.one : device.other}`;
  if (admitted === null) return `${devices}, ${more.any}`;
  const extra = admitted - limit;
  if (extra === 0) return devices;
  return `${devices}, ${(extra === 1 ? more.one : more.other).replace('{count}', String(extra))}`;
}
