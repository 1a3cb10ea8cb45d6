/**
 * What happened to a resource or a field that was not imported as it is:
 *
 * - `adjusted`: imported with another value;
 * - `left_out`: has no counterpart here;
 * - `refused`: the resource was not imported;
 * - `conflict`: exists here with another state, which was kept.
 */
export interface Note {
  readonly outcome: 'adjusted' | 'left_out' | 'refused' | 'conflict';
  /** The attribute in Keygen; absent if the note concerns the whole resource. */
  readonly field?: string;
  /** The value in Keygen, if it is a number, a flag or a word of Keygen's own. */
  readonly value?: string | number | boolean;
  /** A sentence that describes the difference. It never contains a license key or a person's data. */
  readonly message: string;
}

/** What is noted while one resource is mapped. */
export class Notes {
  readonly all: Note[] = [];

  adjusted(field: string, message: string, value?: Note['value']): void {
    this.all.push({ outcome: 'adjusted', field, ...(value !== undefined && { value }), message });
  }

  leftOut(field: string, value?: Note['value'], message = 'There is no counterpart.'): void {
    this.all.push({ outcome: 'left_out', field, ...(value !== undefined && { value }), message });
  }
}

/** The refusal of a resource. */
export function refusal(message: string, field?: string): Note {
  return { outcome: 'refused', ...(field !== undefined && { field }), message };
}
