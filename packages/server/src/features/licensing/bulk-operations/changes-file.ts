import type { BulkChangesTable } from '../../../db/tables/tenant/bulk.ts';
import type { FileFormat } from '../../../http/file-export.ts';
import { escapeFormula, writeCsv } from '../../../lib/csv.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import { listChanges, readKeys } from './queries.ts';

const pageSize = 500;
const columns = ['license_id', 'key', 'field', 'old', 'new', 'refusal'] as const;

/** A row of the file: a changed field of a license, or why the license was refused. */
type FileRow = Readonly<Record<(typeof columns)[number], unknown>>;

/** Yields the text of a file with what an operation changed from what to what, in the order of the licenses' ids. */
export async function* writeChanges(
  { db }: Tenant,
  operationId: string,
  format: FileFormat,
): AsyncGenerator<string, void> {
  if (format === 'csv') yield writeCsv([columns]);
  for (let after = ''; ; ) {
    const rows = await listChanges(db.query, { operationId, after, limit: pageSize, withRefusals: true });
    const last = rows.at(-1);
    if (last === undefined) return;
    const keys = await readKeys(
      db.query,
      rows.map(({ license_id }) => license_id),
    );
    yield rows
      .flatMap((row) => rowsOf(row, keys.get(row.license_id) ?? ''))
      .map((row) => line(row, format))
      .join('');
    after = last.license_id;
    await yieldToEventLoop();
  }
}

function rowsOf({ license_id, changes_json, refusal }: BulkChangesTable, key: string): FileRow[] {
  if (refusal !== null) return [{ license_id, key, field: null, old: null, new: null, refusal }];
  const changes: FieldChange[] = JSON.parse(changes_json);
  return changes.map((change) => ({ license_id, key, ...change, refusal: null }));
}

function line(row: FileRow, format: FileFormat): string {
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`;
  return writeCsv([columns.map((column) => cell(row[column]))]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escapeFormula(typeof value === 'string' ? value : JSON.stringify(value));
}
