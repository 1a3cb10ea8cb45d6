import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { outageOf } from '../db/errors.ts';
import { type DescribedError, describeError } from '../db/outages.ts';
import type { AppError } from '../lib/error.ts';

/** How long further failures with the same cause are only counted. */
const countedForMs = 1000;
/** The maximum number of causes that are told apart at a time; further ones share a count. */
const causesMax = 100;

/**
 * Returns what equal causes have in common: names, codes, and messages without quoted values and words with digits. It
 * does not read the stack, which takes more time than everything else.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, cause, code = '' } = error as Error & { readonly code?: unknown };
  const text = message.slice(0, 300).replaceAll(/"[^"]*"|'[^']*'|\S*\d\S*/g, '#');
  return `${name} ${String(code)} ${text} ${cause === undefined ? '' : kindOf(cause)}`;
}

/** The failures that are not logged in full, because one with the same cause was. */
interface Repetitions {
  readonly level: 'error' | 'warn';
  readonly err: Pick<DescribedError, 'type' | 'code' | 'message'>;
  readonly timer: NodeJS.Timeout;
  count: number;
}

/** Logs the causes of failed requests. */
export interface FailureLog {
  /** Logs the cause of a 5xx response. Ignores other failures. */
  log(request: FastifyRequest, error: AppError): void;
  /** Logs the counts that are not logged yet. */
  close(): void;
}

/**
 * Creates the log of failed requests. After a fault every request fails with the same cause: the first failure is logged
 * in full, with its stack, and the further ones of the next second as one line with their number.
 */
export function createFailureLog(logger: Pick<Logger, 'error' | 'warn'>): FailureLog {
  const known = new Map<string, Repetitions>();
  const end = (kind: string): void => {
    const ended = known.get(kind);
    if (ended === undefined) return;
    clearTimeout(ended.timer);
    known.delete(kind);
    const { level, err, count } = ended;
    if (count > 0) logger[level]({ err, count }, `${count} more requests failed with this cause in the last second`);
  };
  const begin = (kind: string, level: Repetitions['level'], { type, code, message }: DescribedError): void => {
    const timer = setTimeout(end, countedForMs, kind);
    timer.unref();
    const err = { type, ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
    known.set(kind, { level, err, timer, count: 0 });
  };
  return {
    log(request, { status, cause }) {
      if (status < 500 || cause === undefined) return;
      const isUnexpected = status === 500;
      const level = isUnexpected ? 'error' : 'warn';
      const write = (err: unknown) => {
        const fields = {
          request_id: request.id,
          method: request.method,
          route: request.routeOptions.url,
          tenant_id: request.caller.record?.id,
          credential_id: request.caller.credentialId,
          err,
        };
        logger[level](
          fields,
          isUnexpected ? 'request failed with an unexpected error' : 'request failed because a database is unavailable',
        );
      };
      // The logger of the service counts these itself, with those of background work (`watchOutages`).
      if (outageOf(cause) !== undefined) return write(cause);
      const exact = `${status} ${kindOf(cause)}`;
      const kind = known.has(exact) || known.size < causesMax ? exact : 'others';
      const earlier = known.get(kind);
      if (earlier !== undefined) {
        earlier.count += 1;
        return;
      }
      const error = describeError(cause);
      write(error);
      begin(kind, level, error);
    },
    close() {
      for (const kind of [...known.keys()]) end(kind);
    },
  };
}
