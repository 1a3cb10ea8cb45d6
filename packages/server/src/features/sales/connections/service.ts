import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { ConnectionsTable } from '../../../db/tables/tenant/sales.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { AppError, type ErrorDetail, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { shops } from '../shops/all.ts';
import type { Provider, Shop } from '../shops/shop.ts';
import {
  countConnections,
  countProblems,
  deleteAddress,
  findConnectionRow,
  listConnections,
  lockConnectionRow,
  updateConnectionRow,
} from './queries.ts';
import type { Connection, ConnectionsQuery, CreateConnection, UpdateConnection } from './schemas.ts';

export { findRemovable, findTenantOf, listComparing, noteMessage, removeConnectionRow } from './queries.ts';

const auditOf = auditsOf('connection');

/** The job that applies messages and sales that are due. */
export const salesJobKind = 'sales';

/** Maximum connections of a tenant: a comparison and an overview read all of them. */
const connectionsMax = 100;

const auditedFields = ['provider', 'name', 'status', 'has_signing_secret', 'has_api_key', 'compares_itself'] as const;

type Stated = Omit<Connection, 'problems_count'>;

/** Returns the API representation of a connection, without the number of its problems. */
function stateOf({ config }: Pick<Services, 'config'>, row: ConnectionsTable): Stated {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    status: row.status,
    webhook_url: `${config.publicUrl}/webhooks/sales/${row.id}`,
    has_signing_secret: row.sealed_secret !== null,
    has_api_key: row.sealed_api_key !== null,
    compares_itself: row.compares_itself === 1,
    last_event_at: row.last_event_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Returns the API representation of a connection. */
export async function presentConnection(
  services: Pick<Services, 'config'>,
  db: TenantDb,
  row: ConnectionsTable,
): Promise<Connection> {
  return { ...stateOf(services, row), problems_count: await countProblems(db.query, row.id) };
}

/** Returns a new connection, which has no problems yet, with its generated secret or null. */
export function presentNewConnection(services: Pick<Services, 'config'>, { row, secret }: NewConnection) {
  return { ...stateOf(services, row), problems_count: 0, signing_secret: secret };
}

/** Returns a page of the connections, newest first. Throws 422 for an invalid cursor. */
export async function readConnections(
  services: Pick<Services, 'config'>,
  { db }: Tenant,
  query: ConnectionsQuery,
): Promise<Page<Connection>> {
  const page = toPage(await listConnections(db, query), query.limit);
  const rows: Connection[] = [];
  for (const row of page.rows) rows.push(await presentConnection(services, db, row));
  return { ...page, rows };
}

/** A connection, and the secret that the service generated for it, which is returned once. */
export interface NewConnection {
  readonly row: ConnectionsTable;
  readonly secret: string | null;
}

/**
 * Creates a connection. The platform's row is written first: without the tenant's row its address is unknown, and a
 * repeated request creates another one. Throws 422 for a shop that is not available and for a missing API key, and 403
 * `PLAN.LIMIT_REACHED` beyond 100 connections.
 */
export async function createConnection(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: CreateConnection,
): Promise<NewConnection> {
  const shop = availableShop(input.provider);
  const generated = input.signing_secret === undefined ? (shop.generateSecret?.() ?? null) : null;
  const secret = input.signing_secret ?? generated;
  const apiKey = input.api_key ?? null;
  assertComplete(shop, { apiKey, comparesItself: input.compares_itself === true });
  const id = newId();
  await insertRow(services.platform.query, 'sales_connections', { id, tenant_id: tenant.id });
  try {
    return await insertNew(services, tenant, actor, generated, {
      id,
      provider: input.provider,
      name: input.name,
      status: input.status ?? 'active',
      sealed_secret: sealOrNull(services.keyring, secret),
      sealed_api_key: sealOrNull(services.keyring, apiKey),
      compares_itself: input.compares_itself === true ? 1 : 0,
    });
  } catch (error) {
    // Left behind by a crash, the row costs a few bytes and leads to a 404.
    await deleteAddress(services.platform, id);
    throw error;
  }
}

type NewRow = Omit<ConnectionsTable, 'last_event_at' | 'created_at' | 'updated_at' | 'deleted_at'>;

/** Its transaction returns what the response needs, because a request with an `Idempotency-Key` stores the response in it. */
function insertNew(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  secret: string | null,
  fields: NewRow,
): Promise<NewConnection> {
  return tenant.db.transaction(async (tx) => {
    if ((await countConnections(tx)) >= connectionsMax) {
      const message = `A tenant has at most ${connectionsMax} connections. Delete connections that you no longer need.`;
      throw new AppError('PLAN.LIMIT_REACHED', message);
    }
    const at = services.clock.now();
    const row = { ...fields, last_event_at: null, created_at: at, updated_at: at, deleted_at: null };
    await insertRow(tx, 'connections', row);
    const changes = createdFields(stateOf(services, row), auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'CONNECTION.CREATED'), changes, at });
    return { row, secret };
  });
}

