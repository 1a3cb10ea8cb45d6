import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRow, lockRow } from '../../../db/rows.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import { AppError, type ErrorDetail, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { createAddressPolicy } from '../../../lib/public-addresses.ts';
import { checkPublicUrl } from '../../../lib/public-url.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { releaseQuota, reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import {
  countWebhooks,
  findWebhook,
  hasProduct,
  listAllWebhooks,
  listWebhookStatuses,
  replaceSealed,
  type SealedWebhookColumn,
  updateWebhookRow,
} from './queries.ts';
import type { CreateWebhook, UpdateWebhook } from './schemas.ts';
import { newSecret, type OwnHeader, openHeaders, resealSecrets, rotateSecret, sealHeaders } from './secrets.ts';
import { applyWebhookInput, healthy, presentWebhook } from './webhook.ts';

export { readEnabledWebhooks, removeDeletedWebhooks } from './queries.ts';

/** Returns the fields of an audit record about an endpoint. */
export const auditOf = auditsOf('webhook');

const auditedFields = ['url', 'description', 'events', 'product_id', 'headers', 'status', 'disabled_reason'] as const;

/**
 * Maximum endpoints under any plan: each change that has an event reads all endpoints and may write a delivery for
 * each.
 */
const endpointsMax = 2000;

/** An endpoint and its newest secret, which is returned once. */
export interface WithSecret {
  readonly row: WebhookEndpointsTable;
  readonly secret: string;
}

/**
 * Creates an endpoint. Throws 422 for a URL that is not allowed, an unknown product and a header without a value, and 403
 * `PLAN.LIMIT_REACHED` if the plan's limit or the general limit of 2,000 endpoints is reached.
 */
export async function createWebhook(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: CreateWebhook,
): Promise<WithSecret> {
  const url = allowedUrl(services, input.url);
  await assertProduct(tenant.db, input);
  const headers = headersAfter(services.keyring, undefined, { ...input, url });
  const events = input.events ?? (await readSettings(tenant.db)).webhook_event_defaults;
  const { secret, sealed } = newSecret(services.keyring);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    await assertQuota(tx);
    const at = services.clock.now();
    const row: WebhookEndpointsTable = {
      id: newId(),
      url,
      description: input.description ?? null,
      events_json: JSON.stringify(events),
      product_id: input.product_id ?? null,
      ...headers,
      ...healthy,
      sealed_secrets: sealed,
      created_at: at,
      updated_at: at,
      deleted_at: null,
    };
    await insertRow(tx, 'webhook_endpoints', row);
    const changes = createdFields(presentWebhook(row), auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'WEBHOOK.CREATED'), changes, at });
    await reserveQuota(tx, outbox, tenant, { resource: 'webhooks', count: 1, at, requestId: actor.requestId });
    return { row, secret };
  });
}

/** Changes the fields that are present. Enabling resets failures. Throws 404, and 422 as `createWebhook`. */
export async function updateWebhook(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateWebhook,
): Promise<WebhookEndpointsTable> {
  const checked = input.url === undefined ? input : { ...input, url: allowedUrl(services, input.url) };
  await assertProduct(tenant.db, input);
  const defaults = input.events === null ? (await readSettings(tenant.db)).webhook_event_defaults : [];
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockExisting(tx, id);
    const at = services.clock.now();
    const headers = headersAfter(services.keyring, before, checked);
    const after = { ...applyWebhookInput(before, checked, defaults), ...headers };
    const changes = changedFields(presentWebhook(before), presentWebhook(after), auditedFields);
    const hasValues = input.headers?.some(({ value }) => value !== undefined) === true;
    if (hasValues) changes.push({ field: 'header_values', old: null, new: null });
    if (changes.length === 0) return before;
    const row = { ...after, updated_at: at };
    await updateWebhookRow(tx, row);
    // The next delivery run fails the deliveries that wait for a disabled endpoint.
    if (row.status === 'disabled') outbox.expectDeliveries();
    await recordAudit(tx, actor, { ...auditOf(id, 'WEBHOOK.UPDATED'), changes, at });
    return row;
  });
}

