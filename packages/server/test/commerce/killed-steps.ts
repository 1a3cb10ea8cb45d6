import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openServices } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { compileCache, killThisProcess } from '../support/compile-cache.ts';
import type { TestApp } from '../support/harness.ts';

/**
 * Runs a program in a separate process with the payment sandbox. It kills itself with SIGKILL after the
 * given number of external steps. Returns whether it finished its work before.
 */
export async function runKilled(
  app: TestApp,
  program: URL,
  steps: number,
  args: readonly string[] = [],
): Promise<boolean> {
  const env = { PATH: process.env['PATH'], ...app.site.env, ...compileCache, PAYMENT_PROVIDER: 'sandbox' };
  const command = [fileURLToPath(program), String(steps), String(Date.now()), ...args];
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  const [code, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The run exited with code ${code}.`);
  return output.join('').includes('done');
}

/** Opens the services of a program that `runKilled` started, at the time of the test. `args` are its own arguments. */
export async function openMortalServices() {
  const [stepsText = '', nowText = '', ...args] = process.argv.slice(2);
  const startedAtMs = performance.now();
  // The time of the test is later than the leases of the killed process.
  Date.now = () => Number(nowText) + (performance.now() - startedAtMs);
  const services = await openServices(loadConfig(process.env), { logger: pino({ level: 'silent' }) });
  const { payments } = services;
  if (payments === null) throw new Error('Start this program with PAYMENT_PROVIDER=sandbox.');
  return { services, payments, counted: killAfterSteps(Number(stepsText)), args };
}

/**
 * Returns a function that wraps objects: the process kills itself with SIGKILL once the given number of calls of the
 * named functions have ended.
 */
function killAfterSteps(steps: number) {
  let left = steps;
  return <Target extends object>(target: Target, names: readonly (keyof Target)[]): Target =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name, object) as unknown;
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]) => Reflect.apply(value, object, args) as unknown;
        if (!names.includes(name as keyof Target)) return call;
        return async (...args: unknown[]) => {
          const result = await call(...args);
          left -= 1;
          if (left === 0) killThisProcess();
          return result;
        };
      },
    });
}
