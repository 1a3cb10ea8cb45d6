const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** From the largest to the smallest: a unit, and its length in milliseconds. */
const units = [
  ['year', 365 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', 1_000],
] as const;

/** Formats values for the reader of one language. */
export interface Formats {
  /** A day: `3 May 2027`. */
  date(moment: string): string;
  /** The last day before an end: `2 May 2027` for midnight of the 3rd. */
  lastDay(end: string): string;
  /** A time to the minute, in the reader's time zone. */
  dateTime(moment: string): string;
  /** Whether a moment is less than a week away. */
  isNear(moment: string, nowMs?: number): boolean;
  /** How long ago or ahead a moment is, below a week: `3 days ago`, `tomorrow`; otherwise the day. */
  distance(moment: string, nowMs?: number): string;
  /** A length of time in its largest whole unit: `30 days`, `1 year`. */
  duration(seconds: number): string;
  /** Months of the calendar, as years if they are whole years: `1 year`, `18 months`. */
  months(count: number): string;
  number(value: number): string;
  /** A length of data: `84 MB`. */
  size(bytes: number): string;
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
  const isNear = (moment: string, nowMs = Date.now()) => Math.abs(Date.parse(moment) - nowMs) < 7 * day;
  return {
    isNear,
    date: (moment) => date.format(new Date(moment)),
    lastDay: (end) => date.format(Date.parse(end) - 1),
    dateTime: (moment) => dateTime.format(new Date(moment)),
    distance(moment, nowMs = Date.now()) {
      if (!isNear(moment, nowMs)) return date.format(new Date(moment));
      const differenceMs = Date.parse(moment) - nowMs;
      const size = Math.abs(differenceMs);
      if (size >= day) return relative.format(daysBetween(nowMs, Date.parse(moment)), 'day');
      if (size >= hour) return relative.format(Math.trunc(differenceMs / hour), 'hour');
      // Seconds are of no interest, and the page does not count them.
      return size < minute
        ? relative.format(0, 'second')
        : relative.format(Math.trunc(differenceMs / minute), 'minute');
    },
    duration(seconds) {
      const lengthMs = seconds * 1_000;
      const [unit, unitMs] = units.find(([, length]) => length <= lengthMs && lengthMs % length === 0) ?? [
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
    size(bytes) {
      const [unit, unitBytes] = bytes < 1_000_000 ? ['kilobyte', 1_000] : ['megabyte', 1_000_000];
      const format = { style: 'unit', unit, maximumFractionDigits: bytes < 10_000_000 ? 1 : 0 } as const;
      return new Intl.NumberFormat(locale, format).format(bytes / unitBytes);
    },
    form: (value) => plural.select(value),
  };
}

/** Returns how many days of the calendar the second moment is later, in the reader's time zone. */
function daysBetween(oneMs: number, otherMs: number): number {
  const [one = 0, other = 0] = [oneMs, otherMs].map((ms) => new Date(ms).setHours(0, 0, 0, 0));
  // A day on which the clocks change has 23 or 25 hours.
  return Math.round((other - one) / day);
}
