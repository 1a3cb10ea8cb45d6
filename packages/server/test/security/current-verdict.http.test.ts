import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';
import type { OtherWrite } from './other-writer.ts';

// A plain verdict and a signed one are two requests. They agree only if each follows from the rows and the time at its
// request.

const start = '2026-11-20T12:00:00.000Z';
const clock = useClock(start);
const suite = useTenant();
/** Another process that writes to the same databases, like a command of the command line. */
let writer: ChildProcess;

beforeAll(async () => {
  await suite.asAdmin('PATCH', `/tenants/${suite.tenant.id}`, {
    limits: { integration_requests_per_minute: 1_000_000 },
  });
  await defineEntitlements(suite.tenant, { export: 'boolean', renders: 'metered' });
  writer = fork(new URL('./other-writer.ts', import.meta.url));
  await send(suite.app.config);
});

afterAll(async () => {
  writer.disconnect();
  await once(writer, 'exit');
});

async function send(message: Config | OtherWrite): Promise<void> {
  const done = once(writer, 'message');
  writer.send(message);
  await done;
}

/** Moments in seconds after the start at which time changes a verdict. */
const licenseEnd = 40;
const leaseEnd = 20;
const overrideEnd = 30;
const atSecond = (second: number) => new Date(Date.parse(start) + second * 1000).toISOString().replace('Z', '000Z');

interface Subject {
  readonly id: string;
  readonly key: string;
}

type Change = (license: Subject) => string;

const ofLicense =
  (assignment: string): Change =>
  ({ id }) =>
    `update licenses set ${assignment} where id = '${id}'`;
const ofPolicy =
  (assignment: string): Change =>
  ({ id }) =>
    `update policies set ${assignment} where id = (select policy_id from licenses where id = '${id}')`;
const ofDevice =
  (fingerprint: string, assignment: string): Change =>
  ({ id }) =>
    `update activations set ${assignment} where license_id = '${id}' and fingerprint = '${fingerprint}'`;
const override = (fields: object) => ofLicense(`entitlements_json = '${JSON.stringify([fields])}'`);

/** Every table and almost every column on which a verdict depends. */
const changes: Readonly<Record<string, Change>> = {
  suspend: ofLicense("status = 'suspended'"),
  reinstate: ofLicense("status = 'active'"),
  shorten: ofLicense(`expires_at = '${atSecond(licenseEnd)}'`),
  prolong: ofLicense('expires_at = null'),
  postpone: ofLicense(`starts_at = '${atSecond(overrideEnd)}'`),
  'start later on another node': ofLicense(
    `starts_at = '${atSecond(overrideEnd)}', created_at = '${atSecond(overrideEnd)}'`,
  ),
  backdate: ofLicense("starts_at = '2026-01-01T00:00:00.000000Z'"),
  rename: ofLicense("holder_name = 'Grace Hopper'"),
  'limit seats': ofLicense('max_activations = 1'),
  'free seats': ofLicense('max_activations = null'),
  'end maintenance': ofLicense("maintenance_expires_at = '2026-01-01T00:00:00.000000Z'"),
  withhold: override({ code: 'export', type: 'boolean', value: false, expires_at: atSecond(overrideEnd) }),
  'grant for a time': override({ code: 'export', type: 'boolean', value: true, expires_at: atSecond(overrideEnd) }),
  grant: ofLicense("entitlements_json = '[]'"),
  'allow expired': ofPolicy("expiry_strategy = 'allow'"),
  'deny expired': ofPolicy("expiry_strategy = 'deny'"),
  'grant grace': ofPolicy('grace_days = 1'),
  'free activation': ofPolicy('require_activation = 0'),
  'require activation': ofPolicy('require_activation = 1'),
  'rename product': ({ id }) =>
    `update products set code = 'renamed' || id where id = (select product_id from licenses where id = '${id}')`,
  'lease the device': ofDevice('own', `lease_expires_at = '${atSecond(leaseEnd)}'`),
  'lease the other device': ofDevice('other', `lease_expires_at = '${atSecond(leaseEnd + 2)}'`),
  'release the device': ofDevice('own', `released_at = '${atSecond(0)}', release_reason = 'deactivated'`),
  'release the other device': ofDevice('other', `released_at = '${atSecond(0)}', release_reason = 'deactivated'`),
  'use up': ({ id }) => `update usage_totals set quantity = 10 where license_id = '${id}'`,
  'use less': ({ id }) => `update usage_totals set quantity = 3 where license_id = '${id}'`,
  'change the timezone': () => "update settings set timezone = 'Asia/Kathmandu'",
};

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      by: fc.constantFrom('this process' as const, 'another process' as const),
      change: fc.constantFrom(...Object.keys(changes)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ second: fc.integer({ min: 0, max: licenseEnd + 2 }) }) },
  { weight: 1, arbitrary: fc.record({ second: fc.constant(86_400 + licenseEnd) }) },
  { weight: 2, arbitrary: fc.record({ report: fc.constantFrom('heartbeat' as const, 'usage' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const nonce = '0123456789abcdef';
const questions = [
  { fingerprint: 'own' },
  { fingerprint: 'own', entitlements: ['export'], version_released_at: '2026-06-01T00:00:00Z' },
  {},
] as const;

/** A license with two devices, a metered entitlement of which some is used, and an entitlement without a counter. */
async function newSubject(): Promise<Subject> {
  const license = await newLicense(suite.tenant, {
    duration_days: 30,
    max_activations: 5,
    activation_overage_percent: 0,
    require_activation: true,
    entitlements: [{ code: 'export' }, { code: 'renders', limit: 10, reset: 'day' }],
  });
  for (const fingerprint of ['own', 'other']) {
    created(await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint }));
  }
  await report(license, 'usage');
  return license;
}

async function report({ key }: Subject, what: 'heartbeat' | 'usage'): Promise<void> {
  if (what === 'heartbeat') await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'own' });
  else
    await suite.tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement: 'renders', quantity: 1 }] });
}

