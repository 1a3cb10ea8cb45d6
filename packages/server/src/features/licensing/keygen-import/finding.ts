/**
 * What happened to a resource or a field that was not imported as it is:
 *
 * - `adjusted`: imported with another value;
 * - `left_out`: has no counterpart here;
 * - `refused`: the resource was not imported;
 * - `conflict`: the resource changed in both services, and ours was kept;
 * - `missing`: the resource was imported earlier and no longer exists in Keygen; ours was kept.
 */
export type Outcome = 'adjusted' | 'left_out' | 'refused' | 'conflict' | 'missing';

/** A line of the report. It never contains a license key or a person's data. */
export interface Finding {
  /** The collection in Keygen, such as `licenses`. */
  readonly resource: string;
  /** The id in Keygen; null if the finding concerns no single resource. */
  readonly id: string | null;
  readonly outcome: Outcome;
  /** The attribute in Keygen; absent if the finding concerns the whole resource. */
  readonly field?: string;
  /** The value in Keygen, if it is a number, a flag or a word of Keygen's own. */
  readonly value?: string | number | boolean;
  /** A sentence that describes the difference. */
  readonly message: string;
}

/** A finding without the resource that it concerns. */
export type Note = Omit<Finding, 'resource' | 'id'>;

/** What the import did with a resource. */
export type Result = 'created' | 'updated' | 'unchanged' | 'refused' | 'conflict';

/** The results of a collection. */
export type Counts = Partial<Record<Result | 'missing' | 'adjusted' | 'left_out', number>>;
