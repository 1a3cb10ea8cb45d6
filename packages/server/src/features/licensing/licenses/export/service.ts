import { type Static, Type } from 'typebox';
import type { Page } from '../../../../http/envelope.ts';
import { type FileFormat, fileQuery } from '../../../../http/file-export.ts';
import { strictObject, Uuid } from '../../../../http/schema.ts';
import { escapeFormula, writeCsv } from '../../../../lib/csv.ts';
import { yieldToEventLoop } from '../../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../../services.ts';
import type { Tenant } from '../../../../tenancy/tenant.ts';
import { type Column, type ColumnKind, holderColumns, noDate, nullableColumns, nullableNames } from '../columns.ts';
import { presentLicense } from '../license.ts';
import { readCatalog } from '../license-catalog.ts';
import { type CountedLicense, listLicenseDetails } from '../queries.ts';
import { type License, LicensesQuery } from '../schemas.ts';

// An export has the filters and orders of the list, but no pages.
const { limit: _limit, cursor: _cursor, include: _include, ...filters } = LicensesQuery.properties;

/** More would not fit into the 8 KiB that proxies allow for a URL. */
const idsMax = 100;

export const ExportQuery = strictObject({
  ...fileQuery,
  ids: Type.Optional(
    Type.Array(Uuid, {
      minItems: 1,
      maxItems: idsMax,
      uniqueItems: true,
      description: 'Only these licenses, of those that match the filters. Repeat the parameter for each id.',
    }),
  ),
  ...filters,
});
export type ExportQuery = Static<typeof ExportQuery>;

const pageSize = 500;

/**
 * Yields the text of a file with every license that matches the filters, in the order of `sort`, 500 at a time. Reads
 * the next page only when the consumer requests it. Licenses that are issued after the start are not included.
 */
export async function* exportLicenses(
  { clock, validationTimes }: Services,
  { db }: Tenant,
  { format = 'csv', ...filters }: ExportQuery,
): AsyncGenerator<string, void> {
  let catalog = await readCatalog(db);
  let prefix = header(format);
  let cursor: string | null = null;
  do {
    const now = clock.now();
    const page = { ...filters, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
    const { rows, nextCursor }: Page<CountedLicense> = await listLicenseDetails(db, page, now);
    // The policy may have been created after the catalog was read.
    if (rows.some((row) => catalog.byId(row.policy_id) === undefined)) catalog = await readCatalog(db);
    const licenses = rows.map((row): ExportedLicense => {
      const policy = catalog.byId(row.policy_id);
      const names = { product: policy?.productCode ?? '', policy: policy?.code ?? '' };
      const license = presentLicense(row, now, validationTimes);
      return { ...names, startsWithUse: policy?.expiry_basis !== 'creation', ...license };
    });
    yield prefix + writeRows(format, licenses);
    prefix = '';
    cursor = nextCursor;
    await yieldToEventLoop();
  } while (cursor !== null);
}

/** A license with the codes of its product and policy, by which an import into another tenant finds the policy. */
interface ExportedLicense extends License {
  readonly product: string;
  readonly policy: string;
  /** True if the policy's term begins with the first use: then a date that is null is not known yet. */
  readonly startsWithUse: boolean;
}

const text = (value: string | null) => (value === null ? '' : escapeFormula(value));
const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value));

type Format = (license: ExportedLicense) => string;

/** Formats a value of a described column. With an empty cell for a date, the import would take it from the policy. */
const ofKind: Readonly<Record<ColumnKind, (value: string | number | null, startsWithUse: boolean) => string>> = {
  text: (value) => text(value as string | null),
  integer: (value) => String(value ?? ''),
  date: (value, startsWithUse) => String(value ?? (startsWithUse ? '' : noDate)),
};

/** Formats the cells of a row, in the order of the columns. */
const cells: Readonly<Record<Column, Format>> = {
  id: ({ id }) => id,
  product: ({ product }) => text(product),
  policy: ({ policy }) => text(policy),
  key: ({ key }) => text(key),
  status: ({ status }) => status,
  ...formatted(holderColumns, ({ column, name }) => [column, ({ holder }) => text(holder[name])]),
  starts_at: (license) => license.starts_at,
  ...formatted(nullableNames, (name) => [
    name,
    ({ startsWithUse, ...license }) => ofKind[nullableColumns[name].kind](license[name], startsWithUse),
  ]),
  entitlements: ({ entitlements }) => json(entitlements),
  metadata: ({ metadata }) => json(metadata),
  activations_count: (license) => String(license.activations_count),
  deactivations_count: (license) => String(license.deactivations_count),
  last_validated_at: (license) => license.last_validated_at ?? '',
  status_reason: (license) => text(license.status_reason),
  batch_id: (license) => license.batch_id ?? '',
  created_at: (license) => license.created_at,
  updated_at: (license) => license.updated_at,
  product_id: (license) => license.product_id,
  policy_id: (license) => license.policy_id,
};

/** Returns the formats of described columns, by column. */
function formatted<Described, Name extends Column>(
  columns: readonly Described[],
  format: (column: Described) => readonly [Name, Format],
): Record<Name, Format> {
  return Object.fromEntries(columns.map(format)) as Record<Name, Format>;
}

const formatters = Object.values(cells);

/** Returns the header row of a CSV file, and an empty string for NDJSON. */
function header(format: FileFormat): string {
  return format === 'csv' ? writeCsv([Object.keys(cells)]) : '';
}

/** Returns the rows of some licenses, each terminated by a line feed. */
function writeRows(format: FileFormat, licenses: readonly ExportedLicense[]): string {
  if (format === 'ndjson') {
    return licenses.map(({ startsWithUse: _cellsOnly, ...license }) => `${JSON.stringify(license)}\n`).join('');
  }
  return writeCsv(licenses.map((license) => formatters.map((format) => format(license))));
}
