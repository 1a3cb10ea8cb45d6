import type { TenantDb } from '../../../db/database.ts';
import type { TrialsTable } from '../../../db/tables/tenant/trials.ts';
import type { Page } from '../../../http/envelope.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { presentActivation } from '../../licensing/activations/activation.ts';
import { eraseDevices, identifyingFields, readDevicesOf } from '../../licensing/activations/erasure-service.ts';
import { listSeatsOf } from '../../licensing/activations/service.ts';
import { eraseHolderFromOperations } from '../../licensing/bulk-operations/erasure-service.ts';
import { presentCheck } from '../../licensing/checks/check.ts';
import { eraseChecksOf, readChecksOf } from '../../licensing/checks/service.ts';
import {
  changeHolder,
  eraseHolder,
  type HolderColumns,
  lockLicensesOfHolder,
  readEveryLicenseOfHolder,
  readLicensesOfHolder,
} from '../../licensing/licenses/holder-change-service.ts';
import { findHolderAddress } from '../../licensing/licenses/holder-service.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { eraseFromRecords } from '../../tenant-core/audit/erasure.ts';
import { rewriteEvents } from '../../tenant-core/events/erasure.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { eraseMailsTo, readLastMailTimes } from '../../tenant-core/holder-mails/service.ts';
import { eraseAnswersWith } from '../../tenant-core/idempotency/erasure.ts';
import type { HolderMail } from '../mails/schemas.ts';
import { readMails } from '../mails/service.ts';
import { forgetHolderLogins } from '../portal/session-service.ts';
import { eraseTrialEmail, readTrialsOf } from '../trials/conversion-service.ts';
import { deleteNotesOf, listEveryNote, moveNotes } from './note-queries.ts';
import { type CustomerRow, findCustomer, listCustomers } from './queries.ts';
import {
  type Customer,
  type CustomerDetails,
  type CustomerExport,
  type CustomersQuery,
  devicesShown,
  licensesShown,
  mailsShown,
  type UpdateCustomer,
} from './schemas.ts';

/** An export contains at most this many mails; their retention keeps them few. */
const mailsExported = 1000;

/** Returns one page of the customers that match the search, by address. Throws 422 for an invalid cursor. */
export async function readCustomers(
  { clock }: Pick<Services, 'clock'>,
  { db }: Tenant,
  query: CustomersQuery,
): Promise<Page<Customer>> {
  const { rows, nextCursor } = await listCustomers(db, query, clock.now());
  return { rows: await present(db, rows), nextCursor };
}

async function present(db: TenantDb, rows: readonly CustomerRow[]): Promise<Customer[]> {
  const mailed = await readLastMailTimes(
    db,
    rows.map(({ holder_email }) => holder_email),
  );
  return rows.map(({ holder_name: name, holder_email: email, ...figures }) => {
    return { email, name, ...figures, last_mail_at: mailed.get(foldEmail(email)) ?? null };
  });
}

/** Returns the newest `limit` mails to an address. */
async function mailsTo(tenant: Tenant, email: string, limit: number): Promise<HolderMail[]> {
  return [...(await readMails(tenant, { recipient: email, limit })).rows];
}

/** Returns a customer with its newest licenses. Throws 404 `CUSTOMER.NOT_FOUND`. */
export async function readCustomer(services: Services, tenant: Tenant, email: string): Promise<CustomerDetails> {
  const { db } = tenant;
  const now = services.clock.now();
  const row = await findCustomer(db, email, now);
  const [customer] = row === undefined ? [] : await present(db, [row]);
  if (customer === undefined) throw customerNotFound();
  const licenses = await readLicensesOfHolder(services, db, email, licensesShown);
  const seats = await listSeatsOf(
    db,
    licenses.map(({ id }) => id),
    devicesShown,
    now,
  );
  const activations = seats.map((seat) => presentActivation(seat, now));
  return { ...customer, licenses, activations, mails: await mailsTo(tenant, email, mailsShown) };
}

/**
 * Changes the name or the address in all licenses of a customer in one transaction, with an audit record and an event
 * for each license. Returns the customer with the new address. Throws 404 `CUSTOMER.NOT_FOUND`.
 */
export async function updateCustomer(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  email: string,
  { name, email: newEmail }: UpdateCustomer,
): Promise<CustomerDetails> {
  const columns: HolderColumns = {
    ...(name !== undefined && { holder_name: name }),
    ...(newEmail !== undefined && { holder_email: newEmail }),
  };
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const licenses = await lockLicensesOfHolder(tx, email, { includesDeleted: false });
    if (licenses.length === 0) throw customerNotFound();
    if (newEmail !== undefined) await moveNotes(tx, email, newEmail);
    await changeHolder(services, { tx, outbox, actor, at: services.clock.now() }, licenses, columns);
  });
  return await readCustomer(services, tenant, newEmail ?? email);
}

