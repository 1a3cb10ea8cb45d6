import type { Timestamp } from '../../lib/clock.ts';

/**
 * The rules of portable columns. Both engines have the same tables, so every column has one of these types:
 *
 * - Ids are `text`: UUIDs of version 7 in lower case, which sort by creation time.
 * - Moments are `text` in the format of `Timestamp`: UTC with microseconds in a fixed width, so they sort as text.
 * - Flags are `integer` with the values 0 and 1 (`Flag`), with a CHECK.
 * - Numbers are `bigint` or `integer`. Both engines return them as JavaScript numbers and throw beyond 2^53 - 1.
 * - Structured values are JSON as `text`, in columns whose name ends in `_json`.
 * - Values of a fixed set are `text` with a CHECK.
 */
export type Flag = 0 | 1;

/** A record of an audit log. The table has the same columns in the platform database and in each tenant's. */
export interface AuditLogsTable {
  id: string;
  occurred_at: Timestamp;
  event: string;
  actor_type: 'user' | 'admin' | 'api_key' | 'system' | 'holder' | 'connection';
  actor_id: string | null;
  /** The user who created the access token that acted; null for any other actor. */
  actor_created_by: string | null;
  resource_type: string;
  resource_id: string | null;
  request_id: string | null;
  ip: string | null;
  changes_json: string;
}

/** A term by which a row is found (search/index-terms.ts). */
interface SearchTermsTable {
  /** The scope and the folded text: `license:smith`. */
  term: string;
  /** The creation time of the row that is found, so that an index has the rows of a term in the order of lists. */
  created_at: Timestamp;
  /** The id of the row that is found. */
  owner_id: string;
}

/** `search_terms` has the same columns in the platform database and in every tenant's. */
export interface WithSearchTerms {
  search_terms: SearchTermsTable;
}
