import type { PlatformDb } from '../../../db/database.ts';
import type { JobsTable } from '../../../db/tables/platform/background.ts';
import { decodeCursor, pageOf, pageSize } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { parseTimestamp } from '../../../http/timestamp.ts';
import { findJob, type JobName, listDeadJobs, reviveJob } from '../../../jobs/queries.ts';
import { AppError } from '../../../lib/error.ts';
import type { PlatformServices, TenantWorkServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { JobsQuery, JobView } from './schemas.ts';

type Position = readonly [updatedAt: string, subjectId: string, kind: string];

function isPosition(values: readonly string[]): values is Position {
  const [time = '', subjectId, kind, ...rest] = values;
  const isSafe = (text: string | undefined) => text !== undefined && /^[\w-]+$/.test(text);
  return rest.length === 0 && parseTimestamp(time) === time && isSafe(subjectId) && isSafe(kind);
}

/** Returns one page of the dead jobs, the most recently abandoned first. */
export async function pageOfDeadJobs(
  { platform }: PlatformServices,
  { kind, tenant_id: subjectId, limit, cursor }: JobsQuery,
): Promise<Page<JobView>> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, isPosition);
  const rows = await listDeadJobs(platform, { kind, subjectId, after, limit: pageSize({ limit }) + 1 });
  const page = pageOf(rows, limit, (row): Position => [row.updated_at, row.subject_id, row.kind]);
  return { ...page, rows: await present(platform, page.rows) };
}

/** Returns a job in any status. Throws 404 `RESOURCE.NOT_FOUND`; a platform job is deleted when it finishes. */
export async function readJob({ platform }: PlatformServices, id: string): Promise<JobView> {
  const row = await findJob(platform, nameOf(id));
  const [view] = row === undefined ? [] : await present(platform, [row]);
  if (view === undefined) throw jobNotFound();
  return view;
}

/**
 * Makes a dead job due now. Only one of several concurrent calls changes and audits it. A job with another status does
 * not change. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function retryJob(services: TenantWorkServices, actor: Actor, id: string): Promise<void> {
  const at = services.clock.now();
  const entry = { event: 'JOB.RETRIED', resourceType: 'job', resourceId: id, at };
  const status = await reviveJob(services.platform, nameOf(id), at, (tx) => recordPlatformAudit(tx, actor, entry));
  if (status === undefined) throw jobNotFound();
  services.wakeUps.wakeRunner();
}

const idOf = ({ subject_id, kind }: JobName) => `${subject_id}.${kind}`;

function nameOf(id: string): JobName {
  const [subject_id = '', kind = ''] = id.split('.');
  return { subject_id, kind };
}

async function present(platform: PlatformDb, rows: readonly JobsTable[]): Promise<JobView[]> {
  const ids = [...new Set(rows.map(({ subject_id }) => subject_id))];
  const names = await findTenantNames(platform, ids);
  return rows.map((row) => {
    const { kind, subject_id, status, attempts, last_error, updated_at } = row;
    const name = names.get(subject_id);
    const tenant = name === undefined ? null : { id: subject_id, name };
    return { id: idOf(row), kind, subject_id, tenant, status, attempts, last_error, updated_at };
  });
}

function jobNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such job; it may have finished. List the jobs to find its id.',
  );
}

/** Returns the names of the tenants with these ids, by id. Other subjects of jobs are left out. */
async function findTenantNames(
  platform: PlatformDb,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (subjectIds.length === 0) return new Map();
  const tenants = platform.query.selectFrom('tenants').select(['id', 'name']).where('id', 'in', subjectIds);
  return new Map((await tenants.execute()).map(({ id, name }) => [id, name]));
}
