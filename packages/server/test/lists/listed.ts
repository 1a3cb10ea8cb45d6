/** A query string, or one that may scan indexes (separated by spaces) because a limit ends the scan soon. */
export type Case = string | { readonly query: string; readonly scan: string };

/** A list for the suite of query plans. */
export interface List {
  /** The index that contains the whole list in its order. */
  readonly scan: string;
  /** Every filter with rare and with frequent values, and combinations of filters. */
  readonly cases: readonly Case[];
}

/** Cases of filters that nearly all rows pass, so that a scan ends soon. */
export const scanning = (scan: string, ...queries: readonly string[]): Case[] =>
  queries.map((query) => ({ query, scan }));

/**
 * Cases of an audit log. If nearly all rows pass, PostgreSQL rightly prefers the order of the list to the filter's
 * index.
 */
export const auditCases: readonly Case[] = [
  ...scanning('audit_logs_occurred_at_id', 'event=LICENSE.COMMON', 'actor_type=user', 'resource_type=license'),
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
