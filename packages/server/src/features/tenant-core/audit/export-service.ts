import type { Static } from 'typebox';
import type { Page } from '../../../http/envelope.ts';
import type { FileFormat } from '../../../http/file-export.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { escapeFormula, writeCsv } from '../../../lib/csv.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { AuditEntry } from './audit.ts';
import type { AuditRecord } from './schemas.ts';

type Exported = Static<typeof AuditRecord>;

/** A record can have long values before and after a change, so a page of more could hold the event loop. */
const pageSize = 100;

const text = (value: string | null) => escapeFormula(value ?? '');

/** Formats the cells of a record, in the order of the columns. */
const cells: { readonly [column in keyof Exported]: (record: Exported) => string } = {
  id: ({ id }) => id,
  occurred_at: (record) => record.occurred_at,
  event: ({ event }) => text(event),
  actor_type: (record) => record.actor_type,
  actor_id: (record) => text(record.actor_id),
  actor_name: (record) => text(record.actor_name),
  actor_created_by: (record) => text(record.actor_created_by),
  resource_type: (record) => text(record.resource_type),
  resource_id: (record) => text(record.resource_id),
  resource_name: (record) => text(record.resource_name),
  request_id: (record) => text(record.request_id),
  ip: ({ ip }) => text(ip),
  changes: ({ changes }) => (changes.length === 0 ? '' : JSON.stringify(changes)),
};

const formatters = Object.values(cells);

/** The page that an export reads next. */
export interface ExportedPage {
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * Yields the text of a file with the records of `read`, one page of 100 at a time. Reads the next page only when the
 * consumer requests it, so that a file of any length needs the memory of one page.
 */
export async function* exportAuditRecords(
  format: FileFormat,
  read: (page: ExportedPage) => Promise<Page<Exported>>,
): AsyncGenerator<string, void> {
  let prefix = format === 'csv' ? writeCsv([Object.keys(cells)]) : '';
  let cursor: string | null = null;
  do {
    const { rows, nextCursor }: Page<Exported> = await read({ limit: pageSize, ...(cursor !== null && { cursor }) });
    yield prefix + writeRecords(format, rows);
    prefix = '';
    cursor = nextCursor;
    await yieldToEventLoop();
  } while (cursor !== null);
}

function writeRecords(format: FileFormat, records: readonly Exported[]): string {
  if (format === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return writeCsv(records.map((record) => formatters.map((write) => write(record))));
}

/** Returns the audit record of an export, which names the query parameters of the request. */
export function exportEntry(query: object, at: Timestamp): AuditEntry {
  const changes = Object.entries(query).map(([field, value]) => ({ field, old: null, new: value }));
  return { event: 'AUDIT_LOG.EXPORTED', resourceType: 'audit_log', resourceId: null, changes, at };
}

/**
 * Returns the filters of an export that began at `at`. Without the bound, records that are written meanwhile would
 * appear depending on the speed of the reader, and the record of the export itself would always appear.
 */
export function until<Filters extends { readonly to?: string | undefined }>(at: Timestamp, filters: Filters) {
  const isEarlier = filters.to !== undefined && toStoredTimestamp(filters.to) < at;
  return { ...filters, to: isEarlier ? filters.to : at };
}
