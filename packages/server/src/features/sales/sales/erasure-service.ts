import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { SalesTable } from '../../../db/tables/tenant/sales.ts';
import { foldEmail } from '../../../lib/email.ts';
import type { CustomerPurchase } from '../../holders/customers/purchase-records.ts';
import type { Buyer } from '../shops/sale-fact.ts';
import { stateOf } from './apply-sale-service.ts';
import type { AppliedTerms } from './license-effects.ts';
import { shownState } from './period.ts';
import { eraseBuyerRow, listLicensesOf, listSalesOfBuyer, lockSalesOfBuyer } from './queries.ts';

export { removeSalesOf } from './queries.ts';

const nobody: Buyer = { reference: null, name: null, email: null };

/** Returns what the person with this address bought, for an export of personal data. */
export async function readPurchasesOf({ query }: TenantDb, email: string): Promise<CustomerPurchase[]> {
  const rows = await listSalesOfBuyer(query, foldEmail(email));
  return rows.map((row) => {
    const state = stateOf(row);
    const { buyer, items } = state;
    return {
      connection_id: row.connection_id,
      external_id: row.external_id,
      kind: row.kind,
      state: shownState(state),
      buyer: buyer?.value ?? nobody,
      items: (items?.value ?? []).map(({ externalId, quantity }) => ({ external_id: externalId, quantity })),
      created_at: row.created_at,
    };
  });
}

/**
 * Removes the buyer with this address from sales, and from what was applied to their licenses: the holder of the
 * licenses is erased too, and must not come back with the next message. Returns the sales, up to `limit`, and whether the
 * buyer has more.
 */
export async function eraseBuyer(
  tx: TenantTransaction,
  email: string,
  limit: number,
): Promise<{ readonly sales: readonly SalesTable[]; readonly hasMore: boolean }> {
  const rows = await lockSalesOfBuyer(tx, foldEmail(email), limit + 1);
  const sales = rows.slice(0, limit);
  for (const row of sales) {
    const { buyer, ...state } = stateOf(row);
    const stateJson = JSON.stringify({ ...state, ...(buyer && { buyer: { ...buyer, value: nobody } }) });
    const applied = (await listLicensesOf(tx, [row.id])).map((license) => {
      const terms: AppliedTerms = JSON.parse(license.applied_json);
      return {
        ...license,
        applied_json: JSON.stringify({ ...terms, holder: { name: null, email: null, reference: null } }),
      };
    });
    await eraseBuyerRow(tx, row, { stateJson, applied });
  }
  return { sales, hasMore: rows.length > limit };
}
