import type { AdminRole } from '../../db/tables/platform/identity.ts';

/**
 * A part of the admin surface with rights of its own. `account` is the admin's own account; `billing` is everything that
 * the billing guard decides about; `admins` is the admins and the removal of all demo data; `platform` is the rest,
 * with every tenant's resources.
 */
export type AdminArea = 'platform' | 'billing' | 'admins' | 'account';

/** What a role may do in an area. `write` includes `read`. */
export type AdminAccess = 'none' | 'read' | 'write';

/** A role of admins: what it may do, and the sentence that says so where a role is chosen. */
export interface AdminRoleRule {
  readonly description: string;
  readonly rights: Readonly<Record<AdminArea, AdminAccess>>;
}

/**
 * THE table of the roles of admins, from the lowest. The guards, the API and its document, the command line, single
 * sign-on and the dashboard read it. Reads are GET and HEAD; every other method is a write, also if it changes nothing.
 */
export const adminRoles: Readonly<Record<AdminRole, AdminRoleRule>> = {
  auditor: {
    description: 'Reads the platform, every tenant and billing. Changes only their own account.',
    rights: { platform: 'read', billing: 'read', admins: 'none', account: 'write' },
  },
  admin: {
    description: 'Reads and changes the platform and every tenant, with licenses and API keys. No billing.',
    rights: { platform: 'write', billing: 'none', admins: 'none', account: 'write' },
  },
  billing_readonly: {
    description: 'Reads and changes the platform and every tenant, with licenses and API keys. Reads billing.',
    rights: { platform: 'write', billing: 'read', admins: 'none', account: 'write' },
  },
  billing_admin: {
    description: 'Reads and changes the platform and every tenant, with licenses and API keys, and billing.',
    rights: { platform: 'write', billing: 'write', admins: 'none', account: 'write' },
  },
  super_admin: {
    description: 'Reads and changes everything. Only this role manages admins and removes all demo data.',
    rights: { platform: 'write', billing: 'write', admins: 'write', account: 'write' },
  },
};

/** The names of the roles, from the lowest. */
export const adminRoleNames = Object.keys(adminRoles) as readonly AdminRole[];

/** Returns whether a method is a read to the tables of roles. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns whether a role may send a request with this method to an area. */
export function isAdminAllowed(role: AdminRole, area: AdminArea, method: string): boolean {
  const access = adminRoles[role].rights[area];
  return access === 'write' || (access === 'read' && isRead(method));
}

/** Returns the roles that may send a request with this method to an area, from the lowest. */
export function rolesFor(area: AdminArea, method: string): readonly AdminRole[] {
  return adminRoleNames.filter((role) => isAdminAllowed(role, area, method));
}
