import { lockRow, updateRows } from '../../../db/rows.ts';
import type { LicenseBatchesTable } from '../../../db/tables/tenant/bulk.ts';
import type { Job } from '../../../jobs/job.ts';
import { longWorkJob } from '../../../jobs/long-work.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { requesterOf } from '../../../tenancy/requester.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { generateLicenseKey } from '../licenses/license-key.ts';
import { issueLicenses, newLicense } from '../licenses/service.ts';
import { assertIssuing, findPolicy } from '../policies/service.ts';
import { batchJobKind, endBatchEarly } from './service.ts';

/** Licenses per transaction: a few milliseconds of the thread that also answers validations. */
const issuedAtOnce = 25;

/** Creates the job that issues the licenses of batches, one batch after the other. */
export function batchJob(services: Services): Job {
  return longWorkJob(services, {
    kind: batchJobKind,
    table: 'license_batches',
    slots: 1,
    begin: (tenant) => (batch) => continueBatch(services, tenant, batch),
  });
}

/** Issues the next licenses of a batch. What refuses them ends the batch; the licenses that exist stay. */
async function continueBatch(services: Services, tenant: Tenant, batch: LicenseBatchesTable): Promise<void> {
  try {
    await issueNext(services, tenant, batch);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await tenant.db.transaction(async (tx) => {
      const locked = await lockRow(tx, 'license_batches', batch.id);
      if (locked?.state === 'running') await endBatchEarly(tx, locked, error.message, services.clock.now());
    });
  }
}

async function issueNext(services: Services, tenant: Tenant, { id }: LicenseBatchesTable): Promise<void> {
  const { license_key_prefix, timezone } = await readSettings(tenant.db);
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const batch = await lockRow(tx, 'license_batches', id);
    if (batch?.state !== 'running') return;
    const policy = await findPolicy(tx, batch.policy_id);
    if (policy === undefined) throw new AppError('RESOURCE.NOT_FOUND', 'The policy was deleted. Create another batch.');
    await assertIssuing(tx, policy);
    const at = services.clock.now();
    const count = Math.min(issuedAtOnce, batch.count - batch.issued);
    const prefix = policy.key_prefix ?? license_key_prefix;
    const rows = Array.from({ length: count }, () => ({
      ...newLicense(policy, generateLicenseKey(prefix), {}, at, timezone),
      batch_id: id,
    }));
    const actor = requesterOf(batch);
    await issueLicenses(services, tx, outbox, actor, rows, at);
    const issued = batch.issued + count;
    const isDone = issued >= batch.count;
    await updateRows(tx, 'license_batches', id, {
      issued,
      ...(isDone && { state: 'done', ended_at: at, continues_at: null }),
    });
    await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count, at, requestId: actor.requestId });
  });
}
