import type { WebhookEvent } from '../api-types.ts';
import { configurationError, given, LicensingError } from '../error.ts';
import { verifyWebhook, type WebhookHeaders } from '../webhook.ts';

/** The options of every webhook handler. */
export interface WebhookOptions {
  /** The secret of the endpoint, `whsec_…`; both during a rotation. */
  readonly secret: string | readonly string[];
  /**
   * Does the application's work; the answer to the service waits for it. If it throws or rejects, the answer is 500 and
   * the service sends the event again. Deliveries repeat and arrive in any order: handle each `event.id` once.
   */
  readonly onEvent: (event: WebhookEvent) => unknown;
  /** The size from which a body is refused with 413. By default a million bytes. */
  readonly maxBytes?: number | undefined;
}

/** Throws `CONFIGURATION.INVALID` for options with which a handler could answer no message. */
export function assertHandler(options: WebhookOptions): void {
  const { onEvent } = given(options, '{ secret, onEvent }');
  if (typeof onEvent !== 'function') throw configurationError('`onEvent` must be a function that handles an event.');
}

/** A request as it arrived; `body` is undefined if it is too large. */
interface Message {
  readonly headers: WebhookHeaders;
  readonly body: string | Uint8Array | undefined;
}

/**
 * Verifies a message, has it handled, and returns the status of the answer: 204, 400 for what the service has not signed,
 * or 413. The answer has no body: whoever forges messages learns nothing. Throws `CONFIGURATION.INVALID`, for an unset
 * secret for example, and `WEBHOOK.HANDLER_FAILED`: a framework logs both and answers 500.
 */
export async function receive(options: WebhookOptions, { headers, body }: Message): Promise<204 | 400 | 413> {
  if (body === undefined) return 413;
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(body, headers, options.secret);
  } catch (error) {
    if (error instanceof LicensingError && error.code.startsWith('WEBHOOK.')) return 400;
    throw error;
  }
  try {
    await options.onEvent(event);
  } catch (cause) {
    throw handlerFailed(event, cause);
  }
  return 204;
}

/** This error has no `status`: frameworks respond with the `status` of an error, and 410 would disable the endpoint. */
function handlerFailed({ type, id }: WebhookEvent, cause: unknown): LicensingError {
  const message = `onEvent failed for ${type} ${id}: read the cause. The service sends the event again.`;
  return new LicensingError({ code: 'WEBHOOK.HANDLER_FAILED', message, cause });
}

/** Returns whether a parser has left a body as it arrived. Not `instanceof`: bytes may be of another realm. */
export function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || ArrayBuffer.isView(body);
}

/** Returns a whole body, or undefined if it has more than `maxBytes`; the rest is then not read. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array> | null,
  { maxBytes = 1_000_000 }: WebhookOptions,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of chunks ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  const body = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    body.set(part, end);
    end += part.byteLength;
  }
  return body;
}
