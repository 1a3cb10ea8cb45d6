import type { Timestamp } from '../../lib/clock.ts';

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