/** Returns the implementation of a shop. Throws 422 for one that this version does not have. */
function availableShop(provider: Provider): Shop {
  const shop = shops[provider];
  if (shop !== undefined) return shop;
  throw validationError({ field: 'provider', message: 'This version of the service does not support this shop.' });
}

/** Asserts that a connection has what its shop needs. Throws 422. */
function assertComplete(
  { keepOfUnsigned, api }: Shop,
  { apiKey, comparesItself }: { readonly apiKey: string | null; readonly comparesItself: boolean },
): void {
  const details: ErrorDetail[] = [];
  if (apiKey === null && keepOfUnsigned !== undefined) {
    details.push({
      field: 'api_key',
      message: 'Enter the API key. The shop does not sign its messages, so the service asks its API.',
    });
  }
  if (apiKey !== null && api === null) {
    details.push({ field: 'api_key', message: 'Leave this empty. The service cannot use an API of this shop.' });
  }
  if (comparesItself && apiKey === null) {
    details.push({ field: 'compares_itself', message: 'Enter the API key of the shop, which comparisons need.' });
  }
  if (details.length > 0) throw validationError(...details);
}

/** Changes the fields that are present. Throws 404, and 422 if the shop needs what would be missing then. */
export async function updateConnection(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateConnection,
): Promise<ConnectionsTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockConnection(tx, id);
    const row = withInput(services, before, input);
    const comparesItself = row.compares_itself === 1;
    assertComplete(availableShop(row.provider), { apiKey: row.sealed_api_key, comparesItself });
    const changes = changedFields(stateOf(services, before), stateOf(services, row), auditedFields);
    for (const field of ['signing_secret', 'api_key'] as const) {
      if (input[field] !== undefined) changes.push({ field, old: null, new: null });
    }
    if (changes.length === 0) return before;
    const at = services.clock.now();
    const after = { ...row, updated_at: at };
    await updateConnectionRow(tx, after);
    await recordAudit(tx, actor, { ...auditOf(id, 'CONNECTION.UPDATED'), changes, at });
    // Messages that waited while it was disabled, or that its former key could not read.
    outbox.wakeUp(salesJobKind, at);
    return after;
  });
}

function withInput(
  { keyring }: Services,
  row: ConnectionsTable,
  { signing_secret, api_key, status, name, compares_itself }: UpdateConnection,
): ConnectionsTable {
  return {
    ...row,
    name: name ?? row.name,
    status: status ?? row.status,
    sealed_secret: signing_secret === undefined ? row.sealed_secret : keyring.seal(signing_secret),
    sealed_api_key: api_key === undefined ? row.sealed_api_key : sealOrNull(keyring, api_key),
    compares_itself: compares_itself === undefined ? row.compares_itself : compares_itself ? 1 : 0,
  };
}

/**
 * Deletes a connection and its secrets. Its licenses stay; its messages and sales are removed by the retention. Safe to
 * repeat after a crash. Throws 404.
 */
export async function deleteConnection(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await tenant.db.transaction(async (tx) => {
    const before = await lockConnection(tx, id);
    const at = services.clock.now();
    const removed = { status: 'disabled', sealed_secret: null, sealed_api_key: null, compares_itself: 0 } as const;
    await updateConnectionRow(tx, { ...before, ...removed, updated_at: at, deleted_at: at });
    await recordAudit(tx, actor, { ...auditOf(id, 'CONNECTION.DELETED'), at });
  });
  await deleteAddress(services.platform, id);
}

/** Returns a connection that is not deleted. Throws 404. */
export async function readConnection({ query }: Pick<TenantDb, 'query'>, id: string): Promise<ConnectionsTable> {
  const row = orThrow(await findConnectionRow(query, id), connectionNotFound);
  return row;
}

/** Returns a connection that is not deleted, or undefined. */
export function findConnection({ query }: Pick<TenantDb, 'query'>, id: string): Promise<ConnectionsTable | undefined> {
  return findConnectionRow(query, id);
}

/** Reads a connection and locks it until the transaction ends. Throws 404. */
export async function lockConnection(tx: TenantTransaction, id: string): Promise<ConnectionsTable> {
  const row = orThrow(await lockConnectionRow(tx, id), connectionNotFound);
  return row;
}

/** Returns the same error for a connection that does not exist, one that is deleted and one of another tenant. */
export function connectionNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such connection. List the connections to find its id.');
}

/** Encrypts a secret or an API key; null stays null. */
function sealOrNull(keyring: Keyring, text: string | null): string | null {
  return text === null ? null : keyring.seal(text);
}
