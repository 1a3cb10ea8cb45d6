import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { PageRequest } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { AuthenticatedHolder } from '../../../http/routes/holder-route.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { deactivateLimited } from '../../licensing/activations/deactivation-service.ts';
import { activate, listSeats } from '../../licensing/activations/service.ts';
import { issueCertificate } from '../../licensing/certificates/service.ts';
import { lockHeldLicense, readHeldLicense } from '../../licensing/licenses/holder-service.ts';
import { rotateLicenseKey } from '../../licensing/licenses/lifecycle-service.ts';
import { licenseNotFound } from '../../licensing/licenses/service.ts';
import { findPolicy } from '../../licensing/policies/service.ts';
import { findProductById } from '../../licensing/products/service.ts';
import { deactivationsLeft, presentDevice } from './licenses-service.ts';
import { queueReleaseMail } from './mails.ts';
import { certificateFormat, readOfflineRequest } from './offline-request.ts';
import type { OfflineActivation, PortalDevice } from './schemas.ts';
import type { PortalPermissions } from './settings-schemas.ts';
import { readPermissions } from './settings-service.ts';

/** Who acts, in which portal, on which license. */
export interface HolderAction {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly holder: AuthenticatedHolder;
  readonly licenseId: string;
}

function notPermitted(): AppError {
  return new AppError('PORTAL.NOT_PERMITTED', 'This is not offered here. Ask the vendor of your software to do it.');
}

async function assertPermitted({ db }: Tenant, permission: keyof PortalPermissions): Promise<void> {
  if (!(await readPermissions(db))[permission]) throw notPermitted();
}

/** Returns one page of the devices that hold a seat. Throws 404 `LICENSE.NOT_FOUND`. */
export async function listDevices(
  { clock }: Services,
  { tenant, holder, licenseId }: Omit<HolderAction, 'actor'>,
  page: PageRequest,
): Promise<Page<PortalDevice>> {
  const now = clock.now();
  await readHeldLicense(tenant.db, holder.email, licenseId, now);
  const { rows, nextCursor } = await listSeats(tenant.db, licenseId, page, now);
  return { rows: rows.map(presentDevice), nextCursor };
}

/** Returns the key of a license. Throws 404 `LICENSE.NOT_FOUND`. */
export async function readKey(
  { clock }: Services,
  { tenant, holder, licenseId }: Omit<HolderAction, 'actor'>,
): Promise<string> {
  return (await readHeldLicense(tenant.db, holder.email, licenseId, clock.now())).key;
}

/**
 * Frees the seat of a device as `deactivateLimited` does, and mails the holder. Returns how many releases are left; null: any number. A repeated call counts nothing. Throws 403 `PORTAL.NOT_PERMITTED`, 404
 * `LICENSE.NOT_FOUND` or `ACTIVATION.NOT_FOUND`, and 422 `ACTIVATION.DEACTIVATION_LIMIT_REACHED`.
 */
export async function releaseDevice(
  services: Services,
  { tenant, actor, holder, licenseId }: HolderAction,
  activationId: string,
): Promise<number | null> {
  await assertPermitted(tenant, 'release_devices');
  await deactivateLimited(services, tenant, actor, {
    lock: (tx) => lockHeldLicense(tx, holder.email, licenseId),
    activationId,
    onReleased: (tx, outbox, released) => queueReleaseMail(services, tx, outbox, released),
  });
  const license = await readHeldLicense(tenant.db, holder.email, licenseId, services.clock.now());
  return deactivationsLeft(license, await policyOf(tenant, license.policy_id));
}

async function policyOf({ db }: Tenant, id: string): Promise<PoliciesTable> {
  const policy = orThrow(await findPolicy(db.query, id), licenseNotFound);
  return policy;
}

/**
 * Replaces the key of a license and returns the new one. Throws 403 `PORTAL.NOT_PERMITTED`, also if the policy does not
 * permit it, 404 `LICENSE.NOT_FOUND`, and 409 `LICENSE.TRANSITION_INVALID` for a revoked license.
 */
export async function replaceKey(
  services: Services,
  { tenant, actor, holder, licenseId }: HolderAction,
): Promise<string> {
  await assertPermitted(tenant, 'replace_key');
  const { key } = await rotateLicenseKey(services, tenant, actor, licenseId, ({ holder_email }, policy) => {
    if (holder_email === null || foldEmail(holder_email) !== holder.email) throw licenseNotFound();
    if (policy.holder_may_replace_key === 0) throw notPermitted();
  });
  return key;
}

/**
 * Activates the device of a request file and returns its certificate file. A device that is active already keeps its seat
 * and gets a new certificate. Throws 403 `PORTAL.NOT_PERMITTED`, 404 `LICENSE.NOT_FOUND`, 422 for a file that is not a
 * request or is of another product, and the errors of activations and certificates.
 */
export async function activateOffline(
  services: Services,
  { tenant, actor, holder, licenseId }: HolderAction,
  request: string,
): Promise<OfflineActivation> {
  await assertPermitted(tenant, 'offline_activation');
  const license = await readHeldLicense(tenant.db, holder.email, licenseId, services.clock.now());
  const product = orThrow(await findProductById(tenant.db, license.product_id), licenseNotFound);
  const { fingerprint, components, name, hostname, platform } = readOfflineRequest(request, product);
  const identity = { fingerprint, ...(components !== undefined && { components }) };
  const device = { ...identity, name: name ?? null, hostname: hostname ?? null, platform: platform ?? null };
  const { row, created } = await activate(services, tenant, actor, license.key, device);
  if (created) services.activity.count(tenant.id, 'activations');
  const { certificate, expires_at } = await issueCertificate(services, tenant, actor, license.key, identity);
  const file = {
    format: certificateFormat,
    product: product.code,
    license_key: license.key,
    certificate,
    expires_at,
  };
  return {
    file_name: `${product.code}-certificate.json`,
    file: `${JSON.stringify(file, null, 2)}\n`,
    expires_at,
    device: presentDevice(row),
  };
}
