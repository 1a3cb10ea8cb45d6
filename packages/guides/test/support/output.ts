import { isDeepStrictEqual } from 'node:util';

/** Values that differ in each run. Two values of the same form are equal. */
const forms: readonly (readonly [string, RegExp])[] = [
  ['<jws>', /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g],
  ['<secret>', /\b(?:vx|service|whsec)_[\w+/=-]{8,}/g],
  ['<uuid>', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
  ['<time>', /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)/g],
  ['<license key>', /\b(?:[A-Z0-9]+-)?(?:[0-9A-Z]{5}-){4}[0-9A-Z]{5}\b/g],
  ['<hash>', /\b[0-9a-f]{64}\b/g],
  ['<address>', /http:\/\/127\.0\.0\.1:\d+/g],
];

function withForms(text: string): string {
  return forms.reduce((result, [name, pattern]) => result.replace(pattern, name), text);
}

/** `…` stands for any text in a line. */
function matchesLine(expected: string, actual: string): boolean {
  const parts = withForms(expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(withForms(actual));
}

/** A line that is only `…` stands for any number of lines. */
function matchesLines(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first.trim() === '…') {
    return Array.from({ length: actual.length + 1 }, (_, start) => start).some((start) =>
      matchesLines(rest, actual.slice(start)),
    );
  }
  const [line, ...others] = actual;
  return line !== undefined && matchesLine(first, line) && matchesLines(rest, others);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An output may leave out fields of an object, and shows the others as they are. `"…"` stands for any value. */
function matchesValue(expected: unknown, actual: unknown): boolean {
  if (expected === '…') return actual !== undefined;
  if (typeof expected === 'string') return typeof actual === 'string' && matchesLine(expected, actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((item, index) => matchesValue(item, actual[index]))
    );
  }
  if (!isRecord(expected)) return isDeepStrictEqual(expected, actual);
  return isRecord(actual) && Object.entries(expected).every(([name, value]) => matchesValue(value, actual[name]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true if a program printed what the page shows. */
export function isOutput({
  language,
  expected,
  actual,
}: {
  language: string;
  expected: string;
  actual: string;
}): boolean {
  if (language === 'json') return matchesValue(JSON.parse(expected), parsed(actual));
  return matchesLines(expected.trim().split('\n'), actual.trim().split('\n'));
}
