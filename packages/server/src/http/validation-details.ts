import type { TLocalizedValidationError } from 'typebox/error';
import type { ErrorDetail } from '../lib/error.ts';

type ValidationError = TLocalizedValidationError;

/** The name of each JSON type in messages. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const formatNames: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID in lower case',
  email: 'must be an e-mail address',
  'date-time': 'must be a date and time such as 2026-11-20T17:42:00Z (RFC 3339, years 1970 to 9999)',
  uri: 'must be an absolute URL',
};

/** Converts a JSON pointer (RFC 6901) to a dotted path: `/policy/max_activations` is `policy.max_activations`. */
function toField(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function under(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function typeSentence(types: readonly string[]): string {
  return `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`;
}

function choiceSentence(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;
}

/** What the patterns of fields mean, because people read messages and not expressions. */
const patternRules: readonly (readonly [start: string, rule: string])[] = [
  ['^[a-z0-9-]{1,64}$', 'must have 1 to 64 lower-case letters, digits and hyphens, and nothing else'],
  [
    '^[A-Za-z0-9][A-Za-z0-9._~!',
    "must begin with a letter or a digit, and may have letters, digits and ._~!$&'()*+,;=:@- without spaces",
  ],
  ['^[A-Za-z0-9]([A-Za-z0-9_-]', 'must have 1 to 20 letters and digits, with hyphens or underscores between them'],
  [
    '^[A-Za-z0-9][A-Za-z0-9',
    'must begin with a letter or a digit, and may have letters, digits, hyphens and underscores',
  ],
  ['^[a-z]{3}$', 'must be the code of a currency, such as usd'],
  ['^[A-Z]{2}$', 'must be the code of a country, such as DE'],
  ['^[0-9]{6}$', 'must be six digits'],
  ['^#', 'must be a colour such as #1a73e8'],
  ['^[!-~]', 'must have visible characters without spaces'],
  ['^[\\x21-\\x7e]', 'must have visible characters without spaces'],
  ['\\S', 'must not be blank'],
  ['^[^', 'must not have line breaks or other control characters'],
];

function patternRule(pattern: string): string {
  return patternRules.find(([start]) => pattern.startsWith(start))?.[1] ?? 'has characters that are not allowed here';
}

/** Returns the message for a field that breaks a rule. It contains the rule, never the value. */
function sentence(error: ValidationError): string {
  switch (error.keyword) {
    case 'type':
      return typeSentence([error.params.type].flat());
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} characters`;
    case 'maxLength':
      return `must have at most ${plural(error.params.limit, 'character')}`;
    case 'minimum':
      return `must be at least ${error.params.limit}`;
    case 'maximum':
      return `must be at most ${error.params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${error.params.limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${error.params.limit}`;
    case 'multipleOf':
      return `must be a multiple of ${error.params.multipleOf}`;
    case 'minItems':
      return `must have at least ${plural(error.params.limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${plural(error.params.limit, 'item')}`;
    case 'minProperties':
      return `must have at least ${plural(error.params.limit, 'field')}`;
    case 'maxProperties':
      return `must have at most ${plural(error.params.limit, 'field')}`;
    case 'uniqueItems':
      return 'must not name the same item twice';
    case 'pattern':
      return patternRule(String(error.params.pattern));
    case 'format':
      return formatNames[error.params.format] ?? `must be a valid ${error.params.format}`;
    case 'const':
      return choiceSentence([error.params.allowedValue]);
    case 'enum':
      return choiceSentence(error.params.allowedValues);
    case 'boolean':
      return 'is not a known field: remove it or correct its name';
    case '~refine':
      return error.params.message;
    default:
      return error.message;
  }
}

/** Returns true if `pointer` is `parent` or below it. */
function isWithin(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}

interface Branch {
  readonly index: string;
  readonly errors: readonly ValidationError[];
}

function branchesOf(union: ValidationError, errors: readonly ValidationError[]): Branch[] {
  const prefix = `${union.schemaPath}/anyOf/`;
  const byIndex = new Map<string, ValidationError[]>();
  for (const error of errors) {
    if (!error.schemaPath.startsWith(prefix) || !isWithin(error.instancePath, union.instancePath)) continue;
    const index = error.schemaPath.slice(prefix.length).split('/', 1)[0] ?? '';
    byIndex.set(index, [...(byIndex.get(index) ?? []), error]);
  }
  return [...byIndex].map(([index, branchErrors]) => ({ index, errors: branchErrors }));
}

/** Returns the values that a branch allows; undefined if the branch is not limited to listed values. */
function choicesOf(branch: Branch, field: string): readonly unknown[] | undefined {
  const own = branch.errors.filter((error) => error.instancePath === field);
  for (const error of own) {
    if (error.keyword === 'const') return [error.params.allowedValue];
    if (error.keyword === 'enum') return error.params.allowedValues;
    if (error.keyword === 'type' && error.params.type === 'null') return [null];
  }
  return undefined;
}

/**
 * Describes a value that matches no branch of a union: by the errors of the branch with the value's type if there is
 * exactly one, otherwise by the types or values that the branches allow.
 */
function unionDetails(union: ValidationError, branches: readonly Branch[]): ErrorDetail[] {
  const field = toField(union.instancePath);
  const isOtherType = (error: ValidationError) => error.keyword === 'type' && error.instancePath === union.instancePath;
  const choices = branches.map((branch) => choicesOf(branch, union.instancePath));
  if (choices.every((values) => values !== undefined)) return [{ field, message: choiceSentence(choices.flat()) }];
  const ofSameType = branches.filter((branch) => !branch.errors.some(isOtherType));
  const [only, ...others] = ofSameType;
  if (only !== undefined && others.length === 0) return collect(only.errors);
  if (only !== undefined) return [{ field, message: 'must have one of the documented forms' }];
  const types = branches.flatMap(({ errors }) =>
    errors.filter(isOtherType).flatMap((error) => (error.keyword === 'type' ? [error.params.type].flat() : [])),
  );
  return [{ field, message: typeSentence([...new Set(types)]) }];
}

function plainDetails(error: ValidationError): ErrorDetail[] {
  const field = toField(error.instancePath);
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({ field: under(field, name), message: 'is required' }));
  }
  // Each unknown field has its own error besides this summary.
  if (error.keyword === 'additionalProperties') return [];
  return [{ field, message: sentence(error) }];
}

function collect(errors: readonly ValidationError[]): ErrorDetail[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf');
  const isInside = (error: ValidationError, union: ValidationError) =>
    error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) && isWithin(error.instancePath, union.instancePath);
  const outermost = errors.filter((error) => !unions.some((union) => isInside(error, union)));
  return outermost.flatMap((error) =>
    error.keyword === 'anyOf' ? unionDetails(error, branchesOf(error, errors)) : plainDetails(error),
  );
}

/** Limits the name of an unknown field, which the caller chooses and which may be as long as the body. */
const maxFieldLength = 200;

/**
 * Converts TypeBox's errors to one detail per invalid field, for the first rule that the field breaks. `whole` is the
 * field name if the body or query string is invalid as a whole.
 */
export function toDetails(errors: readonly ValidationError[], whole: 'body' | 'query'): ErrorDetail[] {
  const byField = new Map<string, ErrorDetail>();
  for (const detail of collect(errors)) {
    const field = detail.field === '' ? whole : detail.field.slice(0, maxFieldLength);
    if (!byField.has(field)) byField.set(field, { field, message: detail.message });
  }
  return [...byField.values()];
}
