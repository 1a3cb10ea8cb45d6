import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { lockDigest, lockUncounted, noteCounted, updateDigest } from './expiring-queries.ts';
import { keyHint } from './license-key.ts';
import { type LicenseServices, presentAll } from './service.ts';

const batchSize = 500;
const batchesPerRun = 200;
const examplesMax = 5;

/**
 * Tells once a day how many licenses end soon. Each license is counted once for each date on which it ends, however
 * dates, settings and the clock change: the count and the mark on the license are one transaction, and the count
 * stays until a notification has told it. The event of each license is in the same transaction.
 */
export function expiringJob(services: LicenseServices): Job {
  return { kind: 'expiring', daily: true, run: (run) => countAndTell(services, run) };
}

async function countAndTell(services: LicenseServices, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  const { db, signal } = run;
  const { expiring_soon_days: days } = await readSettings(db);
  for (let batch = 0; batch < batchesPerRun && !signal.aborted; batch += 1) {
    if ((await countBatch(services, run, days)) === 0) {
      await tell(services, run, days);
      return null;
    }
    await nextTurn();
  }
  return addSeconds(clock.now(), 1);
}

/** Answers how many licenses were counted. */
async function countBatch(services: LicenseServices, { tenantId, db }: JobRun, days: number): Promise<number> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const digest = await lockDigest(tx);
    const now = services.clock.now();
    const licenses = await lockUncounted(tx, now, addDays(now, days), batchSize);
    if (licenses.length === 0) return 0;
    const ids = licenses.map((license) => license.id);
    await noteCounted(tx, ids);
    const data = () => presentAll(services, tx, ids, now);
    await outbox.recordAll({ type: 'license.expiring', data, requestId: null, at: now });
    await updateDigest(tx, {
      license_count: digest.license_count + licenses.length,
      examples_json: JSON.stringify(withExamples(JSON.parse(digest.examples_json), licenses)),
    });
    return licenses.length;
  });
}

/** The examples with the licenses that end first, as far as there is room. */
function withExamples(examples: readonly string[], licenses: readonly LicensesTable[]): string[] {
  const byEnd = [...licenses].sort((left, right) => ((left.expires_at ?? '') < (right.expires_at ?? '') ? -1 : 1));
  return [...examples, ...byEnd.slice(0, examplesMax).map(describe)].slice(0, examplesMax);
}

function describe({ key, holder_name, holder_email, holder_reference, expires_at }: LicensesTable): string {
  const holder = holder_name ?? holder_email ?? holder_reference;
  return `${keyHint(key)}${holder === null ? '' : ` (${holder})`} on ${expires_at?.slice(0, 10)}`;
}

/** One notification a day: what is counted after it is told with the next one. */
async function tell(services: LicenseServices, { tenantId, db }: JobRun, days: number): Promise<void> {
  await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const { license_count: count, examples_json } = await lockDigest(tx);
    if (count === 0) return;
    const at = services.clock.now();
    const isNew = await outbox.notify({
      type: 'license.expiring',
      severity: 'warning',
      title: `${count === 1 ? '1 license expires' : `${count} licenses expire`} within ${days === 1 ? 'a day' : `${days} days`}`,
      body: bodyOf(count, JSON.parse(examples_json)),
      occurrence: `license.expiring ${at.slice(0, 10)}`,
      at,
    });
    if (isNew) await updateDigest(tx, { license_count: 0, examples_json: '[]' });
  });
}

function bodyOf(count: number, examples: readonly string[]): string {
  const others = count - examples.length;
  return `${examples.join('; ')}${others > 0 ? `; and ${others} more` : ''}. Renew what should go on.`;
}
