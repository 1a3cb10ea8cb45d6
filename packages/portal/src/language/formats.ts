const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** From the largest to the smallest: a unit, and its length in milliseconds. */
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', 1_000],
] as const;

/** The units of a length of time. Months are no such unit: a lease of 30 days has 30 days. */
const lengths = units.filter(([unit]) => unit !== 'month');

/** Formats values for the reader of one language. */
export interface Formats {
  /** A day: `3 May 2027`. */
  date(moment: string): string;
  /** A time to the minute, in the reader's time zone. */
  dateTime(moment: string): string;
  /** How long ago or ahead a moment is: `3 days ago`, `tomorrow`. */
  distance(moment: string, nowMs?: number): string;
  /** A length of time in its largest whole unit: `30 days`, `1 year`. */
  duration(seconds: number): string;
  /** Months of the calendar, as years if they are whole years: `1 year`, `18 months`. */
  months(count: number): string;
  number(value: number): string;
  /** The form of a word that a number needs: `one`, `other`. */
  form(value: number): string;
}

/** Creates the formats of a language or region, such as `en-GB`. */
export function createFormats(locale: string): Formats {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const plain = new Intl.NumberFormat(locale);
  const plural = new Intl.PluralRules(locale);
  return {
    date: (moment) => date.format(new Date(moment)),
    dateTime: (moment) => dateTime.format(new Date(moment)),
    distance(moment, nowMs = Date.now()) {
      const differenceMs = Date.parse(moment) - nowMs;
      const size = Math.abs(differenceMs);
      const [unit, lengthMs] = units.find(([, length]) => size >= length) ?? ['second', 1_000];
      // Seconds are of no interest, and the page does not count them.
      return unit === 'second'
        ? relative.format(0, 'second')
        : relative.format(Math.round(differenceMs / lengthMs), unit);
    },
    duration(seconds) {
      const lengthMs = seconds * 1_000;
      const [unit, unitMs] = lengths.find(([, length]) => length <= lengthMs && lengthMs % length === 0) ?? [
        'second',
        1_000,
      ];
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(lengthMs / unitMs);
    },
    months(count) {
      const [unit, value] = count % 12 === 0 ? ['year', count / 12] : ['month', count];
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    },
    number: (value) => plain.format(value),
    form: (value) => plural.select(value),
  };
}
