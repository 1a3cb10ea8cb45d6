import { words } from '../lib/text.ts';

/** One invalid field of a request. */
export interface ProblemDetail {
  readonly field: string;
  readonly message: string;
}

/** A request that the service refused, or that did not reach it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  readonly code: string;
  readonly details: readonly ProblemDetail[];
  readonly requestId: string | null;
  /** Seconds after which another attempt makes sense. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    options: {
      readonly status: number;
      readonly code: string;
      readonly details?: readonly ProblemDetail[];
      readonly requestId?: string | null;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.details = options.details ?? [];
    this.requestId = options.requestId ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: readonly ProblemDetail[] };
}

/** Returns the problem that a response with an error status describes. `body` is its parsed JSON, if it has any. */
export function problemOf(response: Response, body: unknown): Problem {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const retryAfter = Number(response.headers.get('retry-after'));
  return new Problem(error?.message ?? 'The service sent an answer that the dashboard does not understand.', {
    status: response.status,
    code: error?.code ?? 'RESPONSE.UNKNOWN',
    details: error?.details ?? [],
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
  });
}

/** Returns the problem of a request that got no response. */
export function unreachable(cause: unknown): Problem {
  const message = navigator.onLine
    ? 'The service cannot be reached. Check that it runs, then try again.'
    : 'You are offline. Connect to the network, then try again.';
  return new Problem(message, { status: 0, code: 'NETWORK.UNREACHABLE', cause });
}

/** Returns any thrown value as a problem, so that every screen can show it in the same way. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(message, { status: 0, code: 'DASHBOARD.FAILED', cause: error });
}

/**
 * Returns the problems of requests that a person sent with one button as one problem, with the mistakes of all fields. One
 * that is about no field comes alone.
 */
export function mergeProblems(problems: readonly Problem[]): Problem {
  const [first] = problems.toSorted((one, other) => one.details.length - other.details.length);
  if (first === undefined) throw new Error('There is no problem to merge.');
  if (first.details.length === 0) return first;
  const { message, status, code, requestId } = first;
  return new Problem(message, { status, code, requestId, details: problems.flatMap(({ details }) => details) });
}

/** Returns the name of a field as its label says it: `holder.email` is "Email", `max_activations` is "Max devices". */
function labelOf(field: string): string {
  const last = field.split(/[.[\]]+/).findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  return words(last);
}

/**
 * Returns what the service says about a field as a sentence. Some of its messages complete the field's name: "must be
 * in the future".
 */
export function fieldSentence({ field, message }: ProblemDetail): string {
  const label = labelOf(field);
  if (message === 'This field is required.' && label !== '') return `Enter the ${label.toLowerCase()}.`;
  if (/^[A-Z]/.test(message)) return message;
  const taken = /^is the (.+) of another (.+)$/.exec(message);
  if (taken !== null) return `Another ${taken[2]} already has this ${taken[1]}.`;
  const end = /[.!?]$/.test(message) ? '' : '.';
  return `${label === '' ? 'The value' : label} ${message}${end}`;
}
