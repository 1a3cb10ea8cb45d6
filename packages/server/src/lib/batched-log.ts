import { type DestinationStream, pino } from 'pino';

/** How long a line may wait for others, in milliseconds. */
const waitMs = 10;

/** A destination of log lines that can write all waiting lines at once. */
interface BatchedLog extends DestinationStream {
  /** Writes all waiting lines synchronously. Pino calls it for a fatal error. */
  flushSync(): void;
}

/**
 * Returns a destination for pino that writes the lines of up to 10 ms together, and the rest when the process exits.
 * Writing each line costs a busy service more than formatting it, and pino's own batches (`minLength`) measure the
 * whole batch again for each line (docs/decisions/0005-hot-path.md).
 */
export function createBatchedLog(fileDescriptor: number): BatchedLog {
  const destination = pino.destination({ dest: fileDescriptor, sync: false });
  let lines: string[] = [];
  const writeLines = () => {
    if (lines.length === 0) return;
    destination.write(lines.join(''));
    lines = [];
  };
  const flushSync = () => {
    writeLines();
    destination.flushSync();
  };
  // Before pino's own listener, which ends the destination.
  process.prependListener('exit', flushSync);
  return {
    write(line) {
      lines.push(line);
      // The exit writes what is left, so the timer need not keep the process alive.
      if (lines.length === 1) setTimeout(writeLines, waitMs).unref();
    },
    flushSync,
  };
}
