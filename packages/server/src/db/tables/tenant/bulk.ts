import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** The tables of work on many licenses at once, in a tenant's database. */
export interface BulkTables {
  bulk_operations: BulkOperationsTable;
  bulk_changes: BulkChangesTable;
  license_batches: LicenseBatchesTable;
  license_imports: LicenseImportsTable;
  license_import_rows: LicenseImportRowsTable;
}

/** Who asked for work that a job does. */
export interface RequestedBy {
  requested_by_type: 'user' | 'admin' | 'api_key' | 'system' | 'holder' | 'connection';
  requested_by_id: string | null;
  /** The user who created the access token that acted; null for any other actor. */
  requested_by_creator: string | null;
  request_id: string | null;
}

/** A change of many licenses, which a job makes in batches. */
export interface BulkOperationsTable extends RequestedBy {
  id: string;
  action_json: string;
  /** The filters of the licenses; null if they are listed, and for an undo. */
  filter_json: string | null;
  license_ids_json: string | null;
  /** The operation whose changes this one takes back. */
  undoes_id: string | null;
  /** The operation that takes this one back. */
  undone_by_id: string | null;
  reason: string | null;
  notifies_holders: Flag;
  state: 'running' | 'done' | 'cancelled';
  /** The number of licenses when it began; null: more than are counted. */
  total: number | null;
  changed: number;
  unchanged: number;
  refused: number;
  /** The reasons of refusals with their numbers: an array of `{ code, message, count }`. */
  refusals_json: string;
  /** Where the job continues: the position in the list, or the last id. */
  cursor: string | null;
  /** Null: it has ended. */
  continues_at: Timestamp | null;
  created_at: Timestamp;
  ended_at: Timestamp | null;
}

/** What an operation did to a license. Licenses that it left as they were have no row. */
export interface BulkChangesTable {
  operation_id: string;
  license_id: string;
  /** An array of `{ field, old, new }`; empty for a refusal. */
  changes_json: string;
  /** Why the license was not changed, for people; null if it was. */
  refusal: string | null;
  created_at: Timestamp;
}

/** Licenses of one policy that were issued together. */
export interface LicenseBatchesTable extends RequestedBy {
  id: string;
  name: string;
  policy_id: string;
  note: string | null;
  /** How many licenses were asked for. */
  count: number;
  /** How many exist. */
  issued: number;
  state: 'running' | 'done' | 'failed';
  /** Why it failed, for people. */
  reason: string | null;
  /** Null: it has ended. */
  continues_at: Timestamp | null;
  created_at: Timestamp;
  ended_at: Timestamp | null;
}

/** An import that outlives its request, which a job makes in batches, and its progress. */
export interface LicenseImportsTable extends RequestedBy {
  id: string;
  state: 'running' | 'done' | 'failed';
  /** The number of rows of the file that were valid when it was read. */
  total: number;
  /** How many of them were imported or refused. */
  done: number;
  created: number;
  /** The number of refused rows, those that were invalid from the beginning included. */
  failed: number;
  notifies_holders: Flag;
  /** The first problems in the order of the file: an array of `{ row, field, message }`. */
  errors_json: string;
  /** Why it failed, for people. */
  reason: string | null;
  /** Null: it has ended. */
  continues_at: Timestamp | null;
  created_at: Timestamp;
  /** When the last rows were imported. Only an earlier version reads it. */
  updated_at: Timestamp;
  ended_at: Timestamp | null;
}

/** Valid rows of a file that wait for their import. The transaction that imports them deletes them. */
export interface LicenseImportRowsTable {
  import_id: string;
  /** The place of the batch in the file. */
  position: number;
  /** The rows as text, in the form of `writeBatch`. */
  batch: string;
}
