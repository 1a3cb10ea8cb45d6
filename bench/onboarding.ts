import type { OpenServices } from '../packages/server/src/app.ts';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { onboardingJob } from '../packages/server/src/features/commerce/onboarding/onboarding-job.ts';
import {
  completeOnboardingCheckout,
  startCheckout,
} from '../packages/server/src/features/commerce/onboarding/service.ts';
import type { AuthenticatedUser } from '../packages/server/src/http/routes/user-route.ts';
import { createJobRunner } from '../packages/server/src/jobs/runner.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { median } from './measure.ts';
import { createSite, type Site, withSite } from './site.ts';
import { type Row, times } from './table.ts';

const buyers = 15;
const warmUps = 2;
const price = { interval: 'month', currency: 'eur', amount: 2900 } as const;

/** Compares the time from a payment to a running tenant with creating a tenant alone. */
export async function benchmarkOnboarding(): Promise<Row[]> {
  const site = await createSite();
  const postgres = await startPostgres({ durable: true });
  const onPostgres = await createSite(postgres.url);
  try {
    return [await measureSite(site, 'embedded'), await measureSite(onPostgres, 'PostgreSQL')];
  } finally {
    await site.remove();
    await onPostgres.remove();
    await postgres.stop();
  }
}

function measureSite(site: Site, engine: string): Promise<Row> {
  const env = { ...site.env, PAYMENT_PROVIDER: 'sandbox' };
  return withSite({ ...site, env }, async (services) => {
    const plan = await createPlan(services);
    const onboardedMs: number[] = [];
    const createdMs: number[] = [];
    for (let index = 0; index < warmUps + buyers; index += 1) {
      const bought = await buy(services, plan);
      const startedAt = performance.now();
      await createTenant(services, systemActor, { name: `Bare ${index}` });
      if (index < warmUps) continue;
      createdMs.push(performance.now() - startedAt);
      onboardedMs.push(bought);
    }
    const [ours, floor] = [median(onboardedMs), median(createdMs)];
    return {
      name: `from a payment to a running tenant, ${engine}`,
      ours: `${ours.toFixed(1)} ms`,
      floor: `${floor.toFixed(1)} ms to make a tenant`,
      ratio: times(ours / floor),
      target: '-',
      verdict: 'info',
    };
  });
}

/** Buys a plan as a new user. Returns the time from the payment until the tenant exists. */
async function buy(services: OpenServices, plan: string): Promise<number> {
  const { payments, sandbox, metrics } = services;
  if (payments === null || sandbox === null) throw new Error('The sandbox is not there.');
  const user = await createUser(services);
  const { id, provider_checkout_id } = await startCheckout(services, {
    id: newId(),
    user,
    actor: systemActor,
    input: { plan, tenant_name: 'Acme' },
  });
  const runner = createJobRunner({ ...services, metrics: metrics.jobs, jobs: [onboardingJob(services)] });
  const startedAt = performance.now();
  await sandbox.pay(provider_checkout_id ?? '', { brand: 'Visa', last4: '4242', behaviour: 'succeeds' });
  await completeOnboardingCheckout(services, user, id);
  await runner.runDue();
  const durationMs = performance.now() - startedAt;
  const { status } = await completeOnboardingCheckout(services, user, id);
  if (status !== 'completed') throw new Error(`The checkout is ${status}.`);
  return durationMs;
}

async function createUser({ clock, platform }: OpenServices): Promise<AuthenticatedUser> {
  const at = clock.now();
  const user = {
    id: newId(),
    email: `buyer-${newId()}@example.com`,
    name: 'Ada',
    email_verified_at: at,
    created_at: at,
  };
  const row = { ...user, password_hash: null, disabled_at: null, updated_at: at };
  await platform.query.insertInto('users').values(row).execute();
  return user;
}

async function createPlan({ clock, platform }: OpenServices): Promise<string> {
  const at = clock.now();
  const plans = platform.query.selectFrom('plans').selectAll().where('code', '=', 'free');
  const plan = { ...(await plans.executeTakeFirstOrThrow()), id: newId(), code: `bought-${newId()}` };
  await platform.query.insertInto('plans').values(plan).execute();
  const row = { id: newId(), plan_id: plan.id, ...price, trial_days: 0, created_at: at };
  await platform.query.insertInto('plan_prices').values(row).execute();
  return plan.code;
}
