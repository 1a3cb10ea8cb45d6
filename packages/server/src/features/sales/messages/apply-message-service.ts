import { isUnavailable } from '../../../db/errors.ts';
import { updateRows } from '../../../db/rows.ts';
import type { ConnectionsTable, SaleMessagesTable, SalesTable } from '../../../db/tables/tenant/sales.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { retryAt, retrySchedules } from '../../../lib/retry-schedule.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { openShopApi } from '../connections/api-service.ts';
import { salesJobKind } from '../connections/service.ts';
import { applySale, type SaleProblem, stateOf, storeSale } from '../sales/apply-sale-service.ts';
import { connectionActor, type Effect, type SaleContext, transactSales } from '../sales/context.ts';
import { ingest } from '../sales/ingest-service.ts';
import { refusal } from '../sales/service.ts';
import { shops } from '../shops/all.ts';
import { MessageUnreadableError, type Reading, ShopApiError } from '../shops/shop.ts';
import { notifyFailure } from './notices.ts';
import { lockMessage, type MessageResult } from './queries.ts';

/**
 * A sale whose licenses do not match it is looked at again after so long, and only then announced: an offer that somebody
 * adds meanwhile, or a later message, solves most such problems.
 */
const patienceSeconds = 5 * 60;

/** The services, the tenant with its timezone, the connection and the end of an attempt. */
export interface Attempt {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly timezone: string;
  readonly connection: ConnectionsTable;
  readonly signal: AbortSignal;
}

/**
 * Applies a message that is due. What it says, the licenses, their audit records and events, and the result of the message
 * change in one transaction, so that every effect happens exactly once, wherever the process dies. If an effect is refused,
 * a second transaction stores what the message says and why it failed. Returns until when the shop asks not to be asked
 * again; null if it does not.
 */
export async function applyMessage(attempt: Attempt, message: SaleMessagesTable): Promise<Timestamp | null> {
  const { clock } = attempt.services;
  let reading: Reading | undefined;
  try {
    reading = await readMessage(attempt, message);
    await applyReading(attempt, message, reading);
    return null;
  } catch (error) {
    // Any other message would fail too, so the runner repeats the job.
    if (isUnavailable(error)) throw error;
    const failure = failureOf(error);
    if (failure.isDefect) {
      const { tenant, connection, services } = attempt;
      const context = { err: error, tenant_id: tenant.id, connection_id: connection.id, message_id: message.id };
      services.logger.error(context, 'a message of a shop could not be applied');
    }
    await storeFailure(attempt, message, reading, failure);
    return failure.pauseMs === null ? null : addSeconds(clock.now(), Math.ceil(failure.pauseMs / 1000));
  }
}

/** Reads what a message says, and the present state of its objects if the connection has a key of the shop's API. */
async function readMessage(
  { services, timezone, connection, signal }: Attempt,
  message: SaleMessagesTable,
): Promise<Reading> {
  const shop = shops[connection.provider];
  if (shop === undefined) throw new MessageUnreadableError('This version of the service does not know the shop.');
  const said = shop.read(Buffer.from(services.keyring.open(message.sealed_body), 'base64'), timezone);
  const api = said.objects.length === 0 ? null : openShopApi(services, connection, signal);
  if (api === null) return said;
  const present: Reading[] = [];
  for (const object of said.objects) {
    const reading = await api.read(object);
    // The shop no longer knows the object, so the message is all that is known.
    present.push(reading ?? said);
  }
  return {
    facts: present.flatMap(({ facts }) => facts),
    aliases: [said, ...present].flatMap(({ aliases }) => aliases),
    ignoredBecause: [said, ...present].map((one) => one.ignoredBecause).find((reason) => reason !== null) ?? null,
    objects: [],
  };
}

async function applyReading(
  { services, tenant, connection }: Attempt,
  message: SaleMessagesTable,
  reading: Reading,
): Promise<void> {
  const work = { services, tenant, actor: connectionActor(connection.id) };
  await transactSales(work, async (context) => {
    const locked = await lockMessage(context.tx, message.id);
    // Another run has applied it since it was read.
    if (locked === undefined || locked.next_attempt_at === null || locked.attempts !== message.attempts) return;
    const sales = await ingest(context, connection.id, reading);
    const effects: Effect[] = [];
    const problems: UnsolvedSale[] = [];
    for (const row of sales) {
      const applied = await applySale(context, row);
      effects.push(...applied.effects);
      if (applied.problem !== null) problems.push({ row, message: applied.problem });
      context.outbox.wakeUp(salesJobKind, row.next_change_at);
    }
    const [problem] = problems;
    await updateRows(context.tx, 'sale_messages', message.id, {
      attempts: locked.attempts + 1,
      next_attempt_at: problem === undefined ? null : await followProblem(context, locked.attempts, problem),
      effects_json: JSON.stringify([...earlierEffects(message), ...effects]),
      sale_id: sales[0]?.kind === null ? null : (sales[0]?.id ?? null),
      ...resultOf(reading, sales, effects, problem?.message),
    });
  });
}

