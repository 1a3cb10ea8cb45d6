import type { TenantTransaction } from '../../../db/database.ts';
import { batchesOf } from '../../../lib/batches.ts';
import { foldEmail } from '../../../lib/email.ts';
import { paced } from '../../../lib/pace.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type DevicePlace, eraseDevices, identifyingFields } from '../../licensing/activations/erasure-service.ts';
import {
  type ChangePlace,
  eraseHolderFromOperations,
  eraseReasonsFromChanges,
} from '../../licensing/bulk-operations/erasure-service.ts';
import { eraseChecksOf } from '../../licensing/device-history/service.ts';
import {
  eraseHolder,
  hasOtherLicenses,
  lockLicensesOfHolder,
  readIdsOfHolder,
} from '../../licensing/licenses/holder-change-service.ts';
import { eraseHolderFromImports } from '../../licensing/licenses/import/erasure-service.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { eraseFromRecords } from '../../tenant-core/audit/erasure.ts';
import { rewriteEvents } from '../../tenant-core/events/erasure.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import type { EventPosition } from '../../tenant-core/events/service.ts';
import { eraseMailsTo } from '../../tenant-core/holder-mail-queue/service.ts';
import { eraseAnswersWith } from '../../tenant-core/idempotency/erasure.ts';
import { forgetHolderLogins } from '../portal/session-service.ts';
import { eraseTrialEmail } from '../trials/conversion-service.ts';
import { deleteNotesOf, listEveryNote } from './note-queries.ts';
import { customerNotFound, licensesPerStep, roundsMax } from './service.ts';

const devicesPerStep = 200;
const salesPerStep = 20;
const mailsPerStep = 200;

/** An erasure that one request makes. */
interface Erasure {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly email: string;
  /** What the request has erased until now. */
  licenses: number;
  sales: number;
}

/**
 * Erases the personal data of a customer: the holder of all licenses, also deleted ones, the names and addresses of their
 * devices, what these asked, the notes about the person, rows of running imports, and the buyer of their purchases, in the
 * rows and in what reports about them: audit records, events, kept responses, messages of shops. The licenses keep working.
 * It works in short transactions, so that other requests of the tenant do not wait. The last one erases a license, a purchase
 * or a note, by which a repeated request finds the customer after a crash. Throws 404 `CUSTOMER.NOT_FOUND`.
 */
export async function eraseCustomer(services: Services, tenant: Tenant, actor: Actor, email: string): Promise<void> {
  const erasure: Erasure = { services, tenant, actor, email, licenses: 0, sales: 0 };
  for (let round = 1; ; round += 1) {
    const ids = await readIdsOfHolder(tenant.db, email);
    if (round === 1 && ids.length === 0) await assertKnownWithoutLicense(erasure);
    if (await eraseRound(erasure, ids, round === roundsMax)) return;
  }
}

async function assertKnownWithoutLicense({ services, tenant: { db }, email }: Erasure): Promise<void> {
  const notes = await listEveryNote(db, foldEmail(email));
  if (notes.length === 0 && (await services.purchaseRecords.read(db, email)).length === 0) throw customerNotFound();
}

/** Erases these licenses, and all else. Returns false if the address has others by now, before it erases the last ones. */
async function eraseRound(erasure: Erasure, ids: readonly string[], isLastRound: boolean): Promise<boolean> {
  await eraseSearchedText(erasure);
  const eraseReports = reportsEraser(erasure, new Set(ids));
  const batches = [...batchesOf(ids, licensesPerStep)];
  const last = batches.pop() ?? [];
  for (const batch of batches) {
    await eraseReports();
    await eraseInSteps(erasure, { ids: batch, isLast: false });
  }
  await eraseReports();
  return await eraseInSteps(erasure, { ids: last, isLast: true, toleratesOthers: isLastRound });
}

/** Erases what is found by the address in a text. It reads many rows, and no customer is found by any of them. */
async function eraseSearchedText({ services, tenant: { db }, email }: Erasure): Promise<void> {
  // What this process has not written yet would be written afterwards.
  await services.deviceHistory.flush();
  await services.purchaseRecords.eraseUnlinked(services, db, email);
  await eraseAnswersWith(db, email);
  await eraseHolderFromImports(db, email);
  const eraseSomeMails = () => db.transaction((tx) => eraseMailsTo(tx, email, mailsPerStep));
  while ((await eraseSomeMails()) === mailsPerStep);
}

/**
 * Returns a function that erases the person from the events and the records of bulk operations that were written since its
 * last call. No index contains their licenses, so it must run before a license loses its holder: afterwards nothing leads
 * to them.
 */
