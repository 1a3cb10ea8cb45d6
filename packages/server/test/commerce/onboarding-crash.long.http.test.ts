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
import { runKilled } from './killed-steps.ts';

const program = new URL('./killed-run.ts', import.meta.url);
const clock = useClock(new Date().toISOString());
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });

/** Longer than the lease of a killed run, and than the backoff of a job whose process died repeatedly. */
const downMs = 700_000;
const killsMax = 40;
/** PostgreSQL tests every third step, because a process and a database per step take too long. */
const stride = engine === 'sqlite' ? 1 : 3;
/** Claim, choose the placement, store it, create the database, store it, migrate, store it. */
const stepsBeforeTheTenant = 7;
const timeoutMs = 300_000;

/** Runs the jobs in a process that is killed after the given number of steps. Returns whether it finished. */
const runJobs = (steps: number) => runKilled(suite.app, program, steps);

// Without work the run finishes normally. It fills the compile cache for the next runs.
beforeAll(() => runJobs(Number.MAX_SAFE_INTEGER));

/**
 * Kills a run after its first step, the next after its second, and so on until one finishes. Returns the number of
 * kills.
 */
async function killAtEveryStep(next: () => unknown): Promise<number> {
  let kills = 0;
  for (let steps = 1; steps < killsMax; steps += stride) {
    await next();
    if (await runJobs(steps)) return kills;
    kills += 1;
  }
  throw new Error(`The work has more than ${killsMax} steps. Raise killsMax.`);
}

async function orphans(): Promise<unknown[]> {
  const { config, services } = suite.app;
  const rows = await services.platform.query.selectFrom('tenants').selectAll().execute();
  const found = await Array.fromAsync(findOrphans(config, rows, Date.now() + downMs));
  return found;
}

test(
  'a process that is killed at any step of provisioning finally creates one tenant and leaves no orphan database',
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
    expect(await runJobs(Number.MAX_SAFE_INTEGER)).toBe(true);
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
  'a process that is killed at any step of withdrawing a checkout leaves no tenant and no orphan database',
  async () => {
    const signUp = await createSignUp(suite.app);
    const { id } = await startSignUp(
      signUp,
      (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code,
    );
    await paySignUp(suite.app, id);
    await signUp.post(`/${id}/complete`);
    await runJobs(stepsBeforeTheTenant);
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
