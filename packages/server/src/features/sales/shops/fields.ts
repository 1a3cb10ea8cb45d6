import { isNestedTooDeeply } from '../../../http/json-text.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { isObject, type JsonObject } from '../../../lib/json-object.ts';
import { MessageUnreadableError } from './shop.ts';

/** The longest name or address that is kept of a shop's text, in UTF-16 code units. */
const textLengthMax = 500;
/** The longest id of a shop, in UTF-16 code units. */
const idLengthMax = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the JSON object of a body; undefined for a body that is not UTF-8, not an object, or nested too deeply. */
export function parseObject(body: Buffer): JsonObject | undefined {
  try {
    const text = utf8.decode(body);
    const value: unknown = isNestedTooDeeply(text) ? undefined : JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an object, or an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the objects of a list; none for any other value. */
export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns a text without control characters; null for an empty text and for any other value. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, textLengthMax);
  return text === '' ? null : text;
}

/**
 * Returns an id, which some shops send as a number, or that of an expanded object; null for any other value. An id may
 * contain any character, but `.` and `..` would be another path of the shop's API.
 */
export function idOf(value: unknown): string | null {
  const id = isObject(value) ? value['id'] : value;
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  const isId = typeof text === 'string' && /^(?!\.{1,2}$)[^\p{Cc}\p{Cs}]+$/u.test(text) && text.length <= idLengthMax;
  return isId ? text : null;
}

/** Returns an id. Throws `MessageUnreadableError` if there is none. `what` names the object of the id in the message. */
export function requiredId(value: unknown, what: string): string {
  const id = idOf(value);
  if (id === null) throw new MessageUnreadableError(`The message contains no id of ${what}.`);
  return id;
}

/** Returns a number, which some shops send as text; null for any other value. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Returns how many units were bought: a whole number from 0, and 1 if the shop does not say it. */
export function quantityOf(value: unknown): number {
  const number = numberOf(value);
  return number === null || number < 0 ? 1 : Math.min(Math.floor(number), 1_000_000);
}

const earliestMs = Date.parse('0001-01-01T00:00:00Z');
const latestMs = Date.parse('9999-12-31T23:59:59.999Z');

function momentOf(epochMs: number, micros: number): Timestamp | null {
  return epochMs >= earliestMs && epochMs <= latestMs ? toTimestamp(epochMs, micros) : null;
}

/** Returns a time of ISO 8601, to the microsecond; null for any other value. */
export function timeOf(value: unknown): Timestamp | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T/.test(value)) return null;
  const micros = /\.\d{3}(\d{1,3})/.exec(value)?.[1] ?? '';
  return momentOf(Date.parse(value), Number(micros.padEnd(3, '0')));
}

/** Returns a time of Unix seconds; null for any other value. */
export function secondsTimeOf(value: unknown): Timestamp | null {
  return typeof value === 'number' && Number.isFinite(value) ? momentOf(Math.floor(value) * 1000, 0) : null;
}

/** Returns the latest of some times; null without any. */
export function latestOf(times: readonly (Timestamp | null)[]): Timestamp | null {
  return times.reduce((latest, time) => (latest === null || (time !== null && time > latest) ? time : latest), null);
}
