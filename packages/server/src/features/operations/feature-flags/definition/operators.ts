/**
 * The operations of flagd's targeting rules with the number of their arguments, as its schema has them
 * (https://flagd.dev/schema/v0/targeting.json).
 */
export interface Operation {
  readonly least: number;
  readonly most: number;
  /** The argument may stand without a list around it. */
  readonly single?: true;
  /** Evaluates its second argument for every element of the first. */
  readonly loop?: true;
  /** What it answers, where that is known. */
  readonly answers?: 'boolean';
}

const any = Number.POSITIVE_INFINITY;

const two = { least: 2, most: 2 };
const comparison = { ...two, answers: 'boolean' } as const;
const between = { least: 2, most: 3, answers: 'boolean' } as const;
const oneOrMore = { least: 1, most: any };
const negation = { least: 1, most: 1, single: true, answers: 'boolean' } as const;

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
  sem_ver: { least: 3, most: 3, answers: 'boolean' },
  fractional: oneOrMore,
  missing: { least: 0, most: any },
  missing_some: two,
  var: { least: 1, most: 2, single: true },
};

/** The operation of that name; undefined for a name that only every object has, such as `toString`. */
export function operationNamed(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}
