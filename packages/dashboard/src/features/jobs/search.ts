import { searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of jobs. */
export const jobSearch = searchOf({ kind: text, tenant_id: text, cursor: text });
