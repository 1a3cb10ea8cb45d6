import type { TenantTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { deleteRows, insertRow, updateRows } from '../../../db/rows.ts';
import type { OffersTable } from '../../../db/tables/tenant/sales.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { assertIssuing, findPolicy } from '../../licensing/policies/service.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { lockConnection, readConnection, salesJobKind } from '../connections/service.ts';
import { retryUnmapped } from '../messages/service.ts';
import { applyUnmapped } from '../sales/service.ts';
import { countOffers, findFirstOffer, listOffers, lockOffer } from './queries.ts';
import type { CreateOffer, Offer, OffersQuery, UpdateOffer } from './schemas.ts';

const auditOf = auditsOf('offer');

/** Maximum offers of a connection: a shop with more sells variants, which have their own ids. */
const offersMax = 1000;

const auditedFields = [
  'external_id',
  'name',
  'policy_id',
  'quantity',
  'seats_per_unit',
  'on_refund',
  'on_payment_failure',
  'suspend_after_days',
] as const;

/** Returns the API representation of an offer. */
export function presentOffer({ connection_id: _known, ...row }: OffersTable): Offer {
  return { ...row, on_payment_failure: row.suspend_after_days === null ? 'nothing' : 'suspend_after_days' };
}

/** Returns a page of the offers of a connection, newest first. Throws 404, and 422 for an invalid cursor. */
export async function readOffers({ db }: Tenant, connectionId: string, query: OffersQuery): Promise<Page<Offer>> {
  await readConnection(db, connectionId);
  const { rows, nextCursor } = toPage(await listOffers(db, connectionId, query), query.limit);
  return { nextCursor, rows: rows.map(presentOffer) };
}

/** Returns the shop's id of the item of the first offer that becomes a license; undefined without one. */
export async function firstItem({ db }: Tenant, connectionId: string): Promise<string | undefined> {
  return (await findFirstOffer(db, connectionId))?.external_id;
}

/**
 * Creates an offer. Sales of the item that wait for it become licenses soon afterwards. Throws 404, 422 for an unknown
 * policy, 409 `SALES.OFFER_TAKEN`, and 403 `PLAN.LIMIT_REACHED` beyond 1,000 offers.
 */
export async function createOffer(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  connectionId: string,
  input: CreateOffer,
): Promise<OffersTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    await lockConnection(tx, connectionId);
    if ((await countOffers(tx, connectionId)) >= offersMax) {
      const message = `A connection has at most ${offersMax} offers. Delete offers that you no longer need.`;
      throw new AppError('PLAN.LIMIT_REACHED', message);
    }
    await assertPolicy(tx, input.policy_id);
    const at = services.clock.now();
    const row: OffersTable = {
      id: newId(),
      connection_id: connectionId,
      external_id: input.external_id,
      name: input.name ?? input.external_id,
      policy_id: input.policy_id,
      quantity: quantityOf(input, 'policy'),
      seats_per_unit: input.seats_per_unit ?? 1,
      on_refund: input.on_refund ?? 'revoke',
      suspend_after_days: suspensionOf(input, null),
      created_at: at,
      updated_at: at,
    };
    await insertRow(tx, 'offers', row);
    const changes = createdFields(presentOffer(row), auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'OFFER.CREATED'), changes, at });
    await wakeSales(tx, outbox, connectionId, at);
    return row;
  }).catch(explainTaken);
}

/** A number of devices per unit would be ignored by an offer that leaves it to the policy. */
function quantityOf(
  { quantity, seats_per_unit }: UpdateOffer,
  present: OffersTable['quantity'],
): OffersTable['quantity'] {
  return quantity ?? (present === 'policy' && seats_per_unit !== undefined ? 'seats' : present);
}

/**
 * Changes the fields that are present. Sales that have licenses follow when the shop reports about them the next time, or
 * when they are applied again. Throws 404, and 422 for an unknown policy.
 */
export async function updateOffer(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, id, input }: { readonly connectionId: string; readonly id: string; readonly input: UpdateOffer },
): Promise<OffersTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    await lockConnection(tx, connectionId);
    const before = orThrow(await lockOffer(tx, connectionId, id), offerNotFound);
    if (input.policy_id !== undefined && input.policy_id !== before.policy_id) await assertPolicy(tx, input.policy_id);
    const after: OffersTable = {
      ...before,
      name: input.name ?? before.name,
      policy_id: input.policy_id ?? before.policy_id,
      quantity: quantityOf(input, before.quantity),
      seats_per_unit: input.seats_per_unit ?? before.seats_per_unit,
      on_refund: input.on_refund ?? before.on_refund,
      suspend_after_days: suspensionOf(input, before.suspend_after_days),
    };
    const changes = changedFields(presentOffer(before), presentOffer(after), auditedFields);
    if (changes.length === 0) return before;
    const at = services.clock.now();
    const row = { ...after, updated_at: at };
    await updateRows(tx, 'offers', row.id, row);
    await recordAudit(tx, actor, { ...auditOf(id, 'OFFER.UPDATED'), changes, at });
    await wakeSales(tx, outbox, connectionId, at);
    return row;
  });
}

/** Deletes an offer. Licenses that it has become stay as they are. Throws 404. */
export async function deleteOffer(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, id }: { readonly connectionId: string; readonly id: string },
): Promise<void> {
  await tenant.db.transaction(async (tx) => {
    await lockConnection(tx, connectionId);
    if ((await lockOffer(tx, connectionId, id)) === undefined) throw offerNotFound();
    await deleteRows(tx, 'offers', id);
    await recordAudit(tx, actor, { ...auditOf(id, 'OFFER.DELETED'), at: services.clock.now() });
  });
}

async function assertPolicy(tx: TenantTransaction, id: string): Promise<void> {
  const policy = await findPolicy(tx, id);
  if (policy === undefined) throw validationError({ field: 'policy_id', message: 'Choose an existing policy.' });
  await assertIssuing(tx, policy);
}

/** Returns the days of the offer. Throws 422 for days without the choice, and for the choice without days. */
function suspensionOf(
  { on_payment_failure, suspend_after_days }: Pick<UpdateOffer, 'on_payment_failure' | 'suspend_after_days'>,
  before: number | null,
): number | null {
  const days = suspend_after_days === undefined ? before : suspend_after_days;
  const choice = on_payment_failure ?? (days === null ? 'nothing' : 'suspend_after_days');
  if (choice === 'nothing') {
    if (suspend_after_days == null) return null;
    throw validationError({ field: 'suspend_after_days', message: 'Remove the days: a missing payment does nothing.' });
  }
  if (days !== null) return days;
  throw validationError({
    field: 'suspend_after_days',
    message: 'Enter after how many days the license is suspended.',
  });
}

/** Sales that wait for an offer, and their failed messages, are applied by the job. */
async function wakeSales(tx: TenantTransaction, outbox: Outbox, connectionId: string, at: Timestamp): Promise<void> {
  await retryUnmapped(tx, connectionId, at);
  await applyUnmapped(tx, connectionId, at);
  outbox.wakeUp(salesJobKind, at);
}

function explainTaken(cause: unknown): never {
  if (!isUniqueViolation(cause, 'offers_connection_id_external_id_unique')) throw cause;
  const details = [
    { field: 'external_id', message: 'This product of the shop has an offer already. Change that offer instead.' },
  ];
  const message = 'The connection has an offer for this item already. Change that offer instead.';
  throw new AppError('SALES.OFFER_TAKEN', message, { details, cause });
}

function offerNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such offer. List the offers of the connection to find its id.',
  );
}
