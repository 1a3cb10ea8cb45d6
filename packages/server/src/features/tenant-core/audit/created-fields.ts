import type { FieldChange } from './audit.ts';

/** The changes of a creation: every given field that has a value, from nothing. */
export function createdFields<State extends object>(
  after: State,
  fields: readonly (keyof State & string)[],
): FieldChange[] {
  return fields.filter((field) => after[field] != null).map((field) => ({ field, old: null, new: after[field] }));
}
