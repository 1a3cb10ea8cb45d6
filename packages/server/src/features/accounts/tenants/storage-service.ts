import type { Services } from '../../../services.ts';
import type { Placement } from '../../../tenancy/placement.ts';

/**
 * Returns the size of a tenant's database in bytes, without opening the database. Null if it cannot be read, for example
 * because its server is unavailable: a figure must not keep an admin from the rest of the tenant.
 */
export async function readStorage(
  { logger, provisioning }: Pick<Services, 'logger' | 'provisioning'>,
  placement: Placement,
): Promise<number | null> {
  try {
    return await provisioning.sizeOf(placement);
  } catch (error) {
    logger.warn({ err: error, tenant_id: placement.id }, "the size of a tenant's database was not read");
    return null;
  }
}
