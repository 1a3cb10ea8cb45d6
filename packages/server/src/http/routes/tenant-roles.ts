import type { TenantRole } from '../../db/tables/platform/identity.ts';
import { isRead } from './admin-roles.ts';

/**
 * A part of a tenant with rights of its own. `licensing` is the daily work with licenses, devices and customers; `catalog`
 * is what licenses consist of, with the general settings that every screen reads; `ownership` is the members and the
 * tenant itself; `administration` is the rest, with all keys, secrets, shops, texts of mails and files of all personal
 * data.
 */
export type TenantArea = 'licensing' | 'catalog' | 'administration' | 'ownership' | 'billing';

type TenantAccess = 'none' | 'read' | 'write';

/** A role of members: what it may do, and the sentence that says so. */
export interface TenantRoleRule {
  readonly description: string;
  readonly rights: Readonly<Record<TenantArea, TenantAccess>>;
}

/**
 * THE table of the roles of members, from the lowest. Access tokens have the same roles except `owner`. The guard of the
 * tenant surface and the API's document read it. Reads are GET and HEAD; every other method is a write.
 */
export const tenantRoles: Readonly<Record<TenantRole, TenantRoleRule>> = {
  viewer: {
    description: 'only reading, no billing.',
    rights: { licensing: 'read', catalog: 'read', administration: 'read', ownership: 'read', billing: 'none' },
  },
  support: {
    description: 'licenses, devices and customers; reads the catalog.',
    rights: { licensing: 'write', catalog: 'read', administration: 'none', ownership: 'none', billing: 'none' },
  },
  admin: {
    description: 'everything but members and billing.',
    rights: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'read', billing: 'none' },
  },
  owner: {
    description: 'everything.',
    rights: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'write', billing: 'write' },
  },
};

/** The names of the roles, from the lowest. */
export const tenantRoleNames = Object.keys(tenantRoles) as readonly TenantRole[];

/** Returns whether a role of a tenant may send a request with this method to an area. */
export function isTenantAllowed(role: TenantRole, area: TenantArea, method: string): boolean {
  const access = tenantRoles[role].rights[area];
  return access === 'write' || (access === 'read' && isRead(method));
}

/** Returns the roles of a tenant that may send a request with this method to an area, from the highest. */
export function tenantRolesFor(area: TenantArea, method: string): readonly TenantRole[] {
  return tenantRoleNames.filter((role) => isTenantAllowed(role, area, method)).reverse();
}
