import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { findOrphans } from '../../src/commands/doctor/orphans.ts';
import { disableUser } from '../accounts/members.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { createAdmin } from '../support/accounts.ts';
import { engine, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import {
  countSignUpRows,
  createSignUp,
  monthlyPrice,
  offerPlan,
  paySignUp,
  readSignUpRow,
  startSignUp,
} from './buyers.ts';

const program = fileURLToPath(new URL('./killed-run.ts', import.meta.url));
const clock = useClock(new Date().toISOString());
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });

/** Longer than the lease of the run that was killed, and than work rests whose process died again and again. */
const downMs = 700_000;
const killsMost = 40;
/** Where the other engine's suite runs beside it, a process and a database for every step take too long for each run. */
const stride = engine === 'sqlite' ? 1 : 3;
/** Claim, place, write it, database, write it, migrations, write it. */
const stepsBeforeTheTenant = 7;
const timeoutMs = 300_000;

/** Runs the work in a process that is killed after so many steps. Answers whether it came to its end. */
async function runKilled(steps: number): Promise<boolean> {
  const env = { PATH: process.env['PATH'], ...suite.app.site.env, PAYMENT_PROVIDER: 'sandbox' };
  const args = [program, String(steps), String(Date.now())];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  const [code, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The run ended by itself with ${code}.`);
  return output.join('').includes('done');
}

// With nothing to do it ends in good order: the next one starts from what it compiled.
beforeAll(() => runKilled(Number.MAX_SAFE_INTEGER));

/** Kills a run at its first step, the next at its second, and so on until one comes to its end; answers how many died. */
async function killAtEveryStep(next: () => unknown): Promise<number> {
  let kills = 0;
  for (let steps = 1; steps < killsMost; steps += stride) {
    await next();
    if (await runKilled(steps)) return kills;
    kills += 1;
  }
  throw new Error('The work has more steps than this test kills at.');
}

async function orphans(): Promise<unknown[]> {
  const { config, services } = suite.app;
  const rows = await services.platform.query.selectFrom('tenants').selectAll().execute();
  const found = await Array.fromAsync(findOrphans(config, rows, Date.now() + downMs));
  return found;
}

test(
  'a process killed at any step makes one tenant in the end, and leaves nothing behind',
  async () => {
    const plan = (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code;
    const bought: { id: string; email: string }[] = [];
    const kills = await killAtEveryStep(async () => {
      const signUp = await createSignUp(suite.app);
      const { id } = await startSignUp(signUp, plan);
      await paySignUp(suite.app, id);
      const complete = await signUp.post(`/${id}/complete`);
      expect(complete.body.data.status).toBe('paid');
      bought.push({ id, email: signUp.user.email });
    });
    expect(kills).toBeGreaterThanOrEqual(10 / stride);
    clock.advance(downMs);
    expect(await runKilled(Number.MAX_SAFE_INTEGER)).toBe(true);
    clock.advance(downMs);
    for (const { id, email } of bought) {
      expect((await readSignUpRow(suite.app, id)).status).toBe('completed');
      expect(await countSignUpRows(suite.app, id)).toEqual({
        tenants: 1,
        memberships: 1,
        customers: 1,
        subscriptions: 1,
      });
      expect((await mailsTo(suite.app, email)).filter((mail) => mail.includes('you are its owner'))).toHaveLength(1);
    }
    if (engine === 'sqlite') expect(await orphans()).toEqual([]);
  },
  timeoutMs,
);

test(
  'a process killed at any step of withdrawing what a user who is gone has bought leaves nothing behind',
  async () => {
    const signUp = await createSignUp(suite.app);
    const { id } = await startSignUp(
      signUp,
      (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code,
    );
    await paySignUp(suite.app, id);
    await signUp.post(`/${id}/complete`);
    await runKilled(stepsBeforeTheTenant);
    expect((await readSignUpRow(suite.app, id)).status).toBe('provisioning');
    await disableUser(suite.app, signUp.user.id);
    const kills = await killAtEveryStep(() => clock.advance(downMs));
    expect(kills).toBeGreaterThanOrEqual(4 / stride);
    const row = await readSignUpRow(suite.app, id);
    expect(row.status).toBe('failed');
    expect(await countSignUpRows(suite.app, id)).toMatchObject({ tenants: 0, memberships: 0, customers: 0 });
    const subscription = await sandboxOf(suite.app).payments.findSubscription(row.provider_subscription_id ?? '');
    expect(subscription?.status).toBe('canceled');
    if (engine === 'sqlite') expect(await orphans()).toEqual([]);
  },
  timeoutMs,
);
