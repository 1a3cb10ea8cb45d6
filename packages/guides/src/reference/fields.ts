import { escapeHtml } from '../markdown/html.ts';
import { type OpenApiDocument, resolveSchema, type Schema } from './document.ts';

/** What the lists of fields need from the reference. */
export interface FieldContext {
  readonly document: OpenApiDocument;
  /** Renders the Markdown of a description. */
  inline(text: string): string;
}

/** A schema without null and references, and what was removed. */
interface Shape {
  readonly schema: Schema;
  readonly isNullable: boolean;
}

const depthMax = 6;
/** Longer lists of values are behind a click. */
const shownValuesMax = 12;

/** Returns the schema of a field: references resolved, `null` removed from it, constants joined to an enum. */
function shapeOf(document: OpenApiDocument, given: Schema): Shape {
  const { schema } = resolveSchema(document, given);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const named = types.filter((type) => type !== 'null');
  const options = (schema.anyOf ?? schema.oneOf ?? []).map((option) => resolveSchema(document, option).schema);
  if (options.length === 0) {
    const [type = undefined] = named;
    const isNullable = named.length < types.length;
    return {
      schema: { ...schema, ...(named.length === 1 && type !== undefined ? { type } : { type: named }) },
      isNullable,
    };
  }
  const others = options.filter(({ type }) => type !== 'null');
  const isNullable = others.length < options.length;
  const { anyOf: _anyOf, oneOf: _oneOf, ...own } = schema;
  if (others.every((option) => option.const !== undefined)) {
    return { schema: { ...own, type: 'string', enum: others.map((option) => option.const) }, isNullable };
  }
  const [single] = others;
  if (others.length !== 1 || single === undefined) return { schema: { ...own, anyOf: others }, isNullable };
  const inner = shapeOf(document, single);
  return { schema: { ...inner.schema, ...own }, isNullable: isNullable || inner.isNullable };
}

function typeName(document: OpenApiDocument, schema: Schema): string {
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map((option) => typeName(document, shapeOf(document, option).schema)))].join(
      ' or ',
    );
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = typeof schema.type === 'string' ? schema.type : (schema.type ?? []).join(' or ');
  if (type === 'array' && schema.items) {
    const item = typeName(document, shapeOf(document, schema.items).schema);
    return item === '' ? 'array' : `array of ${item.replace(/^(object|string|integer|number|uuid)$/, '$1s')}`;
  }
  return schema.format ?? (type || (schema.properties ? 'object' : 'any'));
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Returns the limits of a value in words. */
function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const isUnbounded = minimum === Number.MIN_SAFE_INTEGER || maximum === Number.MAX_SAFE_INTEGER;
  const limits: string[] = [];
  if (minimum !== undefined && maximum !== undefined && !isUnbounded) limits.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined && !isUnbounded) limits.push(`at least ${minimum}`);
  else if (maximum !== undefined && !isUnbounded) limits.push(`at most ${maximum}`);
  if (minLength !== undefined && minLength > 1) limits.push(`at least ${plural(minLength, 'character')}`);
  if (maxLength !== undefined) limits.push(`at most ${plural(maxLength, 'character')}`);
  if (minItems !== undefined && minItems > 0) limits.push(`at least ${plural(minItems, 'item')}`);
  if (maxItems !== undefined) limits.push(`at most ${plural(maxItems, 'item')}`);
  if (pattern !== undefined && pattern.length < 60) limits.push(`matches ${pattern}`);
  return limits;
}

function valuesOf(schema: Schema): string {
  const values = schema.enum ?? [];
  if (values.length === 0) return '';
  const list = values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join('');
  const html = `<div class="values">${list}</div>`;
  return values.length <= shownValuesMax
    ? html
    : `<details><summary>${values.length} values</summary>${html}</details>`;
}

/** Returns the schema whose fields are shown inside a field: its own, or that of its items. */
function innerObject(document: OpenApiDocument, schema: Schema): Schema | null {
  if (schema.properties) return schema;
  if (schema.items) return innerObject(document, shapeOf(document, schema.items).schema);
  const options = (schema.anyOf ?? []).map((option) => shapeOf(document, option).schema);
  return options.find(({ properties }) => properties !== undefined) ?? null;
}

/** Returns one line of a list: name, type, whether it is required, limits, values, and the fields inside. */
export function field(
  context: FieldContext,
  { name, given, isRequired, depth }: { name: string; given: Schema; isRequired: boolean; depth: number },
): string {
  const { document, inline } = context;
  const { schema, isNullable } = shapeOf(document, given);
  const type = typeName(document, schema) + (isNullable ? ' or null' : '');
  const facts = [
    ...limitsOf(schema),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const description = given.description ?? schema.description;
  const inner = depth < depthMax ? innerObject(document, schema) : null;
  const nested = inner === null ? '' : fields(context, inner, depth + 1);
  return (
    `<li><div class="field-head"><code>${escapeHtml(name)}</code><span>${escapeHtml(type)}</span>` +
    `${isRequired ? '<span class="required">required</span>' : ''}` +
    `${facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join('')}</div>` +
    `${description ? `<p>${inline(description)}</p>` : ''}${valuesOf(schema)}` +
    `${nested && `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${nested}</details>`}</li>`
  );
}

/** Returns the list of a schema's fields; empty for a schema without fields. */
export function fields(context: FieldContext, given: Schema, depth = 0): string {
  const { schema } = shapeOf(context.document, given);
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return '';
  const items = entries.map(([name, property]) =>
    field(context, { name, given: property, isRequired: schema.required?.includes(name) ?? false, depth }),
  );
  return `<ul class="fields">${items.join('')}</ul>`;
}

/** Returns the fields of a response without its envelope: what `data` contains, if there is an envelope. */
export function responseFields(context: FieldContext, given: Schema): { html: string; of: 'data' | 'items' | 'body' } {
  const { document } = context;
  const { schema } = shapeOf(document, given);
  const data = schema.properties?.['data'];
  if (data === undefined) return { html: fields(context, schema), of: 'body' };
  const inner = shapeOf(document, data).schema;
  if (inner.items) return { html: fields(context, inner.items), of: 'items' };
  return { html: fields(context, inner), of: 'data' };
}
