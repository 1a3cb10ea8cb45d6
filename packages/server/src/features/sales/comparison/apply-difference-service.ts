import { lockRow, updateRows } from '../../../db/rows.ts';
import type { ComparisonDifferencesTable } from '../../../db/tables/tenant/sales.ts';
import { AppError } from '../../../lib/error.ts';
import { salesJobKind } from '../connections/service.ts';
import { applySale, stateOf, storeSale } from '../sales/apply-sale-service.ts';
import { type SaleWork, transactSales } from '../sales/context.ts';
import { ingest } from '../sales/ingest-service.ts';
import { listLicensesOf, refusal } from '../sales/service.ts';

/**
 * Applies a difference: what the shop says is stored, and the licenses follow, in one transaction with the difference's
 * state. One that is not open any more stays as it is. It stays open if the offers do not fit the sale; the sale then shows
 * the problem. Throws what refuses the licenses, for example 403 `PLAN.LIMIT_REACHED`, which the sale then shows as well.
 */
export async function applyDifference(
  work: SaleWork,
  connectionId: string,
  { id, reading_json }: Pick<ComparisonDifferencesTable, 'id' | 'reading_json'>,
): Promise<void> {
  try {
    await transactSales(work, async (context) => {
      const { tx, outbox } = context;
      const locked = await lockRow(tx, 'comparison_differences', id);
      if (locked === undefined || locked.state !== 'open') return;
      const rows = await ingest(context, connectionId, JSON.parse(locked.reading_json));
      let isSettled = true;
      for (const row of rows) {
        const { problem } = await applySale(context, row);
        if (problem !== null) isSettled = false;
        outbox.wakeUp(salesJobKind, row.next_change_at);
      }
      const licenses = await listLicensesOf(
        tx,
        rows.map((row) => row.id),
      );
      await updateRows(tx, 'comparison_differences', id, {
        license_ids_json: JSON.stringify(licenses.map(({ license_id }) => license_id)),
        ...(isSettled && { state: 'applied' }),
      });
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await transactSales(work, async (context) => {
      const problem = { ...refusal(error), nextChangeAt: null };
      for (const row of await ingest(context, connectionId, JSON.parse(reading_json))) {
        await storeSale(context, row, stateOf(row), problem);
      }
    });
    throw error;
  }
}
