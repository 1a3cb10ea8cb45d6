import { toPage } from '../../../../http/cursor.ts';
import type { Page } from '../../../../http/envelope.ts';
import { yieldToEventLoop } from '../../../../lib/yield-to-event-loop.ts';
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
 * Yields the text of a file with every license that matches the filters, newest first, one page of 500 at a time. Reads
 * the next page only when the consumer requests it. Licenses that are issued after the start are not included.
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
    // The policy may have been created after the catalog was read.
    if (rows.some((row) => catalog.byId(row.policy_id) === undefined)) catalog = await readCatalog(db);
    const licenses = rows.map((row): ExportedLicense => {
      const policy = catalog.byId(row.policy_id);
      const names = { product: policy?.productCode ?? '', policy: policy?.code ?? '' };
      return { ...names, ...presentLicense(row, now, licenseValidations) };
    });
    yield prefix + writeRows(format, licenses);
    prefix = '';
    cursor = nextCursor;
    await yieldToEventLoop();
  } while (cursor !== null);
}
