/** A row of the platform that the demo created, such as one of its tenants. */
export interface DemoRowsTable {
  table_name: string;
  row_id: string;
  /** Null. Earlier versions also recorded every row inside of a tenant. */
  tenant_id: string | null;
}
