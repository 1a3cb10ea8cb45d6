import { isUnavailable } from '../../../db/errors.ts';
import { deleteRows, findRow, insertRow } from '../../../db/rows.ts';
import type { AccountExportsTable } from '../../../db/tables/platform/identity.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { MailServices, PlatformServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { Person, PersonalRows } from '../../tenant-core/personal-data/personal-data.ts';
import { findPerson, lockAccount } from '../identity/account-service.ts';
import { advanceExport, countTenants, findTenantAfter, listExportsOf } from './queries.ts';
import type { AccountExport } from './schemas.ts';

/** Writes the file of an export, and removes it after it has expired. The job's subject is the export's id. */
export const exportJobKind = 'account-export';

/** The days for which the file of an export can be downloaded. */
const keptDays = 7;
const failuresMax = 5;
/** An export that is still unfinished after this many days is considered stuck; a new request replaces it. */
const runningDaysMax = 1;

/** The position at which an export continues: first in the sections of the platform, then in the tenants. */
interface Position {
  readonly section: number;
  readonly after: string | null;
  readonly tenantId: string | null;
  readonly record: number;
}

const startPosition: Position = { section: 0, after: null, tenantId: null, record: 0 };

/**
 * Starts an export of a user's personal data with the given id and returns it. While an export is in progress, returns
 * that one instead. A new export replaces the user's previous exports. An export that has the id already is returned.
 */
export async function requestExport(
  services: Services,
  actor: Actor,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<AccountExportsTable> {
  const { clock, platform } = services;
  const requested = await platform.transaction(async (tx) => {
    await lockAccount(tx, userId);
    const at = clock.now();
    const known = await listExportsOf(tx, userId);
    const started = known.find((row) => row.id === id);
    if (started !== undefined) return started;
    const running = known.find((row) => row.finished_at === null && row.created_at > addDays(at, -runningDaysMax));
    if (running !== undefined) return running;
    for (const former of known) await deleteRows(tx, 'account_exports', former.id);
    const row: AccountExportsTable = {
      id,
      user_id: userId,
      status: 'pending',
      done_steps: 0,
      total_steps: services.personalData.platform.length + (await countTenants(tx)),
      position_json: JSON.stringify(startPosition),
      part_count: 0,
      failures: 0,
      created_at: at,
      finished_at: null,
      expires_at: addDays(at, keptDays),
    };
    await insertRow(tx, 'account_exports', row);
    await enqueueJob(tx, { subjectId: row.id, kind: exportJobKind, dueAt: at }, at);
    const entry = { event: 'ACCOUNT.EXPORT_REQUESTED', resourceType: 'user', resourceId: userId, at };
    await recordPlatformAudit(tx, actor, entry);
    return row;
  });
  services.wakeUps.wakeRunner();
  return requested;
}

/** Returns an export of a user. Throws 404 `RESOURCE.NOT_FOUND` if it does not exist, expired or is another user's. */
export async function readExport(
  { clock, platform }: PlatformServices,
  userId: string,
  id: string,
): Promise<AccountExportsTable> {
  const row = await findRow(platform.query, 'account_exports', id);
  if (row?.user_id === userId && row.expires_at > clock.now()) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'There is no such export, or it has expired. Request a new export.');
}

/** Returns the exports of a user that have not expired, newest first: at most one. */
export async function listExports(
  { clock, platform }: PlatformServices,
  userId: string,
): Promise<AccountExportsTable[]> {
  const rows = await listExportsOf(platform.query, userId);
  return rows.filter(({ expires_at }) => expires_at > clock.now()).reverse();
}

/** Presents an export to its user. The file is only for the user, who must be logged in, until the export expires. */
export function presentExport({ config }: MailServices, row: AccountExportsTable): AccountExport {
  const { id, status, done_steps, created_at, expires_at } = row;
  // The export also reads tenants that were created after it started, so it may exceed the counted total.
  const total = status === 'ready' ? done_steps : Math.max(row.total_steps, done_steps);
  const url = `${config.publicUrl}/api/v1/account/exports/${id}/download`;
  const download_url = status === 'ready' ? url : null;
  return { id, status, progress: { done: done_steps, total }, download_url, created_at, expires_at };
}

/**
 * Returns the file of a finished export as pieces of its JSON text, which are read part by part: one list per section.
 * Throws 404 `RESOURCE.NOT_FOUND`, and 409 `ACCOUNT.EXPORT_NOT_READY`.
 */
export async function openExport(
  services: MailServices,
  userId: string,
  id: string,
): Promise<AsyncGenerator<string, void>> {
  const row = await readExport(services, userId, id);
  if (row.status !== 'ready') {
    throw new AppError('ACCOUNT.EXPORT_NOT_READY', 'The export is not ready. Read it until its status is ready.');
  }
  return textOf(services, row);
}

