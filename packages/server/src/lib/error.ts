import { type ErrorCode, errorStatus } from './error-codes.ts';

/** One bad field of a request: `field` is a dotted path (`policy.max_activations`). */
export interface ErrorDetail {
  /** Of an imported file: its rows from 1, and 0 for the header. */
  readonly row?: number;
  readonly field: string;
  readonly message: string;
}

interface AppErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Extra response headers, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Instead of the code's own status, where a verdict's code is the answer to a request. */
  readonly status?: 422;
}

/**
 * An error that a caller may see. Whatever else is thrown becomes an opaque 500.
 * `message` is a sentence that says what to do; it never holds a secret.
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

/** A 422 `VALIDATION.FAILED` that names every bad field at once. */
export function validationError(...details: ErrorDetail[]): AppError {
  const fields = details.map((detail) => detail.field).join(', ');
  return new AppError('VALIDATION.FAILED', `Correct these fields and send the request again: ${fields}.`, { details });
}
