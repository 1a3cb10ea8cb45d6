import type { TenantDb } from '../../../db/database.ts';
import { keyCharacters, keyEndTerm } from '../../../db/search/index-terms.ts';
import { afterEveryCharacter } from '../../../db/search/search-terms.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { findTypedKey } from './filter-queries.ts';

/** A shorter end of a key would find licenses of many tenants. */
export const keyEndMin = 6;
/** More licenses of one tenant do not end alike, unless the vendor chose such keys. */
const licensesMax = 20;

/** Returns true for a text with enough letters and digits for the end of a key. */
export function isEndOfKey(text: string): boolean {
  return keyCharacters(text).length >= keyEndMin;
}

/** Returns the licenses that are not deleted and have this key, as a person typed it; else those whose key ends with it. */
export async function findLicensesByKey({ query: db }: TenantDb, text: string): Promise<LicensesTable[]> {
  const licenses = db.selectFrom('licenses').selectAll().where('deleted_at', 'is', null).orderBy('id');
  const exact = await licenses.where('key', '=', await findTypedKey(db, text)).execute();
  if (exact.length > 0) return exact;
  const end = keyEndTerm(text);
  const ids = db.selectFrom('search_terms').select('owner_id').where('term', '>=', end);
  const ending = ids.where('term', '<', end + afterEveryCharacter).limit(licensesMax);
  return await licenses.where('id', 'in', ending).execute();
}
