import { createHash } from 'node:crypto';
import type { SaleMessagesTable } from '../../../db/tables/tenant/sales.ts';
import { AppError } from '../../../lib/error.ts';
import { idOrText, isUuid, newId } from '../../../lib/ids.ts';
import type { RateLimitWindow } from '../../../rate-limit/rate-limits.ts';
import { tooManyAttempts } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { generateSigningSecret } from '../../webhooks/endpoints/secrets.ts';
import { connectionNotFound, findConnection, findTenantOf, noteMessage, salesJobKind } from '../connections/service.ts';
import { shops } from '../shops/all.ts';
import { custom } from '../shops/custom/custom.ts';
import { MessageRefusedError, type ReceivedMessage, type Shop, type VerifiedMessage } from '../shops/shop.ts';
import { BatchedWrites } from './intake.ts';
import { insertMessages } from './queries.ts';

/** A secret that nobody knows, for the work on messages to addresses that do not exist. */
const unknownSecret = generateSigningSecret();

const idMax = 200;
const typeMax = 100;

/** The largest message that nobody signed. Gumroad's have some 2 KiB. */
const unsignedLimitBytes = 16 * 1024;

/** Per connection. A shop repeats a message that was refused for a limit. */
const signedLimit = { limit: 60_000, windowSeconds: 600 };
const unsignedLimit = { limit: 120, windowSeconds: 60 };
/**
 * Refused messages per connection and client network. A shop sends for all tenants from the same addresses, so one tenant's
 * wrong secret must not stop the messages of the others.
 */
const refusedLimit = { limit: 60, windowSeconds: 60 };
const refusedName = 'sales-refused';

/** Receives the messages of shops. */
export interface MessageReceiver {
  /**
   * Verifies a message and stores it; the id of a message that is stored already is stored once. Returns when it is
   * committed. Throws 404 for an unknown, disabled or deleted connection, 401 `SALES.SIGNATURE_INVALID`, 413 for a long
   * message without a signature, 429 above a limit, and 503 while the tenant is being moved. `network` is the client's, or says which part
   * of the service sends the message.
   */
  receive(connectionId: string, message: ReceivedMessage, network: string): Promise<{ readonly externalId: string }>;
}

/** Creates the receiver of one process. */
export function createMessageReceiver(services: Services): MessageReceiver {
  const writes = new BatchedWrites<SaleMessagesTable>((tenantId, rows) => storeMessages(services, tenantId, rows));
  return {
    async receive(givenId, message, network) {
      const connectionId = idOrText(givenId);
      const found = await findReceiving(services, connectionId);
      const sender = `${found === undefined ? 'unknown' : connectionId} ${network}`;
      const verified = await countRefusals(services, sender, () => verifyFrom(services, found, message));
      const { keepOfUnsigned } = verified.shop;
      const limit = keepOfUnsigned === undefined ? signedLimit : unsignedLimit;
      refuseAbove(await services.rateLimits.consume('sales-messages', connectionId, limit));
      const body = keepOfUnsigned?.(message.body) ?? message.body;
      const row = toRow(services, connectionId, verified, { ...message, body });
      await writes.store(verified.tenantId, row);
      return { externalId: row.external_id };
    },
  };
}

interface Receiving {
  readonly tenantId: string;
  readonly shop: Shop;
  /** Null: the shop signs nothing. Undefined: the vendor has not entered it yet. */
  readonly secret: string | null | undefined;
}

/** Returns an active connection; a suspended tenant's too, whose messages wait until it pays. */
async function findReceiving(services: Services, connectionId: string): Promise<Receiving | undefined> {
  const record = isUuid(connectionId) ? await findTenantOf(services.platform, connectionId) : undefined;
  if (record === undefined || record.status === 'closed') return undefined;
  const row = await services.tenants.withTenantDb(record.id, (db) => findConnection(db, connectionId));
  const shop = row === undefined ? undefined : shops[row.provider];
  if (row === undefined || shop === undefined || row.status !== 'active') return undefined;
  const secret = row.sealed_secret === null ? undefined : services.keyring.open(row.sealed_secret);
  return { tenantId: record.id, shop, secret: shop.keepOfUnsigned === undefined ? secret : null };
}

