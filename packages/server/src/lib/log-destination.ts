import { pino } from 'pino';

/** The maximum number of characters that wait for a write. */
const bufferedMax = 4096;
/** The maximum time that a line waits for a write. */
const flushEveryMs = 100;

/**
 * Creates the destination of a server's log: standard output, written asynchronously in batches. Waiting lines are
 * written when the process exits and with a fatal line. If the process is killed, they are lost. An asynchronous write
 * that is in progress at `process.exit` may be lost too.
 */
export function createLogDestination(): ReturnType<typeof pino.destination> {
  return pino.destination({ dest: 1, sync: false, minLength: bufferedMax, periodicFlush: flushEveryMs });
}