/** Deletes an endpoint. Its deliveries stay readable, and the next delivery run fails pending ones. Throws 404. */
export async function deleteWebhook(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockExisting(tx, id);
    const at = services.clock.now();
    outbox.expectDeliveries();
    await updateWebhookRow(tx, { ...before, sealed_secrets: '', sealed_headers: '', deleted_at: at, updated_at: at });
    await recordAudit(tx, actor, { ...auditOf(id, 'WEBHOOK.DELETED'), at });
    await releaseQuota(tx, 'webhooks', 1);
  });
}

/** Gives an endpoint a new secret, and reports it. The previous secret also signs for 24 h. Throws 404. */
export async function rotateWebhookSecret(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<WithSecret> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockExisting(tx, id);
    const at = services.clock.now();
    const { secret, sealed } = rotateSecret(services.keyring, before.sealed_secrets, at);
    const row = { ...before, sealed_secrets: sealed, updated_at: at };
    await updateWebhookRow(tx, row);
    await recordAudit(tx, actor, { ...auditOf(id, 'WEBHOOK.SECRET_ROTATED'), at });
    const { requestId } = actor;
    await outbox.record({ type: 'webhook.secret_rotated', data: () => presentWebhook(row), requestId, at });
    return { row, secret };
  });
}

/** Returns an endpoint that is not deleted. Throws 404. */
export async function readWebhook(db: TenantDb, id: string): Promise<WebhookEndpointsTable> {
  const row = orThrow(await findWebhook(db, id), webhookNotFound);
  return row;
}

/** Counts the endpoints that are not deleted. */
export async function countWebhooksByStatus(db: TenantDb): Promise<Record<WebhookEndpointsTable['status'], number>> {
  const statuses = await listWebhookStatuses(db);
  const enabled = statuses.filter(({ status }) => status === 'enabled').length;
  return { enabled, disabled: statuses.length - enabled };
}

/**
 * Encrypts the secrets and headers of an endpoint under the current application key, if an older key encrypted them. Does
 * nothing if no key can decrypt them: each delivery attempt then records `secret_unreadable`.
 */
export async function updateSecretEncryption(
  keyring: Keyring,
  withDb: (work: (db: TenantDb) => Promise<void>) => Promise<void>,
  endpoint: Pick<WebhookEndpointsTable, 'id' | SealedWebhookColumn>,
): Promise<void> {
  for (const column of ['sealed_secrets', 'sealed_headers'] as const) {
    const { id, [column]: before } = endpoint;
    let after: string | null;
    try {
      after = resealSecrets(keyring, before);
    } catch {
      continue;
    }
    if (after === null) continue;
    const replacement = { id, column, before, after };
    await withDb((db) => replaceSealed(db, replacement));
  }
}

/** Reads an endpoint and locks it until the transaction ends. Throws 404. */
export async function lockExisting(tx: TenantTransaction, id: string): Promise<WebhookEndpointsTable> {
  const row = await lockRow(tx, 'webhook_endpoints', id);
  if (row === undefined || row.deleted_at !== null) throw webhookNotFound();
  return row;
}

/** Locks an endpoint until the transaction ends. Throws 409 `WEBHOOK.DISABLED` if it is disabled or deleted. */
export async function lockEnabled(tx: TenantTransaction, id: string): Promise<void> {
  assertEnabled(await lockRow(tx, 'webhook_endpoints', id));
}

/** Concurrent creations may exceed the limit by a few. That is harmless: it limits work and is not part of a plan. */
async function assertQuota(tx: TenantTransaction): Promise<void> {
  if ((await countWebhooks(tx)) < endpointsMax) return;
  const message = `A tenant has at most ${endpointsMax} webhook endpoints. Delete endpoints that you no longer need.`;
  throw new AppError('PLAN.LIMIT_REACHED', message);
}

/** Throws 409 `WEBHOOK.DISABLED` if the endpoint is missing, deleted or disabled. */
export function assertEnabled(endpoint: WebhookEndpointsTable | undefined): void {
  if (endpoint !== undefined && endpoint.deleted_at === null && endpoint.status === 'enabled') return;
  const message =
    'The webhook endpoint is disabled or deleted, so nothing is sent to it. Enable it and repeat the request.';
  throw new AppError('WEBHOOK.DISABLED', message);
}

/** Returns the same error for an endpoint that does not exist and for one of another tenant. */
function webhookNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such webhook endpoint. List the webhooks to find its id.');
}

