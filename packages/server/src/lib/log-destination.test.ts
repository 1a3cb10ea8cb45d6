import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const modules = {
  destination: new URL('./log-destination.ts', import.meta.url).href,
  pino: import.meta.resolve('pino'),
};

/** Runs a program with a logger that has this destination, and returns the lines of its standard output. */
function linesOf(program: string, env: NodeJS.ProcessEnv = {}): readonly unknown[] {
  const source = `
    import { createLogDestination } from '${modules.destination}';
    import { pino } from '${modules.pino}';
    const createLogger = () => pino({ base: null, timestamp: false }, createLogDestination());
    ${program}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
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
  expect(linesOf(`const logger = createLogger(); ${program}`)).toEqual(['first', 'second', 'third']);
});

test('a line that is logged while an earlier one is being written does not wait for the next line', () => {
  // The only thread of the pool works in order, so each `stat` ends after the writes before it. A killed process writes no rest.
  const program = `
    import { stat } from 'node:fs';
    import { mock } from 'node:test';
    mock.timers.enable({ apis: ['setInterval'] });
    const logger = createLogger();
    logger.info('first');
    mock.timers.tick(100);
    logger.info('second');
    mock.timers.tick(100);
    stat('.', () => {
      mock.timers.tick(100);
      stat('.', () => process.kill(process.pid, 'SIGKILL'));
    });`;
  expect(linesOf(program, { UV_THREADPOOL_SIZE: '1' })).toEqual(['first', 'second']);
});
