import { updateRows } from '../../../db/rows.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { readableLastDay } from '../../../lib/readable-time.ts';
import type { Services } from '../../../services.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import {
  findFirstEnd,
  lockDigest,
  lockEnded,
  lockUncounted,
  markCounted,
  markEndReported,
} from './expiring-queries.ts';
import { noticeEnds } from './holder-notices.ts';
import { expiredJobKind } from './license.ts';
import { keyHint } from './license-key.ts';
import { presentAll } from './service.ts';

const countedPerBatch = 500;
const countedBatchesPerRun = 200;
const publishedPerBatch = 200;
const publishedBatchesPerRun = 50;
const examplesMax = 5;

/**
 * Notifies the tenant once a day how many licenses end within `expiring_soon_days`, and publishes `license.expiring`
 * for each of them. A license is counted once per end date, even when dates, settings or the clock change: count, mark
 * and event are one transaction. The count is kept until a notification contains it.
 */
export function expiringJob(services: Services): Job {
  return { kind: 'expiring', daily: true, run: (run) => countAndNotify(services, run) };
}

async function countAndNotify(services: Services, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  const { db, signal } = run;
  const { expiring_soon_days: days, timezone } = await readSettings(db);
  for (let batch = 0; batch < countedBatchesPerRun && !signal.aborted; batch += 1) {
    if ((await countBatch(services, run, { days, timezone })) === 0) {
      await notify(services, run, days);
      return null;
    }
  }
  return addSeconds(clock.now(), 1);
}

/** Returns the number of counted licenses; 0 means that all are counted. */
async function countBatch(
  services: Services,
  { tenantId, db }: JobRun,
  { days, timezone }: { readonly days: number; readonly timezone: string },
): Promise<number> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const digest = await lockDigest(tx);
    const now = services.clock.now();
    const licenses = await lockUncounted(tx, now, addDays(now, days), countedPerBatch);
    if (licenses.length === 0) return 0;
    const ids = licenses.map((license) => license.id);
    await markCounted(tx, ids);
    const data = () => presentAll(services, tx, ids, now);
    await outbox.recordAll({ type: 'license.expiring', data, requestId: null, at: now });
    await updateRows(tx, 'expiring_digest', 1, {
      license_count: digest.license_count + licenses.length,
      examples_json: JSON.stringify(withExamples(JSON.parse(digest.examples_json), licenses, timezone)),
    });
    return licenses.length;
  });
}

/** Appends the licenses that end first, up to `examplesMax` examples in total. */
function withExamples(examples: readonly string[], licenses: readonly LicensesTable[], timezone: string): string[] {
  const byEnd = [...licenses].sort((left, right) => ((left.expires_at ?? '') < (right.expires_at ?? '') ? -1 : 1));
  return [...examples, ...byEnd.slice(0, examplesMax).map((license) => describe(license, timezone))].slice(
    0,
    examplesMax,
  );
}

function describe(
  { key, holder_name, holder_email, holder_reference, expires_at }: LicensesTable,
  timezone: string,
): string {
  const holder = holder_name ?? holder_email ?? holder_reference;
  const end = expires_at === null ? '' : ` on ${readableLastDay(expires_at, timezone)}`;
  return `${keyHint(key)}${holder === null ? '' : ` (${holder})`}${end}`;
}

/** Creates at most one notification a day. Licenses counted after it are part of the next one. */
async function notify(services: Services, { tenantId, db }: JobRun, days: number): Promise<void> {
  await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const { license_count: count, examples_json } = await lockDigest(tx);
    if (count === 0) return;
    const at = services.clock.now();
    const isNew = await outbox.notify({
      type: 'license.expiring',
      severity: 'warning',
      title: titleOf(count, days),
      body: bodyOf(count, JSON.parse(examples_json)),
      occurrence: `license.expiring ${at.slice(0, 10)}`,
      resource: { type: 'license', id: null },
      at,
    });
    if (isNew) await updateRows(tx, 'expiring_digest', 1, { license_count: 0, examples_json: '[]' });
  });
}

function titleOf(count: number, days: number): string {
  const licenses = count === 1 ? '1 license expires' : `${count} licenses expire`;
  return `${licenses} within ${days === 1 ? 'a day' : `${days} days`}`;
}

function bodyOf(count: number, examples: readonly string[]): string {
  const others = count - examples.length;
  return `${examples.join('; ')}${others > 0 ? `; and ${others} more` : ''}. Renew the licenses that should continue.`;
}

/** Waits at least 1 s, so that licenses that end within one second are reported in one batch. */
const shortestWaitSeconds = 1;

/**
 * Publishes `license.expired` when a license ends, once per end date: the mark on the license is written in the same
 * transaction as the event. The end of a suspended license is published when the license is reinstated. Due when the
 * next license ends.
 */
export function expiredJob(services: Services): Job {
  return { kind: expiredJobKind, daily: true, run: (run) => publishEnds(services, run) };
}

async function publishEnds(services: Services, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  for (let batch = 0; batch < publishedBatchesPerRun && !run.signal.aborted; batch += 1) {
    if ((await publishBatch(services, run)) < publishedPerBatch) {
      const next = await findFirstEnd(run.db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
  }
  return addSeconds(clock.now(), 1);
}

/** Returns the number of published ends. */
async function publishBatch(services: Services, { tenantId, db }: JobRun): Promise<number> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const ended = await lockEnded(tx, services.clock.now(), publishedPerBatch);
    if (ended.length === 0) return 0;
    const ids = ended.map(({ id }) => id);
    const at = services.clock.now();
    await markEndReported(tx, ids);
    const data = () => presentAll(services, tx, ids, at);
    await outbox.recordAll({ type: 'license.expired', data, requestId: null, at });
    await noticeEnds(services, tx, outbox, ended);
    return ids.length;
  });
}