function earlierEffects({ effects_json }: SaleMessagesTable): Effect[] {
  return JSON.parse(effects_json);
}

function resultOf(
  { ignoredBecause }: Reading,
  sales: readonly SalesTable[],
  effects: readonly Effect[],
  problem: string | undefined,
): Pick<MessageResult & { state: SaleMessagesTable['state'] }, 'state' | 'reason'> {
  if (problem !== undefined) return { state: 'failed', reason: problem };
  if (effects.length > 0) return { state: 'applied', reason: null };
  return { state: 'nothing', reason: reasonOf(ignoredBecause, sales) };
}

function reasonOf(ignoredBecause: string | null, sales: readonly SalesTable[]): string {
  if (sales.length === 0) return ignoredBecause ?? 'The message is about nothing that concerns licenses.';
  if (sales.every(({ kind }) => kind === null)) {
    return 'It is about a sale that the shop has not reported yet. It counts as soon as the shop does.';
  }
  if (sales.every(({ state }) => state === null || state === 'pending')) return 'The sale is not paid yet.';
  return ignoredBecause ?? 'The licenses match the sale already.';
}

interface UnsolvedSale {
  readonly row: SalesTable;
  /** In words for the vendor. */
  readonly message: string;
}

/** Announces a problem that was there before. Returns when one that is new is looked at again; null otherwise. */
async function followProblem(
  { outbox, at }: SaleContext,
  attempts: number,
  { row, message }: UnsolvedSale,
): Promise<Timestamp | null> {
  if (attempts === 0) {
    const again = addSeconds(at, patienceSeconds);
    outbox.wakeUp(salesJobKind, again);
    return again;
  }
  // Only `storeSale` writes the column.
  const code = (row.problem ?? 'refused') as SaleProblem;
  await notifyFailure(outbox, { connectionId: row.connection_id, code, reason: message, at });
  return null;
}

interface Failure {
  readonly code: SaleProblem | 'failed';
  readonly reason: string;
  /** False if a repetition cannot help. */
  readonly mayRepeat: boolean;
  /** For how long the shop does not want to be asked; null if it did not say that. */
  readonly pauseMs: number | null;
  /** True for a mistake of the service. The message fails alone, so that it does not stop those after it. */
  readonly isDefect?: true;
}

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, message } = refusal(error);
    return { code, reason: message, mayRepeat: true, pauseMs: null };
  }
  if (error instanceof MessageUnreadableError) {
    return { code: 'failed', reason: error.message, mayRepeat: false, pauseMs: null };
  }
  if (error instanceof ShopApiError) {
    const reason = `The shop's API failed: ${error.message}`;
    return { code: 'failed', reason, mayRepeat: true, pauseMs: error.kind === 'busy' ? error.retryAfterMs : null };
  }
  const reason = 'The service could not apply the message. Its log says why.';
  return { code: 'failed', reason, mayRepeat: true, pauseMs: null, isDefect: true };
}

/** Stores what a message says although its effects were refused, the problem of its sales, and when it is tried again. */
async function storeFailure(
  { services, tenant, connection }: Attempt,
  message: SaleMessagesTable,
  reading: Reading | undefined,
  failure: Failure,
): Promise<void> {
  const work = { services, tenant, actor: connectionActor(connection.id) };
  await transactSales(work, async (context) => {
    const locked = await lockMessage(context.tx, message.id);
    if (locked === undefined || locked.next_attempt_at === null || locked.attempts !== message.attempts) return;
    const sales =
      reading === undefined || failure.code === 'failed' ? [] : await ingest(context, connection.id, reading);
    for (const row of sales) {
      const problem = { code: failure.code === 'failed' ? null : failure.code, message: failure.reason };
      await storeSale(context, row, stateOf(row), { ...problem, nextChangeAt: null });
    }
    const next = nextAttempt(locked.attempts, failure, context.at);
    await updateRows(context.tx, 'sale_messages', message.id, {
      state: 'failed',
      attempts: locked.attempts + 1,
      next_attempt_at: next,
      reason: failure.reason.slice(0, 1000),
      ...(sales[0] !== undefined && sales[0].kind !== null && { sale_id: sales[0].id }),
    });
    context.outbox.wakeUp(salesJobKind, next);
    const isNews = failure.code === 'limit_reached' || next === null;
    if (isNews) await notifyFailure(context.outbox, { ...failure, connectionId: connection.id, at: context.at });
  });
}

function nextAttempt(attempts: number, { mayRepeat, pauseMs }: Failure, at: Timestamp): Timestamp | null {
  const next = mayRepeat ? retryAt(retrySchedules.shopMessage, attempts + 1, toEpochMs(at)) : null;
  return next === null || pauseMs === null ? next : addSeconds(at, Math.max(1, Math.ceil(pauseMs / 1000)));
}