async function* textOf(
  { keyring, platform }: MailServices,
  { id, created_at, part_count }: AccountExportsTable,
): AsyncGenerator<string, void> {
  yield `{"exported_at":${JSON.stringify(created_at)}`;
  let section: string | undefined;
  let isFirst = true;
  for (let position = 0; position < part_count; position += 1) {
    const part = await findRow(platform.query, 'account_export_parts', { export_id: id, position });
    if (part === undefined) throw new Error('The export was removed while it was being downloaded.');
    if (part.section !== section) {
      yield `${section === undefined ? '' : ']'},${JSON.stringify(part.section)}:[`;
      section = part.section;
      isFirst = true;
    }
    const rows = keyring.open(part.sealed_rows).slice(1, -1);
    if (rows !== '') {
      yield `${isFirst ? '' : ','}${rows}`;
      isFirst = false;
    }
  }
  yield section === undefined ? '}' : ']}';
}

/**
 * Writes the file of an export part by part. A run continues where the previous one ended; of two concurrent runs, only
 * one writes each part. Deletes an expired export. Returns the time of the next run: for a finished export the time at
 * which it expires, and null for a deleted one.
 */
export async function runExport(services: Services, id: string, signal: AbortSignal): Promise<Timestamp | null> {
  const { clock, platform } = services;
  for (;;) {
    const row = await findRow(platform.query, 'account_exports', id);
    const person = row && (await findPerson(platform, row.user_id));
    if (row === undefined || person === undefined || row.expires_at <= clock.now()) {
      await deleteRows(platform.query, 'account_exports', id);
      return null;
    }
    if (row.finished_at !== null) return row.expires_at;
    if (signal.aborted) return clock.now();
    try {
      await advance(services, row, person);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await recordFailure(services, row);
      throw error;
    }
  }
}

/** Counts a failure. After five failures the export becomes `failed`, so that its user can request a new one. */
async function recordFailure({ clock, platform }: Services, row: AccountExportsTable): Promise<void> {
  const failures = row.failures + 1;
  const isOver = failures >= failuresMax;
  const end = { status: 'failed', finished_at: clock.now() } as const;
  await platform.transaction((tx) => advanceExport(tx, row, { failures, ...(isOver && end) }));
}

/** The rows of one read, and the position of the next one (null at the end). */
interface Step {
  readonly section: string;
  readonly rows: readonly object[];
  readonly position: Position | null;
  /** The number of sections or tenants that this read finished. */
  readonly finished: number;
}

async function advance(services: Services, row: AccountExportsTable, person: Person): Promise<void> {
  const { clock, keyring, platform } = services;
  const position: Position = JSON.parse(row.position_json);
  const step = await readStep(services, person, position);
  // An empty section is written as an empty list. A tenant without rows adds nothing.
  const isPart =
    step.rows.length > 0 || (position.section < services.personalData.platform.length && position.after === null);
  const at = clock.now();
  const end = { status: 'ready', finished_at: at, expires_at: addDays(at, keptDays) } as const;
  await platform.transaction(async (tx) => {
    const advanced = await advanceExport(tx, row, {
      status: 'running',
      done_steps: row.done_steps + step.finished,
      position_json: JSON.stringify(step.position ?? position),
      part_count: row.part_count + (isPart ? 1 : 0),
      ...(step.position === null && end),
    });
    if (!advanced || !isPart) return;
    const part = { export_id: row.id, position: row.part_count, section: step.section };
    await insertRow(tx, 'account_export_parts', { ...part, sealed_rows: keyring.seal(JSON.stringify(step.rows)) });
  });
}

async function readStep(services: Services, person: Person, position: Position): Promise<Step> {
  const data = services.personalData.platform[position.section];
  if (data === undefined) return readTenantStep(services, person, position);
  const page = await data.read(services, person, position.after);
  const isDone = page.next === null;
  const next = isDone ? { ...startPosition, section: position.section + 1 } : { ...position, after: page.next };
  return { section: data.section, rows: page.rows, position: next, finished: isDone ? 1 : 0 };
}

/** Reads the next page of a tenant. `position.tenantId` is the tenant being read, or the last finished one. */
async function readTenantStep(services: Services, person: Person, position: Position): Promise<Step> {
  const { personalData, platform, tenants } = services;
  const section = 'tenants';
  const isMidway = position.record > 0 || position.after !== null;
  const tenantId = isMidway ? position.tenantId : await findTenantAfter(platform, position.tenantId);
  if (tenantId === undefined || tenantId === null) return { section, rows: [], position: null, finished: 0 };
  const data = personalData.tenant[position.record];
  const isLast = position.record === personalData.tenant.length - 1;
  const page: PersonalRows =
    data === undefined
      ? { rows: [], next: null }
      : await tenants.readTenantDb(tenantId, (db) => data.read(db, person, position.after));
  const rows = page.rows.map((row) => ({ tenant_id: tenantId, record: data?.record, ...row }));
  if (page.next !== null) {
    return { section, rows, position: { ...position, tenantId, after: page.next }, finished: 0 };
  }
  const record = isLast ? 0 : position.record + 1;
  return { section, rows, position: { ...position, tenantId, after: null, record }, finished: isLast ? 1 : 0 };
}
