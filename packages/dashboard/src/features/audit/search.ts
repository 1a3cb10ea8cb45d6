import { oneOf, searchOf, text } from '../../lib/search.ts';
import { actorTypes } from './actors.ts';

/** A day such as `2026-11-20`. */
function day(value: unknown): string | undefined {
  const isDay = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay ? value : undefined;
}

const filters = {
  event: text,
  actor_type: oneOf(actorTypes),
  actor_id: text,
  resource_type: text,
  resource_id: text,
  request_id: text,
  from: day,
  to: day,
};

/** The search parameters that are filters. */
// `Object.keys` returns the names as plain texts.
export const auditFilterNames = Object.keys(filters) as (keyof typeof filters)[];

/** The search parameters of the audit log. `from` and `to` are days in the reader's time zone, both inclusive. */
export const auditSearch = searchOf({ ...filters, cursor: text });

export type AuditSearch = ReturnType<typeof auditSearch>;