async function take(license: Subject, next: Step): Promise<void> {
  // A millisecond later, because the license starts at a microsecond of the first millisecond.
  if ('second' in next) clock.set(new Date(Date.parse(start) + next.second * 1000 + 1).toISOString());
  else if ('report' in next) await report(license, next.report);
  else {
    const statement = changes[next.change]?.(license) ?? '';
    const { id: tenantId } = suite.tenant;
    if (next.by === 'another process') await send({ tenantId, statement });
    else await suite.app.services.tenants.withTenantDb(tenantId, (db) => sql.raw(statement).execute(db.query));
  }
}

const daySeconds = 86_400;

/** Changes that make the verdict depend on time, and moments before and after time changes it. */
const endings: readonly [string, readonly string[], readonly number[], string?][] = [
  ['the license ends', ['shorten'], [licenseEnd - 1, licenseEnd]],
  ['the grace period starts', ['shorten', 'grant grace'], [licenseEnd - 1, licenseEnd]],
  ['the grace period ends', ['shorten', 'grant grace'], [daySeconds + licenseEnd - 1, daySeconds + licenseEnd]],
  ['the license starts', ['start later on another node'], [overrideEnd - 1, overrideEnd]],
  ["the license's own grant ends", ['grant for a time'], [overrideEnd - 1, overrideEnd]],
  ['the lease of the device ends', ['lease the device'], [leaseEnd - 1, leaseEnd]],
  ['the lease of another device ends', ['lease the other device'], [leaseEnd + 1, leaseEnd + 2]],
  ['the counter resets', [], [daySeconds / 2 - 1, daySeconds / 2], 'renders'],
];

test.each(endings)('a verdict changes at the moment at which %s', async (_what, changed, seconds, code = 'export') => {
  clock.set(start);
  const license = await newSubject();
  for (const change of changed) await take(license, { by: 'this process', change });
  const verdicts: unknown[] = [];
  for (const second of seconds) {
    await take(license, { second });
    const question = { fingerprint: 'own', entitlements: [code] };
    verdicts.push(await ask(license, question, false));
    expect(verdicts.at(-1)).toEqual(await ask(license, question, true));
  }
  expect(verdicts[0]).not.toEqual(verdicts[1]);
});

/** Returns the verdict without what differs between two equal verdicts. */
async function ask({ key }: Subject, question: object, proof: boolean) {
  const { body } = await suite.tenant.asApplication(`/licenses/${key}/validate`, { ...question, nonce, proof });
  const { checked_at, proof: _proof, license, ...verdict } = body.data;
  const { last_validated_at, ...shown } = license;
  return { ...verdict, license: shown, isValidatedNow: last_validated_at === checked_at };
}

test('a verdict is that of the current rows and time, whatever any process changed just before', async () => {
  const scenario = fc.array(step, { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      clock.set(start);
      const license = await newSubject();
      let second = 0;
      for (const taken of [{ second: 0 }, ...steps]) {
        // Time does not go back: an earlier time would not replace the one of the last validation.
        if ('second' in taken) second = Math.max(second, taken.second);
        const next = 'second' in taken ? { second } : taken;
        await take(license, next);
        for (const question of questions) {
          const current = await ask(license, question, true);
          expect(await ask(license, question, false), `verdict after ${JSON.stringify(next)}`).toEqual(current);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('a verdict that is asked for after a change shows it, while earlier requests for it still run', async () => {
  clock.set(start);
  const license = await newSubject();
  for (let round = 0; round < 20; round += 1) {
    const change = round % 2 === 0 ? 'suspend' : 'reinstate';
    const asked = Array.from({ length: 8 }, () => ask(license, { fingerprint: 'own' }, false));
    await take(license, { by: 'this process', change });
    const after = await ask(license, { fingerprint: 'own' }, false);
    expect(after.code).toBe(change === 'suspend' ? 'LICENSE.SUSPENDED' : 'LICENSE.VALID');
    await Promise.all(asked);
  }
});
