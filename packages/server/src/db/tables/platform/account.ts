import type { Timestamp } from '../../../lib/clock.ts';

/** What users ask about their own data, in the platform database. */
export interface AccountTables {
  account_exports: AccountExportsTable;
  account_export_parts: AccountExportPartsTable;
  account_deletions: AccountDeletionsTable;
}

/** A file of everything that is held on a user. Of one user at most one is not finished. */
export interface AccountExportsTable {
  id: string;
  user_id: string;
  status: 'pending' | 'running' | 'ready' | 'failed';
  done_steps: number;
  total_steps: number;
  /** Where it goes on; another number after every part, so that of two runs only one does. */
  position_json: string;
  part_count: number;
  failures: number;
  created_at: Timestamp;
  /** Null while it is not ready or failed. */
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

/** A user whose data is to be erased. No foreign key: the row outlives the user until nothing is left. */
export interface AccountDeletionsTable {
  user_id: string;
  /** `scheduled` can be cancelled; `erasing` and `cleaning` cannot. */
  phase: 'scheduled' | 'erasing' | 'cleaning';
  requested_at: Timestamp;
  scheduled_for: Timestamp;
  /** When it was first put off, because a tenant would have lost its last owner. */
  postponed_at: Timestamp | null;
  /** The last tenant whose database is done. */
  tenant_cursor: string | null;
}
