import { language } from './language.ts';
import { decimalsOf, moneyText } from './money.ts';

/** Returns a text with the first letter in upper case. */
function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words of the API for which readers have one other word. The event `first activation` keeps its name. */
const readersWords: Readonly<Record<string, string>> = {
  activation: 'device',
  activations: 'devices',
  buyer: 'customer',
  deactivated: 'released',
  deactivations: 'releases',
  holder: 'customer',
  rotated: 'replaced',
  seats: 'devices',
};

/** Returns a machine name such as `past_due` or `LICENSE.KEY_ROTATED` in words: `Past due`, `License key replaced`. */
export function words(name: string): string {
  const text = name.toLowerCase().replaceAll(/[._-]+/g, ' ');
  return capitalize(text.replaceAll(/(?<!first |require )\b\w+/g, (word) => readersWords[word] ?? word).trim());
}

/** Returns a count with its noun: `1 license`, `2 licenses`. `plural` is for nouns that do not end in `s`. */
export function count(quantity: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(quantity)} ${quantity === 1 ? noun : plural}`;
}

const conjunction = new Intl.ListFormat(language, { style: 'long', type: 'conjunction' });

/** Returns texts as one: `25 licenses, 1 product, and 3 members`. */
export function listText(texts: readonly string[]): string {
  return conjunction.format(texts);
}

const numbers = new Intl.NumberFormat(language);

/** Returns a number in the reader's locale. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Returns a share of 1 as a percentage in the reader's locale: `12.5%`; a dash without a share. */
export function formatShare(share: number | null, digits = 1): string {
  if (share === null) return '—';
  return share.toLocaleString(language, { style: 'percent', maximumFractionDigits: digits });
}

/** Returns a rate that somebody set in percent, exactly: `8.875%`. */
export function formatRate(percent: number): string {
  return formatShare(percent / 100, 4);
}

/** Returns a limit in the reader's locale; null is unlimited. */
export function formatLimit(limit: number | null): string {
  return limit === null ? 'Unlimited' : formatNumber(limit);
}

/** Returns an amount in minor units as money in the reader's locale, exactly. The currency defines its decimal places. */
export function formatMoney(amountMinor: number, currency: string): string {
  const digits = decimalsOf(currency);
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(language, { style: 'currency', currency: currency.toUpperCase(), ...places });
  return format.format(moneyText(amountMinor, currency) as Intl.StringNumericLiteral);
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a size in bytes in the reader's locale: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1);
  const unit = byteUnits[step] ?? 'byte';
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: step === 0 ? 0 : 1 } as const;
  return new Intl.NumberFormat(language, format).format(bytes / 1000 ** step);
}

/** Returns a key or id that is too long for a column, truncated in the middle: `ABCD1…9F2K`. */
export function truncateMiddle(text: string, maxLength = 16): string {
  if (text.length <= maxLength) return text;
  const end = Math.floor((maxLength - 1) / 2);
  return `${text.slice(0, maxLength - 1 - end)}…${text.slice(-end)}`;
}

/** Returns JSON with line breaks and indentation, and any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
