import type { TLocalizedValidationError } from 'typebox/error';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The number of problems after which the search stops. */
const maxProblems = 20;

/** What was found in a value so far. */
interface Findings {
  /** Lists and texts that are too long, and objects with too many fields. */
  readonly tooLarge: TLocalizedValidationError[];
  readonly unknownFields: TLocalizedValidationError[];
}

function isExcessive({ tooLarge, unknownFields }: Findings): boolean {
  return tooLarge.length > 0 || unknownFields.length >= maxProblems;
}

function isFull({ tooLarge, unknownFields }: Findings): boolean {
  return tooLarge.length + unknownFields.length >= maxProblems;
}

const problem = (keyword: string, instancePath: string, params: object) =>
  ({ keyword, schemaPath: '#', instancePath, params, message: '' }) as TLocalizedValidationError;

const below = (path: string, name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function acceptsTypeOf(schema: JsonSchema, value: unknown): boolean {
  if (Array.isArray(value)) return schema['type'] === 'array';
  return schema['type'] === typeof value;
}

/** A value of a union has excess if it has it in every branch of its type. */
function visitUnion(branches: readonly JsonSchema[], value: unknown, path: string, findings: Findings): void {
  const found = branches
    .filter((branch) => branch['anyOf'] !== undefined || acceptsTypeOf(branch, value))
    .map((branch) => {
      const ofBranch: Findings = { tooLarge: [], unknownFields: [] };
      visit(branch, value, path, ofBranch);
      return ofBranch;
    });
  const [first] = found;
  if (first === undefined || !found.every(isExcessive)) return;
  findings.tooLarge.push(...first.tooLarge);
  findings.unknownFields.push(...first.unknownFields);
}

function visitList(schema: JsonSchema, value: readonly unknown[], path: string, findings: Findings): void {
  const limit = schema['maxItems'];
  if (typeof limit === 'number' && value.length > limit) findings.tooLarge.push(problem('maxItems', path, { limit }));
  else if (schema['items'] !== undefined) {
    for (const [index, item] of value.entries()) {
      if (isFull(findings)) return;
      visit(schema['items'] as JsonSchema, item, `${path}/${index}`, findings);
    }
  }
}

function visitNames(known: Record<string, JsonSchema>, value: object, path: string, findings: Findings): void {
  for (const name in value) {
    if (isFull(findings)) return;
    if (!Object.hasOwn(known, name)) findings.unknownFields.push(problem('boolean', below(path, name), {}));
  }
}

function visitObject(schema: JsonSchema, value: object, path: string, findings: Findings): void {
  const limit = schema['maxProperties'];
  if (typeof limit === 'number' && Object.keys(value).length > limit) {
    findings.tooLarge.push(problem('maxProperties', path, { limit }));
    return;
  }
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  if (schema['additionalProperties'] === false) visitNames(properties, value, path, findings);
  for (const [name, property] of Object.entries(properties)) {
    if (isFull(findings)) return;
    if (Object.hasOwn(value, name))
      visit(property, (value as Record<string, unknown>)[name], below(path, name), findings);
  }
}

function visit(schema: JsonSchema, value: unknown, path: string, findings: Findings): void {
  if (Array.isArray(schema['anyOf'])) visitUnion(schema['anyOf'], value, path, findings);
  else if (!acceptsTypeOf(schema, value)) return;
  else if (typeof value === 'string') {
    const limit = schema['maxLength'];
    // A character has at most two UTF-16 units.
    if (typeof limit === 'number' && value.length > 2 * limit)
      findings.tooLarge.push(problem('maxLength', path, { limit }));
  } else if (Array.isArray(value)) visitList(schema, value, path, findings);
  else if (typeof value === 'object' && value !== null) visitObject(schema, value, path, findings);
}

/**
 * Returns the errors of an invalid value that is much larger than its schema allows: lists, texts and objects over their
 * counts, and 20 unknown fields. TypeBox visits everything in a value after a count has failed; 250,000 items of a list
 * of at most 100 blocked the event loop for half a second. Without excess the value is as small as a valid one.
 */
export function excessOf(schema: JsonSchema, value: unknown): TLocalizedValidationError[] {
  const findings: Findings = { tooLarge: [], unknownFields: [] };
  visit(schema, value, '', findings);
  return isExcessive(findings) ? [...findings.tooLarge, ...findings.unknownFields] : [];
}
