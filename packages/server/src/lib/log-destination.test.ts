import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';

const modules = {
  destination: new URL('./log-destination.ts', import.meta.url).href,
  pino: import.meta.resolve('pino'),
};

/** Returns the arguments of Node that run a program with a logger that has this destination. */
function argumentsOf(program: string): readonly string[] {
  const source = `
    import { createLogDestination } from '${modules.destination}';
    import { pino } from '${modules.pino}';
    const logger = pino({ base: null, timestamp: false }, createLogDestination());
    ${program}`;
  return ['--input-type=module', '--eval', source];
}

/** Runs a program, and returns the lines of its standard output. */
function linesOf(program: string): readonly unknown[] {
  const { stdout, stderr } = spawnSync(process.execPath, argumentsOf(program), { encoding: 'utf8' });
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

test('a line that is logged while an earlier one is being written does not wait for the next line', async () => {
  // The only thread of the pool hashes for about a second, so the write of the first line waits behind it.
  const program = `
    import { pbkdf2 } from 'node:crypto';
    pbkdf2('', '', 2_000_000, 64, 'sha512', () => setInterval(() => undefined, 1000));
    logger.info('first');
    setTimeout(() => logger.info('second'), 250);`;
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const child = spawn(process.execPath, argumentsOf(program), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await expect.poll(() => output).toMatch(/first.*\n.*second/);
});
