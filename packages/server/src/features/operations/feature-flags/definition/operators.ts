/** An operation of flagd's targeting rules, from its schema (https://flagd.dev/schema/v0/targeting.json). */
export interface Operation {
  /** The minimum number of arguments. */
  readonly least: number;
  /** The maximum number of arguments. */
  readonly most: number;
  /** Whether a single argument may be given without a list. */
  readonly single?: true;
  /** Whether the operation evaluates its second argument for every element of the first. */
  readonly loop?: true;
  /** The type of the result, where it is known. */
  readonly returns?: 'boolean';
}

const any = Number.POSITIVE_INFINITY;

const two = { least: 2, most: 2 };
const comparison = { ...two, returns: 'boolean' } as const;
const between = { least: 2, most: 3, returns: 'boolean' } as const;
const oneOrMore = { least: 1, most: any };
const negation = { least: 1, most: 1, single: true, returns: 'boolean' } as const;

/** The operations that a targeting rule may use, by name. */
export const operations: Readonly<Record<string, Operation>> = {
  if: oneOrMore,
  '==': comparison,
  '===': comparison,
  '!=': comparison,
  '!==': comparison,
  '>': comparison,
  '>=': comparison,
  '<': between,
  '<=': between,
  '%': two,
  '/': two,
  in: comparison,
  map: { ...two, loop: true },
  filter: { ...two, loop: true },
  all: { ...comparison, loop: true },
  none: { ...comparison, loop: true },
  some: { ...comparison, loop: true },
  reduce: { least: 3, most: 3, loop: true },
  '*': { least: 2, most: any },
  '!': negation,
  '!!': negation,
  or: oneOrMore,
  and: oneOrMore,
  '+': oneOrMore,
  '-': oneOrMore,
  max: oneOrMore,
  min: oneOrMore,
  merge: oneOrMore,
  cat: oneOrMore,
  substr: { least: 2, most: 3 },
  starts_with: comparison,
  ends_with: comparison,
  sem_ver: { least: 3, most: 3, returns: 'boolean' },
  fractional: oneOrMore,
  missing: { least: 0, most: any },
  missing_some: two,
  var: { least: 1, most: 2, single: true },
};

/** Returns the operation with a name; undefined for unknown names and for inherited properties such as `toString`. */
export function operationNamed(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}
