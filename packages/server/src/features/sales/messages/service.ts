import { randomBytes } from 'node:crypto';
import { findRow, updateRows } from '../../../db/rows.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { isTenantAllowed } from '../../../http/routes/tenant-roles.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readConnection, salesJobKind } from '../connections/service.ts';
import type { Sale } from '../sales/schemas.ts';
import { applySaleAgain, readSale } from '../sales/service.ts';
import { signCustom } from '../shops/custom/signature.ts';
import { findPerson, findRole } from './buyer-queries.ts';
import { findMessageId, type ListedMessage, listMessages, lockMessage, makeFailedDue } from './queries.ts';
import type { MessageReceiver } from './receive-service.ts';
import type { SaleEvent, SaleEventsQuery } from './schemas.ts';

export { retryUnmapped } from './queries.ts';

function presentMessage({ effects_json, connection_id: _known, ...row }: ListedMessage): SaleEvent {
  return { ...row, effects: JSON.parse(effects_json) };
}

/** Returns a page of the messages of a connection, newest first. Throws 404, and 422 for an invalid cursor. */
export async function readEvents(
  { db }: Tenant,
  connectionId: string,
  query: SaleEventsQuery,
): Promise<Page<SaleEvent>> {
  await readConnection(db, connectionId);
  const { rows, nextCursor } = toPage(await listMessages(db, connectionId, query), query.limit, 'received_at');
  return { nextCursor, rows: rows.map(presentMessage) };
}

/** Returns a message. `includesBody`: with the body as the shop sent it. Throws 404. */
export async function readEvent(
  { keyring }: Services,
  { db }: Tenant,
  {
    connectionId,
    id,
    includesBody,
  }: { readonly connectionId: string; readonly id: string; readonly includesBody: boolean },
): Promise<SaleEvent> {
  await readConnection(db, connectionId);
  const row = orThrow(await findRow(db.query, 'sale_messages', { id, connection_id: connectionId }), eventNotFound);
  const { sealed_body, ...listed } = row;
  const body = includesBody ? Buffer.from(keyring.open(sealed_body), 'base64').toString('utf8') : null;
  return { ...presentMessage(listed), body };
}

/** Applies a message again, in the next run of the job. Throws 404. */
export async function retryEvent(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, id }: { readonly connectionId: string; readonly id: string },
): Promise<SaleEvent> {
  await readConnection(tenant.db, connectionId);
  const row = await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockMessage(tx, id);
    if (before === undefined || before.connection_id !== connectionId) throw eventNotFound();
    const at = services.clock.now();
    const retried = { state: 'pending', attempts: 0, next_attempt_at: at } as const;
    await updateRows(tx, 'sale_messages', id, retried);
    const changes = [{ field: 'state', old: before.state, new: 'pending' }];
    const entry = { event: 'SALE_EVENT.RETRIED', resourceType: 'sale_event', resourceId: id, changes, at };
    await recordAudit(tx, actor, entry);
    outbox.wakeUp(salesJobKind, at);
    return { ...before, ...retried };
  });
  return presentMessage(row);
}

/** Applies a sale at once, then its failed messages, and returns it. Throws 404, and the error that refuses it. */
export async function applyAndSettle(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, id }: { readonly connectionId: string; readonly id: string },
): Promise<Sale> {
  await applySaleAgain(services, tenant, actor, connectionId, id);
  const at = services.clock.now();
  await makeFailedDue(tenant.db.query, [id], at);
  services.wakeUps.scheduleAfterCommit(tenant.id, salesJobKind, at);
  return await readSale(tenant, connectionId, id);
}

/**
 * Sends a signed message about an imagined sale through the real path. Throws 404, and 422 for a shop that is not
 * `custom`, without an offer, and without an address.
 */
export async function sendTestSale(
  services: Services,
  { tenant, actor, receiver }: { readonly tenant: Tenant; readonly actor: Actor; readonly receiver: MessageReceiver },
  connectionId: string,
  input: { readonly item: string | undefined; readonly email: string | undefined },
): Promise<{ event_id: string; sale_external_id: string; checkout_id: string }> {
  const connection = await readConnection(tenant.db, connectionId);
  if (connection.provider !== 'custom' || connection.sealed_secret === null) {
    throw validationError({ field: 'id', message: 'Choose a connection to your own shop that has a signing secret.' });
  }
  if (input.item === undefined) {
    throw validationError({
      field: 'external_id',
      message: 'Enter the item, because the connection has no offer yet.',
    });
  }
  const buyer = await testBuyer(services, actor, input.email);
  const at = services.clock.now();
  const sale = {
    id: `test-${newId()}`,
    kind: 'one_time',
    checkout_id: `test-checkout-${randomBytes(16).toString('hex')}`,
    buyer: { id: 'test-buyer', ...buyer },
    items: [{ id: input.item, quantity: 1 }],
  };
  const body = Buffer.from(JSON.stringify({ type: 'sale.completed', at, sale }));
  const secret = services.keyring.open(connection.sealed_secret);
  const headers = signCustom(secret, `test-${newId()}`, body, at);
  const { externalId } = await receiver.receive(connectionId, { headers, body, receivedAt: at }, 'test');
  const event_id = orThrow(await findMessageId(tenant.db.query, connectionId, externalId), eventNotFound);
  return { event_id, sale_external_id: sale.id, checkout_id: sale.checkout_id };
}

async function testBuyer({ platform }: Services, { type, id }: Actor, email: string | undefined) {
  const person = type === 'user' && id !== null ? await findPerson(platform, id) : undefined;
  const address = email ?? person?.email;
  if (address === undefined) throw validationError({ field: 'email', message: 'Enter who gets the mail.' });
  // Everybody who sees the license, the mail or the portal knows that nobody paid.
  return { name: `${person?.name ?? 'Test customer'} (test sale)`, email: address };
}

/** Returns whether a person may read what shops say about buyers. An access token may not. */
export async function mayReadBody({ platform }: Services, tenant: Tenant, actor: Actor): Promise<boolean> {
  if (actor.type === 'admin') return true;
  if (actor.type !== 'user' || actor.id === null || actor.createdBy !== undefined) return false;
  const role = await findRole(platform, tenant.id, actor.id);
  return role !== undefined && isTenantAllowed(role, 'administration', 'POST');
}

function eventNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such message. List the messages of the connection to find its id.',
  );
}
