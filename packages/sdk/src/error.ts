import type { LicensingCode, SdkCode } from './codes.ts';

/** One invalid field of a request, or one refused row of an import. */
export interface ErrorDetail {
  /** The path of the field as the API names it: `policy.max_activations`. */
  readonly field: string;
  readonly message: string;
  /** The number of the row of an import, from 1. */
  readonly row?: number;
}

/** What a `LicensingError` is made from. */
export interface ErrorFields {
  readonly code: LicensingCode;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The only error of this package. A negative verdict is not an error: it is a return value.
 *
 * The service's own codes pass through (`RATE_LIMIT.EXCEEDED`). The package adds `NETWORK.UNREACHABLE`,
 * `NETWORK.TIMEOUT`, `NETWORK.ABORTED`, `RESPONSE.INVALID` (the response is not one of the API: a proxy's page, for
 * example), `CONFIGURATION.INVALID`, and `WEBHOOK.…` of `verifyWebhook`.
 */
export class LicensingError extends Error {
  override readonly name = 'LicensingError';
  /** Decide by this code; `message` is for people, says what to do, and may change. */
  readonly code: LicensingCode;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Identifies the request in the service's log and audit log. */
  readonly requestId: string | undefined;
  /** The invalid fields of a request that was refused. */
  readonly details: readonly ErrorDetail[];
  /** After how many milliseconds the service accepts the request again. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, status, requestId, details = [], retryAfterMs, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the error of an impossible option. `message` never contains its value, which may be a secret. */
export function configurationError(message: string, cause?: unknown): LicensingError {
  return new LicensingError({ code: 'CONFIGURATION.INVALID', message, cause });
}

/** Returns the options of a call in JavaScript, where nothing else says that they are missing. `use` is a right call. */
export function given<Options extends object>(options: Options, use: string): Options {
  if (typeof options === 'object' && options !== null) return options;
  throw configurationError(`The options are missing. Pass them: ${use}.`);
}

/** Throws `CONFIGURATION.INVALID` unless a value is a positive number: `'5000'` would be joined, not added. */
export function assertDuration(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0) return;
  throw configurationError(`${name} must be a positive number of milliseconds.`);
}

/** Returns a failure of a store or of the caller's code as an error of this package, with its cause and a remedy. */
export function wrapped(code: SdkCode, cause: unknown, remedy: string): LicensingError {
  if (cause instanceof LicensingError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  let end = reason.length;
  while (end > 0 && /[.!\s]/.test(reason.charAt(end - 1))) end -= 1;
  return new LicensingError({ code, message: `${reason.slice(0, end)}. ${remedy}`, cause });
}
