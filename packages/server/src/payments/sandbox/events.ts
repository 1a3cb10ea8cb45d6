import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { PlatformTransaction } from '../../db/database.ts';
import { insertRows } from '../../db/insert-rows.ts';
import { platformSubject } from '../../jobs/job.ts';
import { enqueueJob } from '../../jobs/queries.ts';
import { toEpochMs, toTimestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { PaymentProviderError, type ProviderEvent } from '../provider.ts';
import { newSandboxId, type SandboxContext, type SendEvent } from './context.ts';
import type { NewEvent } from './state.ts';

/** Job kind: sends the sandbox's events. The subject is `platformSubject`. */
export const deliveryKind = 'sandbox-delivery';

const toleranceSeconds = 300;
const secretLabel = 'licensing/sandbox-webhook/v1';

/** Stores events for delivery, in the transaction of the changes that they report. */
export async function writeEvents(
  tx: PlatformTransaction,
  { clock }: Pick<SandboxContext, 'clock'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => {
    const id = newSandboxId('evt');
    const at = clock.now();
    return { id, body: bodyOf(id, event), attempts: 0, created_at: at, due_at: at };
  });
  await insertRows(tx, 'sandbox_events', rows);
  const dueAt = clock.now();
  await enqueueJob(tx, { subjectId: platformSubject, kind: deliveryKind, dueAt }, dueAt);
}

/** Returns the body of an event. It has ids alone: a receiver reads the objects from the provider. */
function bodyOf(id: string, { type, objectId, at, subscriptionId, reference, invoiceId }: NewEvent): string {
  const object = { id: objectId, subscription: subscriptionId, reference, invoice: invoiceId };
  const created = Math.floor(toEpochMs(at) / 1000);
  return JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
}

/**
 * Returns the signing secrets, the current one first. They are derived from the application keys, which all nodes
 * share.
 */
function secretsOf(keyring: Keyring): string[] {
  return [keyring.hash(secretLabel), ...keyring.previousHashes(secretLabel)];
}

function signature(secret: string, timestamp: string, body: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

/**
 * Returns the headers of an event that is signed at `nowMs`: `sandbox-signature: t=<Unix seconds>,v1=<HMAC-SHA256 of
 * "t.body">`.
 */
export function signedHeaders(keyring: Keyring, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const [secret = ''] = secretsOf(keyring);
  const value = `t=${timestamp},v1=${signature(secret, timestamp, body).toString('hex')}`;
  return { 'content-type': 'application/json', 'sandbox-signature': value };
}

/** Implements `verifyEvent` of the provider. */
export function verifySandboxEvent(
  keyring: Keyring,
  rawBody: Buffer,
  header: string | string[] | undefined,
  nowMs: number,
): ProviderEvent | undefined {
  const [, timestamp, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(header ?? '')) ?? [];
  if (timestamp === undefined || given === undefined) return undefined;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) return undefined;
  const bytes = Buffer.from(given, 'hex');
  const isSigned = secretsOf(keyring).some((secret) => timingSafeEqual(signature(secret, timestamp, rawBody), bytes));
  return isSigned ? readEvent(rawBody) : undefined;
}

function readEvent(rawBody: Buffer): ProviderEvent | undefined {
  try {
    const { id, type, created, data } = JSON.parse(rawBody.toString('utf8'));
    const { subscription, reference, invoice } = data.object;
    return {
      id,
      type,
      createdAt: toTimestamp(created * 1000),
      subscriptionId: subscription ?? null,
      checkoutReference: reference ?? null,
      invoiceId: invoice ?? null,
    };
  } catch {
    return undefined;
  }
}

/** The path of the webhook for the sandbox's events. */
const eventPath = '/webhooks/sandbox';
const timeoutMs = 10_000;
/** Addresses to connect to for a server that listens on all interfaces. */
const loopbackOf = new Map([
  ['::', '::1'],
  ['0.0.0.0', '127.0.0.1'],
]);

/** Returns the webhook's URL on the address that the server listens on; null when it does not listen. */
function listeningUrl(http: FastifyInstance): string | null {
  const [listening] = http.addresses();
  // A string would be a socket path; the service listens on addresses only.
  if (listening === undefined || typeof listening === 'string') return null;
  const { address, port } = listening;
  const host = loopbackOf.get(address) ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${eventPath}`;
}

/**
 * Posts an event of the sandbox to the service's own webhook: over HTTP to the address that the service listens on, or
 * through its router without a socket when it does not listen. Returns the HTTP status.
 */
export async function sendToOwnWebhook(
  http: FastifyInstance | undefined,
  { body, headers }: Parameters<SendEvent>[0],
): Promise<number> {
  if (http === undefined)
    throw new PaymentProviderError(
      'unavailable',
      'The service is still starting and has no webhook yet. Try again shortly.',
    );
  const url = listeningUrl(http);
  if (url === null) {
    const response = await http.inject({ method: 'POST', url: eventPath, headers, payload: body });
    return response.statusCode;
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  await response.body?.cancel();
  return response.status;
}
