import { type DestinationStream, pino } from 'pino';

/** A destination of log lines that can be written at once, before the process ends. */
export interface LogDestination extends DestinationStream {
  flushSync(): void;
}

/**
 * Creates the destination of a server's log: standard output, written asynchronously. The lines of one iteration of the
 * event loop are written together, because pino's destination measures everything that waits again for each line. Lines
 * that still wait are written synchronously when the process exits, and with a fatal line; if it is killed, they are
 * lost. As with pino's own destination, an asynchronous write that is in progress at `process.exit` may be lost.
 */
export function createLogDestination(): LogDestination {
  const output = pino.destination({ dest: 1, sync: false });
  const synchronousOutput = pino.destination({ dest: 1, sync: true });
  let waiting = '';
  const writeWaiting = (destination: DestinationStream) => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  const flushSync = () => {
    output.flushSync();
    writeWaiting(synchronousOutput);
  };
  process.once('exit', flushSync);
  return {
    write(line) {
      if (waiting === '') setImmediate(writeWaiting, output);
      waiting += line;
    },
    flushSync,
  };
}
