// What the suite of plans is told of a list.

/** A query string, or one that is allowed to walk an index because the limit ends the walk soon. */
export type Case = string | { readonly query: string; readonly walk: string };

export interface List {
  /** The index that has the whole list in its order. */
  readonly walk: string;
  /** Each filter with values that few rows have, and with values that many have; and filters together. */
  readonly cases: readonly Case[];
}

/** Filters that nearly all rows pass: the walk ends soon. */
export const walking = (walk: string, ...queries: readonly string[]): Case[] =>
  queries.map((query) => ({ query, walk }));

// Where nearly all rows pass, PostgreSQL prefers the order of the list to the index of the filter, and rightly so.
export const auditCases: readonly Case[] = [
  ...walking('audit_logs_occurred_at_id', 'event=LICENSE.COMMON', 'actor_type=user', 'resource_type=license'),
  'event=LICENSE.RARE',
  'actor_type=system',
  'actor_id=actor-5',
  'resource_type=settings',
  'resource_id=resource-7',
  'request_id=request-77',
  'from=2026-01-01T00:00:00.019Z',
  'to=2026-01-01T00:00:00.001Z',
  'from=2026-01-01T00:00:00.015Z&to=2026-01-01T00:00:00.016Z',
  'event=LICENSE.RARE&actor_type=system&from=2026-01-01T00:00:00.015Z',
];
