import { deleteRows } from '../../../db/rows.ts';
import { validationError } from '../../../lib/error.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findProductById, holdProduct, productNotFound } from '../../licensing/products/service.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { findByDevice, findByEmail } from './queries.ts';
import type { AllowTrial } from './schemas.ts';

/**
 * Forgets the trials of a product that a device or an address had, so that their devices and addresses may start another
 * one. Their licenses stay. Returns how many were forgotten; 0 changes nothing. Throws 404 `RESOURCE.NOT_FOUND` for an
 * unknown product, and 422 without a device and an address.
 */
export async function allowTrial(
  { clock }: ClockServices,
  { db }: Tenant,
  actor: Actor,
  productId: string,
  { fingerprint, email }: AllowTrial,
): Promise<number> {
  if ((await findProductById(db, productId)) === undefined) throw productNotFound();
  if (fingerprint === undefined && email === undefined) {
    throw validationError({ field: 'fingerprint', message: 'Name the device, the email address, or both.' });
  }
  return await db.transaction(async (tx) => {
    await holdProduct(tx, productId);
    const ofDevice =
      fingerprint === undefined ? undefined : await findByDevice(tx, productId, storedFingerprint(fingerprint));
    const ofAddress = email === undefined ? undefined : await findByEmail(tx, productId, email);
    const licenseIds = [...new Set([ofDevice, ofAddress].flatMap((trial) => (trial ? [trial.license_id] : [])))];
    if (licenseIds.length === 0) return 0;
    for (const licenseId of licenseIds) await deleteRows(tx, 'trials', { license_id: licenseId });
    const changes = licenseIds.map((id) => ({ field: 'license_id', old: id, new: null }));
    const entry = { event: 'TRIAL.ALLOWED', resourceType: 'product', resourceId: productId, changes };
    await recordAudit(tx, actor, { ...entry, at: clock.now() });
    return licenseIds.length;
  });
}
