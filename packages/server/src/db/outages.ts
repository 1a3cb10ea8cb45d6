import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { assertWritable } from '../config/data-dir.ts';
import { dataDisk, isUnavailable, outageOf } from './errors.ts';
import { probeWrites } from './postgres/admin.ts';
import { describeServer } from './postgres/client.ts';

const checkEveryMs = 1000;

type Level = 'warn' | 'error';

/** A line of the log that is not written yet. */
interface Line {
  readonly level: Level;
  readonly fields: object;
  readonly message: string | undefined;
}

/** The failures of one store, from the first one until the store is used again. */
interface Outage {
  readonly first: Line;
  readonly sinceMs: number;
  /** The number of failures. */
  count: number;
  /** The log has a line about it. */
  isLogged: boolean;
  /** The store itself failed the check. */
  isDown: boolean;
}

/** Returns the check of a store, which uses it and rejects while an outage lasts. */
type FindCheck = (store: string) => () => Promise<unknown>;

/** The outages of the stores of this process: PostgreSQL servers, and the disk of the data directory. */
export interface Outages {
  /** The logger of the service. It writes one line when an outage begins and one when it ends, and counts the failures between. */
  readonly logger: Logger;
  /** Returns true during an outage of a store. */
  isDown(store: string): boolean;
  /** Stops the checks. Failures from now on are logged one by one. */
  close(): void;
}

/**
 * Replaces a logger, so that an outage is two lines instead of one per failed request, job and buffer: every failure
 * whose `err` names a store is held until that store has been checked. If the check fails, one line of level 50 says so,
 * and another line says when the check succeeds. If it succeeds, only single statements failed: the first one is logged as
 * it is, and those of the next second as a number.
 */
export function watchOutages(logger: Logger, findCheck: FindCheck): Outages {
  const outages = new Map<string, Outage>();
  const closed = new AbortController();

  const write = ({ level, fields, message }: Line): void => logger[level](fields, message);

  const log = (level: Level) => (fields: unknown, message?: string) => {
    if (typeof fields !== 'object' || fields === null) return logger[level](fields);
    const error = 'err' in fields ? fields.err : undefined;
    const line = { level, message, fields: error instanceof Error ? { ...fields, err: describeError(error) } : fields };
    const store = outageOf(error);
    if (store === undefined || closed.signal.aborted) return write(line);
    count(store, line);
  };

  function count(store: string, first: Line): void {
    const known = outages.get(store);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const outage: Outage = { first, sinceMs: performance.now(), count: 1, isLogged: false, isDown: false };
    outages.set(store, outage);
    void follow(store, outage, findCheck(store));
  }

  function writeFirst(outage: Outage): void {
    if (!outage.isLogged) write(outage.first);
    outage.isLogged = true;
  }

  const wait = () => delay(checkEveryMs, undefined, { ref: false, signal: closed.signal }).catch(() => undefined);

  async function follow(store: string, outage: Outage, check: () => Promise<unknown>): Promise<void> {
    const problemOf = () => check().then(() => undefined, sentenceOf);
    for (let problem = await problemOf(); problem !== undefined; problem = await problemOf()) {
      if (closed.signal.aborted) break;
      if (!outage.isDown) logger.error({ ...outage.first.fields, store }, `an outage began: ${problem}`);
      outage.isDown = true;
      outage.isLogged = true;
      await wait();
    }
    writeFirst(outage);
    if (!outage.isDown) await wait();
    outages.delete(store);
    writeEnd(store, outage);
  }

  function writeEnd(store: string, { first, isDown, count: failures, sinceMs }: Outage): void {
    const seconds = Math.round((performance.now() - sinceMs) / 100) / 10;
    if (isDown) {
      const ending = closed.signal.aborted ? 'the service stops during an outage' : 'an outage ended';
      const text = `${ending}: ${failures} requests, jobs and writes failed in ${seconds} s`;
      logger.warn({ store, count: failures, outage_seconds: seconds }, text);
    } else if (failures > 1) {
      const text = `${failures - 1} more requests, jobs and writes failed in the last second`;
      logger[first.level]({ store, count: failures - 1 }, text);
    }
  }

  return {
    logger: Object.create(logger, { warn: { value: log('warn') }, error: { value: log('error') } }),
    isDown: (store) => outages.get(store)?.isDown === true,
    close() {
      closed.abort();
      for (const outage of outages.values()) writeFirst(outage);
    },
  };
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Finds the check of a store by the settings: a connection to a server and a write there, or a write to the disk. */
export function storeChecks(config: Pick<Config, 'dataDir' | 'databaseUrl' | 'tenantDatabaseUrls'>): FindCheck {
  const urls = [...(config.databaseUrl === null ? [] : [config.databaseUrl]), ...config.tenantDatabaseUrls];
  const servers = urls.map((url) => [describeServer({ url }), url] as const);
  return (store) => {
    if (store === dataDisk) return () => Promise.try(() => assertWritable(config.dataDir));
    const url = servers.find(([server]) => server === store || server.endsWith(` on ${store}`))?.[1];
    // The database of one tenant: its failures are logged as they are.
    return url === undefined ? () => Promise.resolve() : () => checkServer(url);
  };
}

/** Rejects while a server is unavailable. Any other failure of the check is not an outage. */
async function checkServer(url: string): Promise<void> {
  await probeWrites(url).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
  });
}

/** An error in the log. */
export interface DescribedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack?: string | undefined;
  readonly cause?: DescribedError;
}

/** Describes an error for the log, without extra properties, because database errors store row values in them. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { readonly code?: unknown };
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
