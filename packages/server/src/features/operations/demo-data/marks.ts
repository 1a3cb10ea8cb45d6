import type { DemoRowsTable } from '../../../db/tables/platform/demo-rows.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** The marked rows, by table. */
export class Marks {
  readonly #ids = new Map<string, Set<string>>();

  constructor(rows: readonly DemoRowsTable[]) {
    for (const { table_name, row_id } of rows) this.of(table_name as keyof PlatformTables).add(row_id);
  }

  /** Returns the ids of the marked rows of a table. */
  of(table: keyof PlatformTables | keyof TenantTables): Set<string> {
    const ids = this.#ids.get(table) ?? new Set();
    this.#ids.set(table, ids);
    return ids;
  }
}

/** Returns the marks of rows of one table. */
export function marksOf(
  tenantId: string | null,
  table: keyof PlatformTables | keyof TenantTables,
  ids: readonly string[],
): DemoRowsTable[] {
  return ids.map((row_id) => ({ table_name: table, row_id, tenant_id: tenantId }));
}
