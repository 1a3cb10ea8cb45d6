import { type ErrorCode, errorStatus } from './error-codes.ts';

/** One invalid field of a request. `field` is a dotted path (`policy.max_activations`). */
export interface ErrorDetail {
  /** The row of an imported file, counted from 1; 0 is the header. */
  readonly row?: number;
  readonly field: string;
  readonly message: string;
}

interface AppErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Extra response headers, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Replaces the code's own status, for a request whose error code is a validation verdict. */
  readonly status?: 422;
}

/**
 * An error that is shown to the caller. Every other error becomes an opaque 500. `message` states what to do and never
 * contains a secret.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? errorStatus[code];
    this.details = options.details;
    this.headers = options.headers;
  }
}

/** Returns what is wrong with a field as a sentence: some messages complete its name, the others are sentences. */
export function detailSentence({ field, message }: ErrorDetail): string {
  return /^[A-Z]/.test(message) ? `${field}: ${message}` : `${field} ${message}.`;
}

/** The message about a field that is absent. */
export const fieldRequired = 'This field is required.';

/** Returns a 422 `VALIDATION.FAILED` that lists every invalid field. */
export function validationError(...details: ErrorDetail[]): AppError {
  const fields = details.map((detail) => detail.field).join(', ');
  return new AppError('VALIDATION.FAILED', `Correct these fields and send the request again: ${fields}.`, { details });
}

/** Returns the value, or throws the error if there is none. */
export function orThrow<Value>(value: Value | undefined, error: () => Error): Value {
  if (value === undefined) throw error();
  return value;
}
