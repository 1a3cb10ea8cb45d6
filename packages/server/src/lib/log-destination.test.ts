import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const modules = {
  destination: new URL('./log-destination.ts', import.meta.url).href,
  pino: import.meta.resolve('pino'),
};

/** Runs a program with a logger that has this destination, and returns the lines of its standard output. */
function linesOf(program: string): readonly unknown[] {
  const source = `
    import { createLogDestination } from '${modules.destination}';
    import { pino } from '${modules.pino}';
    const logger = pino({ base: null, timestamp: false }, createLogDestination());
    ${program}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
}

test.each([
  ['ends by itself', "logger.info('first'); logger.info('second'); setImmediate(() => logger.info('third'));"],
  ['calls process.exit', "logger.info('first'); logger.info('second'); logger.info('third'); process.exit(0);"],
  [
    'is killed after a fatal line',
    "logger.info('first'); logger.info('second'); logger.fatal('third'); process.kill(process.pid, 'SIGKILL');",
  ],
])('no line that waits is lost, and none is repeated, when the process %s', (_how, program) => {
  expect(linesOf(program)).toEqual(['first', 'second', 'third']);
});
