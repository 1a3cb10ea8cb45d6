import type { Terminal } from './command.ts';

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process;
  let hasProgress = false;
  // A reader such as `head` may close the pipe early, which is not a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  const endProgress = () => {
    if (hasProgress) stderr.write('\n');
    hasProgress = false;
  };
  return {
    env,
    stdin,
    isInteractive: stderr.isTTY === true,
    print(line) {
      endProgress();
      stdout.write(`${line}\n`);
    },
    note(line) {
      endProgress();
      stderr.write(`${line}\n`);
    },
    progress(line) {
      if (stderr.isTTY !== true) return;
      hasProgress = true;
      stderr.write(`\r\u001B[K${line}`);
    },
  };
}

/**
 * Returns a signal that aborts at the first SIGINT or SIGTERM; a second one ends the process as usual. The caller must
 * call `release` when the work is done.
 */
export function stopSignal(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
    release();
  };
  const release = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, release };
}

/** Prints rows as a JSON array, one row per line, without holding all of them in memory. */
export async function printJsonArray<Row>(
  terminal: Terminal,
  rows: AsyncIterable<Row>,
  present: (row: Row) => object,
): Promise<void> {
  let before = '[';
  for await (const row of rows) {
    terminal.print(before + JSON.stringify(present(row)));
    before = ',';
  }
  terminal.print(before === '[' ? '[]' : ']');
}
