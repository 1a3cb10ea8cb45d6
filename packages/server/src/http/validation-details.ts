import type { TLocalizedValidationError } from 'typebox/error';
import { type ErrorDetail, fieldRequired } from '../lib/error.ts';

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
  uuid: 'Enter an id: a UUID such as 0197f3a2-7c1e-7b4d-9a3f-5d2e8c6b1a90.',
  email: 'Enter an email address such as ada@example.com.',
  'date-time':
    'Enter a date such as 2026-12-01, or a date and time such as 2026-11-20T17:42:00Z, in the years 1970 to 9999.',
  uri: 'Enter a whole URL, such as https://example.com/page.',
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
  return `Enter ${types.map((type) => typeNames[type] ?? type).join(' or ')}.`;
}

function choiceSentence(values: readonly unknown[]): string {
  return values.length === 1 ? `Enter ${String(values[0])}.` : `Choose one of ${values.map(String).join(', ')}.`;
}

/** What the patterns of fields mean, because people read messages and not expressions. */
const patternRules: readonly (readonly [start: string, rule: string])[] = [
  ['^[a-z0-9-]{1,64}$', 'Use 1 to 64 lower-case letters, digits and hyphens.'],
  ['^[a-z0-9-]{3,40}$', 'Use 3 to 40 lower-case letters, digits and hyphens.'],
  ['^[a-z][a-z0-9-]', 'Begin with a lower-case letter, and use lower-case letters, digits and hyphens.'],
  ['^[a-z0-9][a-z0-9.-]', 'Use lower-case letters, digits, dots and hyphens.'],
  ['^(?:0|[1-9]', 'Enter a semantic version, such as 2.4.0 or 2.4.0-beta.1.'],
  ['^\\d{4}-', 'Enter a day, such as 2026-11-20.'],
  ['^[0-9a-fA-F]{64}', 'Enter 64 hexadecimal digits.'],
  ['^[A-Za-z0-9][A-Za-z0-9 ._+()', 'Begin with a letter or a digit, and use letters, digits, spaces and ._+()-.'],
  ['^[\\x20-\\x7e\\r\\n]', 'Use visible ASCII characters and line breaks.'],
  ['^[a-z][a-z0-9_.]', 'Begin with a lower-case letter, and use lower-case letters, digits, underscores and dots.'],
  [
    '^[a-z][a-z0-9_]{',
    'Begin with a lower-case letter, and use at most 32 lower-case letters, digits and underscores.',
  ],
  ['^https?://', 'Enter an address that begins with https:// or http://.'],
  ['^[A-Za-z0-9.:-]', 'Enter the name or the address of a server, such as smtp.example.com.'],
  ['^[A-Za-z0-9._-]', 'Use letters, digits, dots, underscores and hyphens.'],
  ['^[\\w.-]', 'Use letters, digits, dots, underscores and hyphens.'],
  [
    '^[A-Za-z0-9][A-Za-z0-9._-',
    'Begin with a letter or a digit, and use letters, digits, dots, underscores and hyphens.',
  ],
  [
    '^[A-Za-z0-9][A-Za-z0-9._~!',
    "Begin with a letter or a digit, and use letters, digits and ._~!$&'()*+,;=:@- without spaces.",
  ],
  ['^[A-Za-z0-9]([A-Za-z0-9_-]', 'Use 1 to 20 letters and digits, with hyphens or underscores between them.'],
  ['^[A-Za-z0-9][A-Za-z0-9', 'Begin with a letter or a digit, and use letters, digits, hyphens and underscores.'],
  ['^[a-z]{3}$', 'Enter the code of a currency, such as usd.'],
  ['^[A-Z]{2}$', 'Enter the code of a country, such as DE.'],
  ['^[0-9]{6}$', 'Enter six digits.'],
  ['^#', 'Enter a color such as #1a73e8.'],
  ['^[ -~]{1,128}$', 'Use 1 to 128 visible ASCII characters and spaces.'],
  ['^[!-~]([ -~]', 'Use visible ASCII characters, and spaces only between them.'],
  ["^[!#$%&'*+.", "Use 1 to 64 letters, digits and the characters !#$%&'*+-.^_`|~."],
  ['^[!-~]', 'Use visible characters without spaces.'],
  ['^[\\x21-\\x7e]', 'Use visible characters without spaces.'],
  ['\\S', 'Enter a value.'],
  ['^[^', 'Remove line breaks and other control characters.'],
];

