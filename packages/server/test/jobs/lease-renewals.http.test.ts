import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DatabaseUnavailableError } from '../../src/db/errors.ts';
import { MoveClaim, newMoveId } from '../../src/features/accounts/tenants/move-claim-service.ts';
import { findPlacedTenant } from '../../src/features/accounts/tenants/queries.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { jobRow, recordedJob, scheduleJob } from './job-rows.ts';

const suite = useTenant();

const clock = useClock();

/** Makes the intervals of this length beat at once when the returned function is called. */
function intervalsOf(ms: number) {
  const intervals = vi.spyOn(globalThis, 'setInterval');
  onTestFinished(() => intervals.mockRestore());
  return () => {
    clock.advance(ms);
    for (const [beat, everyMs] of intervals.mock.calls) if (everyMs === ms) beat();
  };
}

/** Returns the services with a platform database that can be cut off, and the messages of their warnings. */
function cuttable() {
  const { services } = suite.app;
  const warnings: string[] = [];
  let isCut = false;
  const platform = new Proxy(services.platform, {
    get(target, name) {
      if (isCut && name === 'query') throw new DatabaseUnavailableError('cut off');
      const value: unknown = Reflect.get(target, name);
      // The methods of a database read private fields.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  const cut = (next: boolean) => {
    isCut = next;
  };
  return { services: { ...services, platform, logger }, warnings, cut };
}

test('a lease of long work that cannot be renewed is reported, and renewed 10 s later', async () => {
  const { services, warnings, cut } = cuttable();
  const [gate, begun] = [Promise.withResolvers<null>(), Promise.withResolvers<void>()];
  const job = recordedJob(() => {
    begun.resolve();
    return gate.promise;
  });
  const beat = intervalsOf(10_000);
  const runner = createJobRunner({ ...services, metrics: services.metrics.jobs, jobs: [job] });
  await scheduleJob(suite.app, suite.tenant.id, job.kind);
  runner.start();
  await begun.promise;
  const leaseEnd = async () => (await jobRow(suite.app, suite.tenant.id, job.kind)).due_at ?? '';
  const first = await leaseEnd();
  cut(true);
  beat();
  await expect.poll(() => warnings).toContain('renewing the leases of background jobs failed; retrying in 10 s');
  expect([await leaseEnd(), job.runs[0]?.signal.aborted]).toEqual([first, false]);
  cut(false);
  beat();
  await expect.poll(async () => (await leaseEnd()) > first).toBe(true);
  gate.resolve(null);
  await runner.stop();
  expect(job.runs).toHaveLength(1);
});

test('a lease of a move that cannot be renewed is reported, and renewed 5 s later', async () => {
  const { services, warnings, cut } = cuttable();
  const read = async () => {
    const row = await findPlacedTenant(suite.app.services.platform, suite.tenant.id);
    if (row === undefined) throw new Error('There is no such tenant.');
    return row;
  };
  const beat = intervalsOf(5_000);
  const claim = new MoveClaim(services, await read(), newMoveId(services.clock.nowMs()));
  const end = await claim.begin();
  const first = (await read()).move_expires_at ?? '';
  cut(true);
  beat();
  await expect.poll(() => warnings).toEqual(['the lease of a move could not be renewed; retrying in 5 s']);
  expect([(await read()).move_expires_at, claim.isLost]).toEqual([first, false]);
  cut(false);
  beat();
  await expect.poll(async () => ((await read()).move_expires_at ?? '') > first).toBe(true);
  end();
});
