import type { Timestamp } from '../../../lib/clock.ts';

/** Users' requests about their own data, in the platform database. */
export interface AccountTables {
  account_exports: AccountExportsTable;
  account_export_parts: AccountExportPartsTable;
  account_deletions: AccountDeletionsTable;
}

/** An export of all data about a user. Each user has at most one unfinished export. */
export interface AccountExportsTable {
  id: string;
  user_id: string;
  status: 'pending' | 'running' | 'ready' | 'failed';
  done_steps: number;
  total_steps: number;
  /** Where the export continues. It changes with every part, so that only one of two concurrent runs can continue. */
  position_json: string;
  part_count: number;
  failures: number;
  created_at: Timestamp;
  /** When it became `ready` or `failed`; null before. */
  finished_at: Timestamp | null;
  expires_at: Timestamp;
}

/** Some rows of one section, encrypted under the application key. */
export interface AccountExportPartsTable {
  export_id: string;
  position: number;
  section: string;
  sealed_rows: string;
}

/** A user whose data will be erased. No foreign key: the row is kept after the user row until everything is erased. */
export interface AccountDeletionsTable {
  user_id: string;
  /** `scheduled` can be cancelled; `erasing` and `cleaning` cannot. */
  phase: 'scheduled' | 'erasing' | 'cleaning';
  requested_at: Timestamp;
  scheduled_for: Timestamp;
  /** When the erasure was first postponed because a tenant would have lost its last owner; null if never. */
  postponed_at: Timestamp | null;
  /** The id of the last tenant whose database was processed. */
  tenant_cursor: string | null;
}