function allowedUrl({ config }: Services, text: string): string {
  const addresses = createAddressPolicy(config.webhookAllowedCidrs);
  const checked = checkPublicUrl(text, { allowHttp: config.webhookAllowHttp, addresses });
  if ('problem' in checked) throw validationError({ field: 'url', message: checked.problem });
  return checked.url;
}

/** Throws 422 for a product that the tenant does not have. */
async function assertProduct(db: TenantDb, { product_id }: UpdateWebhook): Promise<void> {
  if (product_id == null || (await hasProduct(db, product_id))) return;
  throw validationError({ field: 'product_id', message: 'Choose an existing product.' });
}

type HeaderColumns = Pick<WebhookEndpointsTable, 'header_names_json' | 'sealed_headers'>;
const noHeaders: HeaderColumns = { header_names_json: '[]', sealed_headers: '' };

/**
 * Returns the columns of the headers that an endpoint has after `input`. A header without a value keeps the stored one,
 * unless the URL names another server: nobody may read a value by sending it to a server of their own. Throws 422 then,
 * and for a new header without a value.
 */
function headersAfter(
  keyring: Keyring,
  before: WebhookEndpointsTable | undefined,
  input: Pick<UpdateWebhook, 'url' | 'headers'>,
): HeaderColumns {
  const columns = before ?? noHeaders;
  const isMoved = before !== undefined && new URL(input.url ?? before.url).origin !== new URL(before.url).origin;
  if (input.headers === undefined && !isMoved) {
    const { header_names_json, sealed_headers } = columns;
    return { header_names_json, sealed_headers };
  }
  const names: string[] = JSON.parse(columns.header_names_json);
  const given: NonNullable<UpdateWebhook['headers']> = input.headers ?? names.map((name) => ({ name }));
  const needsStored = !isMoved && given.some(({ value }) => value === undefined);
  const stored = needsStored ? readableHeaders(keyring, columns) : [];
  const problems: ErrorDetail[] = [];
  const headers = given.map(({ name, value }, index) => {
    const known = stored.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const sent = value ?? known?.value;
    const message = isMoved ? 'Enter the value again, because the URL names another server.' : 'Enter a value.';
    if (sent === undefined) problems.push({ field: `headers.${index}.value`, message });
    return { name, value: sent ?? '' };
  });
  if (problems.length > 0) throw validationError(...problems);
  return {
    header_names_json: JSON.stringify(given.map(({ name }) => name)),
    sealed_headers: sealHeaders(keyring, headers),
  };
}

/** Returns no headers if no application key can decrypt them: their values must be entered again. */
function readableHeaders(keyring: Keyring, { sealed_headers }: HeaderColumns): readonly OwnHeader[] {
  try {
    return openHeaders(keyring, sealed_headers);
  } catch {
    return [];
  }
}

/** An endpoint with a past. */
export type PastEndpoint = Omit<
  WebhookEndpointsTable,
  'id' | 'sealed_secrets' | 'product_id' | keyof HeaderColumns | 'deleted_at'
>;

/**
 * Inserts an endpoint in its past state with a secret that is not disclosed, and returns its id. The
 * caller must count it.
 */
export async function createPastEndpoint(
  tx: TenantTransaction,
  keyring: Keyring,
  endpoint: PastEndpoint,
): Promise<string> {
  const id = newId();
  const sealed = newSecret(keyring).sealed;
  await insertRow(tx, 'webhook_endpoints', {
    id,
    ...endpoint,
    ...noHeaders,
    product_id: null,
    sealed_secrets: sealed,
    deleted_at: null,
  });
  return id;
}

/**
 * Copies every endpoint into the database of a new tenant, disabled, without its headers, and with a secret of its own that
 * is not disclosed: nothing is sent to it until somebody enables it.
 */
export async function copyWebhooks(keyring: Keyring, from: TenantDb, tx: TenantTransaction): Promise<void> {
  for (const row of await listAllWebhooks(from)) {
    const { sealed } = newSecret(keyring);
    await insertRow(tx, 'webhook_endpoints', {
      ...row,
      ...healthy,
      ...noHeaders,
      status: 'disabled',
      sealed_secrets: sealed,
    });
  }
}
