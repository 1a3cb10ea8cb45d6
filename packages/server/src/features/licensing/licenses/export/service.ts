import { setImmediate as nextTurn } from 'node:timers/promises';
import { toPage } from '../../../../http/cursor.ts';
import type { Page } from '../../../../http/envelope.ts';
import type { Services } from '../../../../services.ts';
import type { Tenant } from '../../../../tenancy/tenant.ts';
import { presentLicense } from '../license.ts';
import { readCatalog } from '../license-catalog.ts';
import { type CountedLicense, listLicenses } from '../queries.ts';
import type { LicensesQuery } from '../schemas.ts';
import type { ExportQuery } from './schemas.ts';
import { type ExportedLicense, header, writeRows } from './write-rows.ts';

const pageSize = 500;

/**
 * The text of a file with every license that fits the filters, newest first, a page at a time. It reads on only when
 * more is asked for. What is issued after it began is not in it.
 */
export async function* exportLicenses(
  { clock, licenseValidations }: Pick<Services, 'clock' | 'licenseValidations'>,
  { db }: Tenant,
  { format = 'csv', ...filters }: ExportQuery,
): AsyncGenerator<string, void> {
  let catalog = await readCatalog(db);
  let prefix = header(format);
  let cursor: string | null = null;
  do {
    const now = clock.now();
    const page: LicensesQuery = { ...filters, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
    const { rows, nextCursor }: Page<CountedLicense> = toPage(await listLicenses(db, page, now), pageSize);
    // A policy that is younger than the file.
    if (rows.some((row) => catalog.byId(row.policy_id) === undefined)) catalog = await readCatalog(db);
    const licenses = rows.map((row): ExportedLicense => {
      const policy = catalog.byId(row.policy_id);
      const names = { product: policy?.productCode ?? '', policy: policy?.code ?? '' };
      return { ...names, ...presentLicense(row, now, licenseValidations) };
    });
    yield prefix + writeRows(format, licenses);
    prefix = '';
    cursor = nextCursor;
    // Where the embedded database answers at once and the caller takes at once, nobody else would be served meanwhile.
    await nextTurn();
  } while (cursor !== null);
}
