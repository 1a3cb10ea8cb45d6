import type { FieldChange } from './audit.ts';

/** Returns the field changes of a creation: each of `fields` that is neither null nor undefined, with `old: null`. */
export function createdFields<State extends object>(
  after: State,
  fields: readonly (keyof State & string)[],
): FieldChange[] {
  return fields.filter((field) => after[field] != null).map((field) => ({ field, old: null, new: after[field] }));
}
