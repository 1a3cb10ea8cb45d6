import type { ErrorDetail } from '../../../lib/error.ts';
import { isObject, type JsonObject } from '../../../lib/json-object.ts';
import { checkTargeting, knownResults, type Path, Problems } from './targeting.ts';

const sizeMax = 32 * 1024;
const variantsMax = 100;
const metadataMax = 64;
const fields = ['state', 'variants', 'defaultVariant', 'targeting', 'metadata'];

/**
 * Checks whether flagd can evaluate a flag without an error of the flag's own. flagd itself only warns about a mistake
 * and then falls back to a default. Its schema (https://flagd.dev/schema/v0/flags.json) is narrower: it has no partial
 * versions and no negative weights. Returns all problems, each with its path below `definition`.
 */
export function definitionProblems(definition: JsonObject): readonly ErrorDetail[] {
  const problems = new Problems();
  const path = ['definition'];
  if (Buffer.byteLength(JSON.stringify(definition)) > sizeMax) {
    problems.add(path, 'This must be at most 32 KiB as JSON.');
    return problems.details;
  }
  for (const name of Object.keys(definition).filter((candidate) => !fields.includes(candidate))) {
    problems.add([...path, name], `Leave this out. The fields of a flag are ${fields.join(', ')}.`);
  }
  if (definition['state'] !== 'ENABLED' && definition['state'] !== 'DISABLED') {
    problems.add([...path, 'state'], 'This must be "ENABLED" or "DISABLED".');
  }
  checkVariants(definition['variants'], [...path, 'variants'], problems);
  checkDefault(definition, [...path, 'defaultVariant'], problems);
  checkMetadata(definition['metadata'], [...path, 'metadata'], problems);
  if (definition['targeting'] !== undefined) {
    checkTargeting(definition['targeting'], [...path, 'targeting'], problems);
  }
  if (problems.details.length === 0) checkResults(definition, [...path, 'targeting'], problems);
  return problems.details;
}

const kinds = ['boolean', 'string', 'number', 'object'];

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function checkVariants(variants: unknown, path: Path, problems: Problems): undefined {
  if (!isObject(variants)) return problems.add(path, 'This must be an object with a value for each variant.');
  const entries = Object.entries(variants);
  if (entries.length === 0) return problems.add(path, 'This must have at least one variant.');
  if (entries.length > variantsMax) return problems.add(path, `This must have at most ${variantsMax} variants.`);
  const kind = kindOf(entries[0]?.[1]);
  for (const [name, value] of entries) {
    if (name === '' || name.length > 100)
      problems.add([...path, name], 'This must have a name of 1 to 100 characters.');
    else if (!kinds.includes(kindOf(value))) problems.add([...path, name], `This must be one of ${kinds.join(', ')}.`);
    else if (kindOf(value) !== kind) problems.add([...path, name], `This must be a ${kind} like the first variant.`);
  }
}

function hasVariant({ variants }: JsonObject, name: string): boolean {
  return isObject(variants) && Object.hasOwn(variants, name);
}

function checkDefault(definition: JsonObject, path: Path, problems: Problems): undefined {
  const { defaultVariant } = definition;
  // In flagd, each of these means the default value in the application's code.
  if (defaultVariant === undefined || defaultVariant === null || defaultVariant === '') return;
  if (typeof defaultVariant !== 'string') {
    return problems.add(
      path,
      "This must be the name of a variant, or null for the default value in the application's code.",
    );
  }
  if (!hasVariant(definition, defaultVariant))
    problems.add(path, `This must be the name of a variant, and "${defaultVariant}" is not one.`);
}

function checkMetadata(metadata: unknown, path: Path, problems: Problems): undefined {
  if (metadata === undefined) return;
  if (!isObject(metadata)) return problems.add(path, 'This must be an object.');
  const entries = Object.entries(metadata);
  if (entries.length > metadataMax) return problems.add(path, `This must have at most ${metadataMax} fields.`);
  for (const [name, value] of entries) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      problems.add([...path, name], 'This must be a string, a number or a boolean.');
    }
  }
}

/**
 * Checks the known results of a rule, because flagd fails if a rule returns a value that is not the name of a variant.
 */
function checkResults(definition: JsonObject, path: Path, problems: Problems): undefined {
  for (const result of knownResults(definition['targeting'], path)) {
    const name = String(result.value);
    if (!hasVariant(definition, name))
      problems.add(result.path, `This must return the name of a variant, and "${name}" is not one.`);
  }
}
