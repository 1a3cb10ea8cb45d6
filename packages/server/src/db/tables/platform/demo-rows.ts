/** A row that the demo created, so that the removal of the demo data deletes exactly these rows. */
export interface DemoRowsTable {
  /** The table of the row; in the database of `tenant_id` if the table is one of a tenant's. */
  table_name: string;
  row_id: string;
  /** The tenant to which the row belongs; null for a row of the platform, and for a tenant itself. */
  tenant_id: string | null;
}
