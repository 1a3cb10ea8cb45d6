import { lockRow, updateRows } from '../../../db/rows.ts';
import type {
  ComparisonDifferencesTable,
  ComparisonsTable,
  ConnectionsTable,
} from '../../../db/tables/tenant/sales.ts';
import { toEpochMs } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { openShopApi } from '../connections/api-service.ts';
import { notifyFailure } from '../messages/notices.ts';
import { connectionActor } from '../sales/context.ts';
import { type SalesPage, ShopApiError } from '../shops/shop.ts';
import { applyDifference } from './apply-difference-service.ts';
import { findDifferences } from './find-service.ts';
import { listOpenAfter, writeDifferences } from './queries.ts';
import { comparisonJobKind } from './service.ts';

/** How long the requests of one page may take together. */
const pageTimeoutMs = 120_000;
/** The wait for a shop that accepts no more requests and does not say for how long. */
const busySeconds = 60;
const unavailableSeconds = 300;
/** After so long without an end a comparison is given up; the next one begins anew. */
const giveUpMs = 48 * 3_600_000;
const applyBatch = 50;

/** The services, the tenant, the connection and the end of a step. */
export interface Step {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly connection: ConnectionsTable;
  readonly signal: AbortSignal;
}

/**
 * Continues a comparison by one page of the shop, or, if it has ended, by a batch of differences to apply. The cursor is
 * stored together with what the page says, so a process that dies repeats at most one page.
 */
export async function continueComparison(step: Step, comparison: ComparisonsTable): Promise<void> {
  if (comparison.ended_at !== null) return await applyNextBatch(step, comparison);
  try {
    const page = await readPage(step, comparison);
    await storePage(step, comparison, page);
  } catch (error) {
    if (!(error instanceof ShopApiError)) throw error;
    await storeFailure(step, comparison, error);
  }
}

async function readPage({ services, connection, signal }: Step, { cursor }: ComparisonsTable): Promise<SalesPage> {
  const api = openShopApi(services, connection, signal, pageTimeoutMs);
  if (api === null) throw new ShopApiError('The connection no longer has an API key.', 'refused');
  return await api.listSales(cursor);
}

/** Stores what a page says. Another run that has stored the same page meanwhile wins. */
async function storePage(step: Step, comparison: ComparisonsTable, page: SalesPage): Promise<void> {
  const { services, tenant } = step;
  const found = await findDifferences(tenant.db, comparison, page.sales, services.clock.now());
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const locked = await lockRow(tx, 'comparisons', comparison.id);
    if (locked === undefined || locked.ended_at !== null || locked.cursor !== comparison.cursor) return;
    const differences = locked.differences + (await writeDifferences(tx, locked.id, found));
    const isLast = page.next === null;
    // One that applies itself continues with the differences.
    const continues = !isLast || locked.applies_itself === 1;
    await updateRows(tx, 'comparisons', locked.id, {
      cursor: page.next,
      seen: locked.seen + page.sales.length,
      total: page.total ?? locked.total,
      differences,
      reason: null,
      continues_at: continues ? at : null,
      ...(isLast && { state: 'done', ended_at: at }),
    });
    outbox.wakeUp(comparisonJobKind, continues ? at : null);
  });
}

/** Stores that the shop answered with an error: the comparison waits, or fails if only a person can help. */
async function storeFailure(step: Step, comparison: ComparisonsTable, error: ShopApiError): Promise<void> {
  const { services, tenant } = step;
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const locked = await lockRow(tx, 'comparisons', comparison.id);
    if (locked === undefined || locked.ended_at !== null || locked.cursor !== comparison.cursor) return;
    const isTooOld = toEpochMs(at) - toEpochMs(locked.created_at) > giveUpMs;
    if (error.kind === 'refused' || isTooOld) {
      await updateRows(tx, 'comparisons', locked.id, {
        state: 'failed',
        reason: error.message,
        ended_at: at,
        continues_at: null,
      });
      const notice = { connectionId: step.connection.id, code: 'failed', reason: error.message, at } as const;
      await notifyFailure(outbox, notice);
      return;
    }
    const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
    const wait = seconds > 0 ? seconds : error.kind === 'busy' ? busySeconds : unavailableSeconds;
    const continuesAt = addSeconds(at, wait);
    await updateRows(tx, 'comparisons', locked.id, { continues_at: continuesAt, reason: error.message });
    outbox.wakeUp(comparisonJobKind, continuesAt);
  });
}

/** Applies the next open differences. One that is refused stays open, and its sale shows the problem. */
async function applyNextBatch(step: Step, comparison: ComparisonsTable): Promise<void> {
  const { services, tenant } = step;
  const batch = await listOpenAfter(tenant.db.query, comparison.id, comparison.cursor ?? '', applyBatch);
  for (const row of batch) await applyOrKeep(step, row);
  const last = batch.at(-1)?.id ?? null;
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const locked = await lockRow(tx, 'comparisons', comparison.id);
    if (locked === undefined || locked.continues_at === null || locked.cursor !== comparison.cursor) return;
    const continuesAt = last === null ? null : at;
    await updateRows(tx, 'comparisons', locked.id, { cursor: last, continues_at: continuesAt });
    outbox.wakeUp(comparisonJobKind, continuesAt);
  });
}

async function applyOrKeep(
  { services, tenant, connection: { id } }: Step,
  row: ComparisonDifferencesTable,
): Promise<void> {
  try {
    await applyDifference({ services, tenant, actor: connectionActor(id) }, id, row);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
