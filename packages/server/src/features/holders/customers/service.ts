import type { TenantDb } from '../../../db/database.ts';
import type { TrialsTable } from '../../../db/tables/tenant/trials.ts';
import type { Page } from '../../../http/envelope.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { paced } from '../../../lib/pace.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { presentActivation } from '../../licensing/activations/activation.ts';
import { componentsOf, readDevicesOf } from '../../licensing/activations/erasure-service.ts';
import { listSeatsOf } from '../../licensing/activations/service.ts';
import { presentCheck } from '../../licensing/device-history/check.ts';
import { readChecksOf } from '../../licensing/device-history/service.ts';
import {
  changeHolder,
  type HolderColumns,
  type LicensePlace,
  lockLicensesOfHolder,
  readEveryLicenseOfHolder,
  readLicensesOfHolder,
  readPageOfHolder,
} from '../../licensing/licenses/holder-change-service.ts';
import { findHolderAddress } from '../../licensing/licenses/holder-service.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readLastMailTimes } from '../../tenant-core/holder-mail-queue/service.ts';
import type { HolderMail } from '../holder-mails/schemas.ts';
import { readMails } from '../holder-mails/service.ts';
import { readTrialsOf } from '../trials/conversion-service.ts';
import { listEveryNote, moveNotes } from './note-queries.ts';
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

/** Licenses per transaction of a change or an erasure: some 20 ms, in which other writers of the tenant wait. */
export const licensesPerStep = 50;
/** How often it begins again for licenses that the address got meanwhile. Later ones are of a new customer. */
export const roundsMax = 10;

/** A change that one request makes in all licenses of a customer. */
interface CustomerChange {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly email: string;
  readonly columns: HolderColumns;
}

/**
 * Changes the name or the address in all licenses of a customer, with an audit record and an event for each license. It
 * works in short transactions, so that other requests of the tenant do not wait. A repeated request completes a change
 * that a crash has interrupted: licenses that have the old address are changed. Returns the customer with the new address.
 * Throws 404 `CUSTOMER.NOT_FOUND`.
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
  const change: CustomerChange = { services, tenant, actor, email, columns };
  const isMove = newEmail !== undefined && foldEmail(newEmail) !== foldEmail(email);
  let found = await changeEveryLicense(change);
  if (found === 0) throw customerNotFound();
  for (let round = 1; isMove && found > 0 && round < roundsMax; round += 1) found = await changeEveryLicense(change);
  return await readCustomer(services, tenant, newEmail ?? email);
}

/** Changes every license that the address has, once. Returns how many it found. */
async function changeEveryLicense(change: CustomerChange): Promise<number> {
  let found = 0;
  for (let after: LicensePlace | null = null; ; ) {
    const page: LicensePlace[] = await readPageOfHolder(change.tenant.db, change.email, {
      after,
      limit: licensesPerStep,
    });
    if (page.length > 0) found += await paced(null, () => changePage(change, page));
    if (page.length < licensesPerStep) return found;
    after = page.at(-1) ?? null;
  }
}

async function changePage(
  { services, tenant, actor, email, columns }: CustomerChange,
  page: readonly LicensePlace[],
): Promise<number> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const ids = page.map(({ id }) => id);
    const locked = await lockLicensesOfHolder(tx, email, ids);
    const licenses = locked.filter(({ deleted_at }) => deleted_at === null);
    if (licenses.length === 0) return 0;
    if (columns.holder_email != null) await moveNotes(tx, email, columns.holder_email);
    await changeHolder(services, { tx, outbox, actor, at: services.clock.now() }, licenses, columns);
    return licenses.length;
  });
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
  const activations = (await readDevicesOf(db, ids)).map((row) => {
    const components = componentsOf(row);
    return { ...presentActivation(row, now), ...(components && { components }) };
  });
  const trials = await readTrialsOf(db, ids);
  const checks = (await readChecksOf(db, ids)).map((row) => ({ license_id: row.license_id, ...presentCheck(row) }));
  const mails = await mailsTo(tenant, email, mailsExported);
  const devices = { activations, checks, trials: trials.map(presentTrial) };
  return { email, exported_at: now, licenses, ...devices, mails, purchases, notes };
}

function presentTrial({ product_id, license_id, fingerprint, started_at, converted_at }: TrialsTable) {
  return { product_id, license_id, fingerprint, started_at, converted_at };
}

/** Throws 404 `CUSTOMER.NOT_FOUND` unless a license that is not deleted has the address. */
export async function assertCustomer(db: TenantDb, email: string): Promise<void> {
  if ((await findHolderAddress(db, foldEmail(email))) === undefined) throw customerNotFound();
}

/** Returns the same error for an address without licenses and for another tenant's customer. */
export function customerNotFound(): AppError {
  return new AppError(
    'CUSTOMER.NOT_FOUND',
    'No license has this email address. Check the address, or search the list of customers.',
  );
}
