import { isDay, momentOfDay } from '../lib/day.ts';
import { idOrText } from '../lib/ids.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the schema and its alternatives. */
function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const inner = ['anyOf', 'allOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]));
  return [schema, ...inner.flatMap(branchesOf)];
}

function acceptsNull(schema: JsonSchema): boolean {
  return branchesOf(schema).some((branch) => {
    const { type, enum: choices, const: constant } = branch;
    if (type !== undefined) return [type].flat().includes('null');
    return (
      constant === null ||
      listOf(choices).some((one) => one === null) ||
      !['const', 'enum', 'anyOf', 'allOf', 'oneOf', 'not'].some((keyword) => Object.hasOwn(branch, keyword))
    );
  });
}

/** A field for which the caller sent a day and that now has the moment of that day in UTC. */
interface GivenDay {
  readonly fields: Record<string, unknown>;
  readonly name: string;
  readonly day: string;
}

/** The days in each value that was read; a value without days has no entry. */
const givenDays = new WeakMap<object, GivenDay[]>();

interface Reading {
  readonly ignoresNull: boolean;
  readonly days: GivenDay[];
}

function isFormat(schema: JsonSchema, format: string): boolean {
  return branchesOf(schema).some((branch) => branch['format'] === format);
}

function readField(schema: JsonSchema, fields: Record<string, unknown>, name: string, { days }: Reading): void {
  const text = fields[name] as string;
  if (isFormat(schema, 'uuid')) fields[name] = idOrText(text);
  if (!isFormat(schema, 'date-time') || !isDay(text)) return;
  days.push({ fields, name, day: text });
  fields[name] = momentOfDay(text, name, 'UTC');
}

function readFields(branch: JsonSchema, fields: Record<string, unknown>, reading: Reading): void {
  const required: readonly unknown[] = listOf(branch['required']);
  for (const [name, schema] of Object.entries((branch['properties'] ?? {}) as Record<string, JsonSchema>)) {
    if (!Object.hasOwn(fields, name)) continue;
    const value = fields[name];
    if (typeof value === 'string') readField(schema, fields, name, reading);
    else if (value !== null) readWithin(schema, value, reading);
    else if (reading.ignoresNull && !required.includes(name) && !acceptsNull(schema)) delete fields[name];
  }
}

function readItems(schema: JsonSchema, items: unknown[], reading: Reading): void {
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'string') readWithin(schema, item, reading);
    else if (isFormat(schema, 'uuid')) items[index] = idOrText(item);
  }
}

function readWithin(schema: JsonSchema, value: unknown, reading: Reading): void {
  if (typeof value !== 'object' || value === null) return;
  for (const branch of branchesOf(schema)) {
    if (!Array.isArray(value)) readFields(branch, value as Record<string, unknown>, reading);
    else if (branch['items'] !== undefined) readItems(branch['items'] as JsonSchema, value, reading);
  }
}

/**
 * Changes the body or query of a request in place to what its schema means: ids in lower case, days as moments in UTC
 * (`useTimezone` corrects them) and, with `ignoresNull`, without the optional fields that are null and for which null has
 * no meaning of its own. It changes no value that its schema accepts, so only refused ones need it.
 */
export function readLeniently(schema: object, value: unknown, ignoresNull: boolean): void {
  const days: GivenDay[] = [];
  readWithin(schema as JsonSchema, value, { ignoresNull, days });
  if (days.length > 0) givenDays.set(value as object, days);
}

/** Returns true if a value that was read has days, whose moments depend on a timezone. */
export function hasDays(value: unknown): boolean {
  return typeof value === 'object' && value !== null && givenDays.has(value);
}

/** Replaces the moments of the days in a value that was read by those in a timezone. */
export function useTimezone(value: unknown, timeZone: string): void {
  if (!hasDays(value)) return;
  for (const { fields, name, day } of givenDays.get(value as object) ?? []) {
    fields[name] = momentOfDay(day, name, timeZone);
  }
}