function reportsEraser({ tenant: { db } }: Erasure, ids: ReadonlySet<string>): () => Promise<void> {
  let event: EventPosition | null = null;
  let change: ChangePlace | null = null;
  return async () => {
    event = await rewriteEvents(db, (type, data) => withoutPerson(ids, type, data), event);
    change = await eraseReasonsFromChanges(db, ids, change);
  };
}

function withoutPerson(ids: ReadonlySet<string>, type: string, data: Record<string, unknown>): object | undefined {
  const isOfCustomer = (id: unknown) => typeof id === 'string' && ids.has(id);
  if (type.startsWith('license.') && isOfCustomer(data['id'])) {
    return { ...data, holder: { name: null, email: null, reference: null }, status_reason: null };
  }
  if (type.startsWith('activation.') && isOfCustomer(data['license_id'])) {
    return { ...data, ...Object.fromEntries(identifyingFields.map((field) => [field, null])) };
  }
  return undefined;
}

/** Licenses that are erased at once. With the last ones, all else is erased that leads to the customer. */
interface Batch {
  readonly ids: readonly string[];
  readonly isLast: boolean;
  /** False: the last licenses stay while the address has others. */
  readonly toleratesOthers?: boolean;
}

/**
 * Erases sales, then the devices of a batch, then its licenses, in as many transactions as these need. Returns false if the
 * last licenses stay.
 */
async function eraseInSteps(erasure: Erasure, batch: Batch): Promise<boolean> {
  const { services, tenant } = erasure;
  for (let after: DevicePlace | null = null; ; ) {
    const from: DevicePlace | null = after;
    const done: StepResult = await paced(null, () =>
      transactWithEvents(services, tenant, (tx, outbox) => eraseStep(erasure, { tx, outbox }, batch, from)),
    );
    erasure.licenses += done.licenses;
    erasure.sales += done.sales;
    if (done.end !== 'more') return done.end === 'done';
    after = done.after;
  }
}

interface StepResult {
  readonly licenses: number;
  readonly sales: number;
  /** Where the devices continue. */
  readonly after: DevicePlace | null;
  readonly end: 'more' | 'others' | 'done';
}

async function eraseStep(
  erasure: Erasure,
  { tx, outbox }: { readonly tx: TenantTransaction; readonly outbox: Outbox },
  { ids, isLast, toleratesOthers }: Batch,
  after: DevicePlace | null,
): Promise<StepResult> {
  const { services, actor, email } = erasure;
  // Sales before licenses, in the order in which messages of shops lock both.
  const { sales, hasMore } = await services.purchaseRecords.erase(services, tx, { email, limit: salesPerStep });
  if (hasMore) return { licenses: 0, sales, after, end: 'more' };
  const licenses = await lockLicensesOfHolder(tx, email, ids);
  const licenseIds = licenses.map(({ id }) => id);
  const devices = await eraseDevices(tx, { licenseIds, after, limit: devicesPerStep });
  await eraseFromRecords(tx, { resourceIds: devices.ids, fields: identifyingFields });
  if (devices.next !== null) return { licenses: 0, sales, after: devices.next, end: 'more' };
  if (isLast && !toleratesOthers && (await hasOtherLicenses(tx, email, ids))) {
    return { licenses: 0, sales, after, end: 'others' };
  }
  await eraseChecksOf(tx, licenseIds);
  await eraseFromRecords(tx, { resourceIds: licenseIds, fields: ['holder', 'reason'] });
  await eraseHolder(services, { tx, outbox, actor, at: services.clock.now() }, licenses);
  const done = { licenses: licenses.length, sales, after: null, end: 'done' } as const;
  if (isLast) await eraseRest(erasure, tx, done);
  return done;
}

/** Erases what is left at the end, and records the erasure. Throws 404 if another request has erased the customer. */
async function eraseRest(erasure: Erasure, tx: TenantTransaction, { licenses, sales }: StepResult): Promise<void> {
  const { services, actor, email } = erasure;
  const notes = await deleteNotesOf(tx, foldEmail(email));
  const erased = erasure.licenses + licenses;
  if (erased + erasure.sales + sales + notes === 0) throw customerNotFound();
  await eraseTrialEmail(tx, email);
  await eraseMailsTo(tx, email, mailsPerStep);
  await eraseHolderFromOperations(tx, email);
  await forgetHolderLogins(tx, email);
  const entry = { event: 'CUSTOMER.ERASED', resourceType: 'customer', resourceId: null };
  const changes = [{ field: 'licenses_count', old: erased, new: 0 }];
  await recordAudit(tx, actor, { ...entry, changes, at: services.clock.now() });
}
