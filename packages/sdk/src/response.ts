import { type ErrorDetail, LicensingError } from './error.ts';
import { fromWire } from './naming.ts';
import { retryAfterMs } from './retry.ts';

/** No response of the API is larger. A larger one comes from something else and must not fill the memory. */
const maxBytes = 16 * 1024 * 1024;

/** Returns the body of a successful response, with its fields in camelCase. Throws `RESPONSE.INVALID` unless it is JSON of the API. */
export async function readAnswer(response: Response): Promise<unknown> {
  const answer = isJson(response) ? parse(await readText(response)) : undefined;
  if (typeof answer === 'object' && answer !== null) return answer;
  throw invalidResponse(response);
}

/**
 * Returns the error of an unsuccessful response. `secret` is removed from its text, in case the server echoes the
 * request.
 */
export async function readFailure(response: Response, secret: string): Promise<LicensingError> {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    return invalidResponse(response, 'a redirect');
  }
  const text = isJson(response) ? (await readText(response)).replaceAll(secret, '[redacted]') : '';
  const { error, meta } = objectOf(parse(text));
  const { code, message, details } = objectOf(error);
  if (typeof code !== 'string' || typeof message !== 'string') return invalidResponse(response);
  return new LicensingError({
    code,
    message,
    status: response.status,
    requestId: requestIdOf(response) ?? textOf(objectOf(meta)['requestId']),
    details: Array.isArray(details) ? (details as ErrorDetail[]) : [],
    retryAfterMs: retryAfterMs(response.headers),
  });
}

/** Returns the error of a response that the API would not send. */
function invalidResponse(
  response: Response,
  what = response.headers.get('content-type') ?? 'no content type',
): LicensingError {
  return new LicensingError({
    code: 'RESPONSE.INVALID',
    message: `The response is not one of the API: status ${response.status}, ${what}. Check baseUrl and every proxy.`,
    status: response.status,
    requestId: requestIdOf(response),
    retryAfterMs: retryAfterMs(response.headers),
  });
}

function isJson(response: Response): boolean {
  return /^application\/([^;\s]+\+)?json\s*(;|$)/i.test(response.headers.get('content-type') ?? '');
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns the value of a JSON text with its fields in camelCase; undefined if it is malformed or nested too deeply. */
function parse(text: string): unknown {
  try {
    return fromWire(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the body as text. Throws `RESPONSE.INVALID` as soon as it is too large. */
async function readText(response: Response): Promise<string> {
  // Some replacements of `fetch` have no stream.
  if (response.body === null || response.body === undefined) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw invalidResponse(response, `more than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