/** Refuses a sender whose messages were refused too often, before their signatures are checked. */
async function countRefusals<Verified>(
  { rateLimits }: Services,
  sender: string,
  verify: () => Verified,
): Promise<Verified> {
  const refused = await rateLimits.openWindow(refusedName, sender);
  const isOften = refused !== null && refused.hits >= refusedLimit.limit;
  if (isOften) refuseAbove(await rateLimits.consume(refusedName, sender, refusedLimit));
  try {
    return verify();
  } catch (error) {
    await rateLimits.consume(refusedName, sender, refusedLimit);
    throw error;
  }
}

function refuseAbove(window: RateLimitWindow): void {
  if (!window.allowed) throw tooManyAttempts(window);
}

function verifyFrom(services: Services, found: Receiving | undefined, message: ReceivedMessage) {
  if (found !== undefined) return { ...verify(services, found, message), ...found };
  // The same work as for a connection, so that the time says nothing about ids.
  refusalOf(custom, message, unknownSecret);
  throw connectionNotFound();
}

function verify({ metrics }: Services, { shop, secret }: Receiving, message: ReceivedMessage): VerifiedMessage {
  if (secret === null && message.body.length > unsignedLimitBytes) {
    throw new AppError('REQUEST.TOO_LARGE', 'The message is too long. Send at most 16 KiB without a signature.');
  }
  const verified = secret === undefined ? 'No signing secret is stored.' : refusalOf(shop, message, secret ?? '');
  if (typeof verified !== 'string') {
    metrics.salesMessages.increment('accepted');
    return verified;
  }
  metrics.salesMessages.increment('refused');
  throw new AppError(
    'SALES.SIGNATURE_INVALID',
    `${verified} Copy the signing secret of the shop into the connection, and check the clocks.`,
  );
}

function refusalOf(shop: Shop, message: ReceivedMessage, secret: string): VerifiedMessage | string {
  try {
    return shop.verify(message, secret);
  } catch (error) {
    if (error instanceof MessageRefusedError) return error.message;
    throw error;
  }
}

function toRow(
  { keyring }: Services,
  connectionId: string,
  { id, type, occurredAt }: VerifiedMessage,
  { body, receivedAt }: ReceivedMessage,
): SaleMessagesTable {
  return {
    id: newId(),
    connection_id: connectionId,
    external_id: storableId(id),
    type: type.replace(/\p{Cc}+/gu, ' ').slice(0, typeMax) || 'unknown',
    occurred_at: occurredAt,
    received_at: receivedAt,
    sealed_body: keyring.seal(body.toString('base64')),
    state: 'pending',
    attempts: 0,
    next_attempt_at: receivedAt,
    effects_json: '[]',
    reason: null,
    sale_id: null,
  };
}

/** An id that no index could contain is replaced by its hash, which is the same for the same id. */
function storableId(id: string): string {
  const isStorable = id.length <= idMax && !/\p{Cc}/u.test(id) && id.isWellFormed();
  return isStorable ? id : createHash('sha256').update(id).digest('hex');
}

async function storeMessages(services: Services, tenantId: string, rows: readonly SaleMessagesTable[]): Promise<void> {
  const { clock, tenants, wakeUps } = services;
  await tenants.withTenantDb(tenantId, (db) =>
    transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
      await insertMessages(tx, rows);
      for (const [id, of] of Map.groupBy(rows, ({ connection_id }) => connection_id)) {
        await noteMessage(tx, id, of[0]?.received_at ?? clock.now());
      }
      outbox.wakeUp(salesJobKind, clock.now());
      // If this process dies after the commit, another one finds the messages within a minute.
      await wakeUps.scheduleBeforeCommit(tenantId, salesJobKind);
    }),
  );
}