function patternRule(pattern: string): string {
  return (
    patternRules.find(([start]) => pattern.startsWith(start))?.[1] ?? 'Remove the characters that are not allowed here.'
  );
}

/** Returns the message for a field that breaks a rule. It contains the rule, never the value. */
function sentence(error: ValidationError): string {
  switch (error.keyword) {
    case 'type':
      return typeSentence([error.params.type].flat());
    case 'minLength':
      return error.params.limit === 1 ? 'Enter a value.' : `Enter at least ${error.params.limit} characters.`;
    case 'maxLength':
      return `Enter at most ${plural(error.params.limit, 'character')}.`;
    case 'minimum':
      return `Enter a number of at least ${error.params.limit}.`;
    case 'maximum':
      return `Enter a number of at most ${error.params.limit}.`;
    case 'exclusiveMinimum':
      return `Enter a number above ${error.params.limit}.`;
    case 'exclusiveMaximum':
      return `Enter a number below ${error.params.limit}.`;
    case 'multipleOf':
      return `Enter a multiple of ${error.params.multipleOf}.`;
    case 'minItems':
      return `Choose at least ${plural(error.params.limit, 'item')}.`;
    case 'maxItems':
      return `Choose at most ${plural(error.params.limit, 'item')}.`;
    case 'minProperties':
      return `Send at least ${plural(error.params.limit, 'field')}.`;
    case 'maxProperties':
      return `Send at most ${plural(error.params.limit, 'field')}.`;
    case 'uniqueItems':
      return 'Choose each item only once.';
    case 'pattern':
      return patternRule(String(error.params.pattern));
    case 'format':
      return formatNames[error.params.format] ?? `Enter a valid ${error.params.format}.`;
    case 'const':
      return choiceSentence([error.params.allowedValue]);
    case 'enum':
      return choiceSentence(error.params.allowedValues);
    case 'boolean':
      return 'This field is not known. Remove it or correct its name.';
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
  const [first] = branches;
  const lacks = (error: ValidationError) => error.keyword === 'required' && error.instancePath === union.instancePath;
  // Of several fields, one is required.
  if (first !== undefined && branches.every(({ errors }) => errors.every(lacks))) return collect(first.errors);
  const isOtherType = (error: ValidationError) => error.keyword === 'type' && error.instancePath === union.instancePath;
  const choices = branches.map((branch) => choicesOf(branch, union.instancePath));
  if (choices.every((values) => values !== undefined)) return [{ field, message: choiceSentence(choices.flat()) }];
  const ofSameType = branches.filter((branch) => !branch.errors.some(isOtherType));
  const [only, ...others] = ofSameType;
  if (only !== undefined && others.length === 0) return collect(only.errors);
  if (only !== undefined) return [{ field, message: 'Send one of the documented forms.' }];
  const types = branches.flatMap(({ errors }) =>
    errors.filter(isOtherType).flatMap((error) => (error.keyword === 'type' ? [error.params.type].flat() : [])),
  );
  return [{ field, message: typeSentence([...new Set(types)]) }];
}

function plainDetails(error: ValidationError): ErrorDetail[] {
  const field = toField(error.instancePath);
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({ field: under(field, name), message: fieldRequired }));
  }
  // Each unknown or wrong name has its own error besides these summaries.
  if (error.keyword === 'additionalProperties' || error.keyword === 'propertyNames') return [];
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
