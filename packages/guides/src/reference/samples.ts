import { type OpenApiDocument, resolveSchema, type Schema } from './document.ts';

const sampleId = '0192f3a4-5b6c-7d8e-9f01-23456789abcd';
const sampleTime = '2026-01-31T12:00:00.000000Z';
const byFormat: Readonly<Record<string, unknown>> = {
  uuid: sampleId,
  'date-time': sampleTime,
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/hooks',
  url: 'https://example.com/hooks',
};
const byName: Readonly<Record<string, unknown>> = {
  email: 'ada@example.com',
  url: 'https://example.com/hooks',
  name: 'Editor',
  code: 'editor',
  key: 'BKHP1-T3S2T-T37C8-J1PB6-CXWKJ',
  password: 'correct horse battery staple',
  currency: 'usd',
  country: 'DE',
  fingerprint: 'b1946ac92492d2347c6235b4d2611184',
};

const depthMax = 8;

interface Place {
  readonly name?: string;
  /** Includes optional fields. */
  readonly all?: boolean;
  readonly depth?: number;
}

/** Returns an example value of a schema. It satisfies the schema, unless a pattern has no example of its own. */
export function sampleOf(document: OpenApiDocument, given: Schema, place: Place = {}): unknown {
  const { schema } = resolveSchema(document, given);
  const declared = [schema.example, schema.examples?.[0], schema.const, schema.default ?? undefined, schema.enum?.[0]];
  const first = declared.find((value) => value !== undefined);
  if (first !== undefined) return first;
  const options = schema.anyOf ?? schema.oneOf ?? [];
  const option = options.find((each) => resolveSchema(document, each).schema.type !== 'null');
  return option === undefined ? sampleOfType(document, schema, place) : sampleOf(document, option, place);
}

function typeOf({ type, properties }: Schema): string | undefined {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  return types.find((each) => each !== 'null') ?? (properties ? 'object' : undefined);
}

function sampleOfType(document: OpenApiDocument, schema: Schema, { name = '', all = true, depth = 0 }: Place): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(document, schema, { all, depth });
    case 'array':
      return schema.items && depth < depthMax
        ? [sampleOf(document, schema.items, { name, all, depth: depth + 1 })]
        : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'string':
      return sampleText(schema, name);
    default:
      return null;
  }
}

function sampleObject(
  document: OpenApiDocument,
  schema: Schema,
  { all, depth }: { all: boolean; depth: number },
): object {
  const entries = Object.entries(schema.properties ?? {});
  if (depth >= depthMax) return {};
  const required = entries.filter(([name]) => schema.required?.includes(name));
  // A change needs at least one field, and its schema requires none.
  const shown = all ? entries : required.length > 0 ? required : entries.slice(0, 1);
  return Object.fromEntries(
    shown.map(([name, property]) => [name, sampleOf(document, property, { name, all, depth: depth + 1 })]),
  );
}

function sampleText({ format = '', pattern, minLength = 0 }: Schema, name: string): string {
  const known = byFormat[format] ?? byName[name];
  const text =
    typeof known === 'string' ? known : name.endsWith('_id') ? sampleId : name.endsWith('_at') ? sampleTime : 'text';
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text))
    return /^\^\[a-z0-9/.test(pattern) ? 'editor' : text;
  return text.padEnd(minLength, 'x');
}