/**
 * Returns the stored data of the person with this address: licenses, also deleted ones, and devices. Throws 404
 * `CUSTOMER.NOT_FOUND`.
 */
export async function exportCustomer(services: Services, tenant: Tenant, email: string): Promise<CustomerExport> {
  const { db } = tenant;
  const licenses = await readEveryLicenseOfHolder(services, db, email);
  const purchases = await services.purchaseRecords.read(db, email);
  const notes = await listEveryNote(db, foldEmail(email));
  if (licenses.length + purchases.length + notes.length === 0) throw customerNotFound();
  const now = services.clock.now();
  const ids = licenses.map(({ id }) => id);
  const activations = (await readDevicesOf(db, ids)).map((row) => presentActivation(row, now));
  const trials = await readTrialsOf(db, ids);
  const checks = (await readChecksOf(db, ids)).map((row) => ({ license_id: row.license_id, ...presentCheck(row) }));
  const mails = await mailsTo(tenant, email, mailsExported);
  const devices = { activations, checks, trials: trials.map(presentTrial) };
  return { email, exported_at: now, licenses, ...devices, mails, purchases, notes };
}

function presentTrial({ product_id, license_id, fingerprint, started_at, converted_at }: TrialsTable) {
  return { product_id, license_id, fingerprint, started_at, converted_at };
}

/**
 * Erases the personal data of a customer: the holder of all licenses, also deleted ones, the names and addresses of their
 * devices, what these asked, the notes about the person, and the buyer of their purchases, in the rows and in what reports about them: audit records, events, kept
 * responses, messages of shops. The licenses keep
 * working. Safe to repeat after a crash. Throws 404 `CUSTOMER.NOT_FOUND`.
 */
export async function eraseCustomer(services: Services, tenant: Tenant, actor: Actor, email: string): Promise<void> {
  const known = await readEveryLicenseOfHolder(services, tenant.db, email);
  const purchases = await services.purchaseRecords.read(tenant.db, email);
  const notes = await listEveryNote(tenant.db, foldEmail(email));
  if (known.length + purchases.length + notes.length === 0) throw customerNotFound();
  // What this process has not written yet would be written afterwards.
  await services.licenseChecks.flush();
  // Before the transaction: it reads all events, and after a crash the next request still finds the customer.
  await eraseFromEvents(tenant, new Set(known.map(({ id }) => id)));
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    // In the order in which messages of shops lock both.
    const sales = await services.purchaseRecords.erase(services, tx, email);
    const licenses = await lockLicensesOfHolder(tx, email, { includesDeleted: true });
    const written = await deleteNotesOf(tx, foldEmail(email));
    if (licenses.length + sales + written === 0) throw customerNotFound();
    const at = services.clock.now();
    const ids = licenses.map(({ id }) => id);
    const activationIds = await eraseDevices(tx, ids);
    await eraseChecksOf(tx, ids);
    await eraseFromRecords(tx, { resourceIds: ids, fields: ['holder', 'reason'] });
    await eraseFromRecords(tx, { resourceIds: activationIds, fields: identifyingFields });
    await eraseAnswersWith(tx, [email]);
    await eraseTrialEmail(tx, email);
    await eraseMailsTo(tx, email);
    await eraseHolderFromOperations(tx, { email, licenseIds: ids });
    await forgetHolderLogins(tx, email);
    await eraseHolder(services, { tx, outbox, actor, at }, licenses);
    const entry = { event: 'CUSTOMER.ERASED', resourceType: 'customer', resourceId: null };
    const changes = [{ field: 'licenses_count', old: licenses.length, new: 0 }];
    await recordAudit(tx, actor, { ...entry, changes, at });
  });
}

async function eraseFromEvents({ db }: Tenant, licenseIds: ReadonlySet<string>): Promise<void> {
  const isOfCustomer = (id: unknown) => typeof id === 'string' && licenseIds.has(id);
  await rewriteEvents(db, (type, data) => {
    if (type.startsWith('license.') && isOfCustomer(data['id'])) {
      return { ...data, holder: { name: null, email: null, reference: null }, status_reason: null };
    }
    if (type.startsWith('activation.') && isOfCustomer(data['license_id'])) {
      return { ...data, ...Object.fromEntries(identifyingFields.map((field) => [field, null])) };
    }
    return undefined;
  });
}

/** Throws 404 `CUSTOMER.NOT_FOUND` unless a license that is not deleted has the address. */
export async function assertCustomer(db: TenantDb, email: string): Promise<void> {
  if ((await findHolderAddress(db, foldEmail(email))) === undefined) throw customerNotFound();
}

/** Returns the same error for an address without licenses and for another tenant's customer. */
function customerNotFound(): AppError {
  return new AppError(
    'CUSTOMER.NOT_FOUND',
    'No license has this email address. Check the address, or search the list of customers.',
  );
}
