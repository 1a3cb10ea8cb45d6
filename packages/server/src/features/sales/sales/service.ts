import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { lockRow } from '../../../db/rows.ts';
import type { ConnectionsTable, SalesTable } from '../../../db/tables/tenant/sales.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, detailSentence, orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findLicenseRow, licenseNotFound } from '../../licensing/licenses/service.ts';
import { findConnection, readConnection } from '../connections/service.ts';
import { shops } from '../shops/all.ts';
import { type AppliedSale, applySale, type SaleProblem, stateOf, storeSale } from './apply-sale-service.ts';
import { connectionActor, type SaleWork, transactSales } from './context.ts';
import { presentDispute, presentEnd, presentRefund, shownState } from './period.ts';
import {
  findOffers,
  findSale,
  findSaleOfLicense,
  listDueSales,
  listLicensesOf,
  listSales,
  makeProblemsDue,
} from './queries.ts';
import type { LicenseSale, Sale, SalesQuery } from './schemas.ts';

export { findOffers, listLicensesOf, listSalesByExternalIds, namesOf, nextSaleDue } from './queries.ts';

/** Returns a page of the sales of a connection. Throws 404 for an unknown connection and 422 for an invalid cursor. */
export async function readSales({ db }: Tenant, connectionId: string, query: SalesQuery): Promise<Page<Sale>> {
  const connection = await readConnection(db, connectionId);
  const page = toPage(await listSales(db, connectionId, query), query.limit);
  return { ...page, rows: await presentSales(db, connection, page.rows) };
}

/** Returns a sale. Throws 404. */
export async function readSale({ db }: Tenant, connectionId: string, id: string): Promise<Sale> {
  const connection = await readConnection(db, connectionId);
  const row = orThrow(await findSale(db.query, connectionId, id), saleNotFound);
  return await presentOne(db, connection, row);
}

async function presentOne(db: TenantDb, connection: ConnectionsTable, row: SalesTable): Promise<Sale> {
  const [sale] = await presentSales(db, connection, [row]);
  if (sale === undefined) throw saleNotFound();
  return sale;
}

/**
 * Returns the sale that has issued a license; null if none has, or if its connection was deleted. Throws 404
 * `LICENSE.NOT_FOUND`.
 */
export async function readSaleOfLicense({ db }: Tenant, licenseId: string): Promise<LicenseSale | null> {
  if ((await findLicenseRow(db.query, licenseId)) === undefined) throw licenseNotFound();
  const row = await findSaleOfLicense(db.query, licenseId);
  if (row === undefined || row.kind === null) return null;
  const connection = await findConnection(db, row.connection_id);
  if (connection === undefined) return null;
  const sale = await presentOne(db, connection, row);
  return { connection_id: connection.id, provider: connection.provider, sale };
}

async function presentSales(
  db: TenantDb,
  { id: connectionId, provider }: ConnectionsTable,
  rows: readonly SalesTable[],
): Promise<Sale[]> {
  const states = rows.map((row) => ({ row, state: stateOf(row) }));
  const sold = new Set(states.flatMap(({ state }) => (state.items?.value ?? []).map(({ externalId }) => externalId)));
  const offers = await findOffers(db.query, connectionId, [...sold]);
  const licenses = await listLicensesOf(
    db.query,
    rows.map(({ id }) => id),
  );
  const items = ({ items: known }: ReturnType<typeof stateOf>) =>
    (known?.value ?? []).map(({ externalId, quantity }) => {
      const offer = offers.find(({ external_id }) => external_id === externalId);
      const { id: offer_id = null, policy_id = null } = offer ?? {};
      return { external_id: externalId, quantity, offer_id, policy_id };
    });
  return states.map(({ row, state }) => ({
    id: row.id,
    external_id: row.external_id,
    // Lists omit sales without these.
    kind: row.kind ?? 'one_time',
    state: shownState(state) ?? 'pending',
    buyer: state.buyer?.value ?? { reference: null, name: null, email: null },
    items: items(state),
    license_ids: licenses.filter(({ sale_id }) => sale_id === row.id).map(({ license_id }) => license_id),
    paid_until: state.paidUntil?.value ?? null,
    ends_at: presentEnd(state),
    refund: presentRefund(state),
    dispute: presentDispute(state),
    problem: presentProblem(row),
    shop_url: shops[provider]?.saleUrl(row.external_id) ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}

function presentProblem({ problem, problem_message }: SalesTable): Sale['problem'] {
  // Only `storeSale` writes the column.
  return problem === null ? null : { code: problem as SaleProblem, message: problem_message ?? '' };
}

/**
 * Applies a sale again at the request of a person, for example after the plan was enlarged. A paid license that was
 * revoked or deleted is replaced. Throws 404, and the error that refuses it, which the sale then shows as its problem.
 */
export async function applySaleAgain(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  connectionId: string,
  id: string,
): Promise<void> {
  await readConnection(tenant.db, connectionId);
  if ((await findSale(tenant.db.query, connectionId, id)) === undefined) throw saleNotFound();
  await applyById({ services, tenant, actor }, id, { replaces: true });
}

/** Applies a sale in a transaction. If it is refused, the sale keeps its problem, and the error is thrown. */
async function applyById(
  work: SaleWork,
  id: string,
  options?: Parameters<typeof applySale>[2],
): Promise<AppliedSale | undefined> {
  try {
    return await transactSales(work, async (context) => {
      const row = await lockRow(context.tx, 'sales', id);
      return row === undefined ? undefined : await applySale(context, row, options);
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await transactSales(work, async (context) => {
      const row = await lockRow(context.tx, 'sales', id);
      if (row !== undefined) await storeSale(context, row, stateOf(row), { ...refusal(error), nextChangeAt: null });
    });
    throw error;
  }
}

/** Returns the problem of a sale that a service refused to apply. */
export function refusal({ code, message, details = [] }: AppError): {
  readonly code: SaleProblem;
  readonly message: string;
} {
  const explained = [message, ...details.map(detailSentence)].join(' ');
  return { code: code === 'PLAN.LIMIT_REACHED' ? 'limit_reached' : 'refused', message: explained.slice(0, 1000) };
}

/** A sale that waits for an offer is applied again by the job. Call it in the transaction that changes an offer. */
export function applyUnmapped(tx: TenantTransaction, connectionId: string, at: Timestamp): Promise<void> {
  return makeProblemsDue(tx, connectionId, 'unmapped', at);
}

/**
 * Applies up to `limit` sales whose time has come: a suspension after a missing payment, or a new offer. Returns them, with
 * whether their licenses match them now. A sale that is refused keeps its problem.
 */
export async function applyDueSales(
  services: Services,
  tenant: Tenant,
  limit: number,
): Promise<readonly { readonly id: string; readonly isSettled: boolean }[]> {
  const due = await listDueSales(tenant.db.query, services.clock.now(), limit);
  const results: { id: string; isSettled: boolean }[] = [];
  for (const { id, connection_id } of due) {
    const work = { services, tenant, actor: connectionActor(connection_id) };
    const applied = await applyById(work, id).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    });
    results.push({ id, isSettled: applied !== undefined && applied.problem === null });
  }
  return results;
}

/** Returns the same error for a sale that does not exist and for one of another connection or tenant. */
function saleNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such sale. List the sales of the connection to find its id.');
}
