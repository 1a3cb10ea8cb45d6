import type { WebhookEvent } from './api-types.ts';
import { decodeBase64 } from './base64.ts';
import { configurationError, LicensingError } from './error.ts';
import { fromWire } from './naming.ts';

/** The headers of a request: of `fetch`, of Node, or of a framework. */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The options of `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /** How old or how far ahead a message may be, 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time; by default this machine's clock. */
  readonly now?: Date | undefined;
}

/**
 * Verifies a message of the service (Standard Webhooks) and returns its event, whose `type` tells the type of its `data`.
 * Deliveries repeat and arrive in any order: handle each `id` once. `body` is the raw body, before any parser. Pass both
 * secrets during a rotation. Throws `WEBHOOK.SIGNATURE_INVALID`,
 * `WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE` or `WEBHOOK.MALFORMED`: answer 400 then. Throws `CONFIGURATION.INVALID` for an
 * argument that cannot be right, such as a parsed body or an unset secret.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const content = bytesOf(body);
  const keys = [secret].flat().map(keyOf);
  if (!keys.length) throw noSecret();
  if (typeof headers !== 'object' || !headers) {
    throw configurationError('Pass request.headers.');
  }
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) {
    throw refusal('MALFORMED', 'A header webhook-… is missing or wrong. Pass request.headers.');
  }
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  const isSigned = await Promise.all(keys.map((key) => isSignedBy(key, signed, signatures)));
  if (!isSigned.includes(true)) {
    throw refusal(
      'SIGNATURE_INVALID',
      'No signature fits the secret and the raw body. Pass the body before any parser.',
    );
  }
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw refusal('TIMESTAMP_OUTSIDE_TOLERANCE', 'The message is too old or too new. Check the clock of this machine.');
  }
  return eventOf(content);
}

function refusal(reason: string, message: string): LicensingError {
  return new LicensingError({ code: `WEBHOOK.${reason}`, message });
}

/** Throws `CONFIGURATION.INVALID` for a body that a parser has changed, because its bytes are lost. */
function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not `instanceof`: the bytes may be of another realm, for example of a test environment.
  const { buffer = body, byteOffset, byteLength } = Object(body);
  if (typeof byteLength === 'number') return new Uint8Array(buffer, byteOffset, byteLength);
  throw configurationError('Pass the raw body, before any JSON parser: request.text().');
}

/** Returns a header whatever the case of its name. */
function header(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  for (const [given, value] of Object.entries(headers)) {
    if (given.toLowerCase() === name) return typeof value === 'string' ? value : value?.join(' ');
  }
  return undefined;
}

function joined(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(start.length + end.length);
  both.set(start);
  both.set(end, start.length);
  return both;
}

function noSecret(): LicensingError {
  return configurationError('Pass the secret of the webhook endpoint, whsec_…. Is the environment variable set?');
}

/** Returns the bytes of a secret. Throws `CONFIGURATION.INVALID`. */
function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || !secret) throw noSecret();
  const bytes = decodeBase64(secret.startsWith('whsec_') ? secret.slice(6) : '');
  if (!bytes?.length) throw configurationError('The secret of the webhook must begin with whsec_ and be base64.');
  return bytes;
}

/** Compares in constant time, because WebCrypto does. */
async function isSignedBy(
  bytes: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const [version, encoded = ''] = signature.split(',');
    const mac = version === 'v1' ? decodeBase64(encoded) : undefined;
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true;
  }
  return false;
}

function eventOf(content: Uint8Array): WebhookEvent {
  try {
    const event = fromWire(JSON.parse(new TextDecoder().decode(content))) as WebhookEvent;
    if (typeof event.id === 'string' && typeof event.type === 'string') return event;
  } catch {
    // The refusal below says it.
  }
  throw refusal('MALFORMED', 'The body is no event of the service. Pass the raw body.');
}
