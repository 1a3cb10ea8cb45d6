/** Why a request failed. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  readonly code: string;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    code: string,
    options: {
      readonly status?: number;
      readonly requestId?: string | null;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(code, { cause: options.cause });
    this.status = options.status ?? 0;
    this.code = code;
    this.requestId = options.requestId ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Returns the problem that a response with an error status describes. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: { error?: { code?: string } } | null = await response.json().catch(() => null);
  const seconds = Number(response.headers.get('retry-after'));
  return new Problem(body?.error?.code ?? 'RESPONSE.UNKNOWN', {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: seconds > 0 ? seconds : null,
  });
}

/** Returns any thrown value as a problem. */
export function toProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem('PAGE.FAILED', { cause: error });
}
