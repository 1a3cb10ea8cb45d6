import type { TenantPool } from './tenant-pool.ts';

/** A new connection costs the server some 10 ms of CPU time, and takes one from another tenant. */
const tenantsWithoutConnectionMax = 10;

/**
 * Returns the tenants for which buffered values are written now: those with a connection at hand, and the first ten
 * without one. `waiting` is in the order in which the values began to wait.
 */
export function tenantsInReach(
  waiting: Iterable<{ readonly tenantId: string }>,
  tenants: Pick<TenantPool, 'hasConnectionAtHand'>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const inReach = new Set<string>();
  let connecting = 0;
  for (const { tenantId } of waiting) {
    if (seen.has(tenantId)) continue;
    seen.add(tenantId);
    const isAtHand = tenants.hasConnectionAtHand(tenantId);
    if (!isAtHand) connecting += 1;
    if (isAtHand || connecting <= tenantsWithoutConnectionMax) inReach.add(tenantId);
  }
  return inReach;
}
