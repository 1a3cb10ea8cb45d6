import { oneOf, searchOf, text } from '../../lib/search.ts';
import type { AdminRole } from '../../surfaces.ts';

// The URL may name only known roles. A role that the service adds and this list lacks is an error of the compiler.
const known: Readonly<Record<AdminRole, true>> = {
  auditor: true,
  admin: true,
  billing_readonly: true,
  billing_admin: true,
  super_admin: true,
};

/** The names of the roles of admins, from the lowest. */
export const adminRoles = Object.keys(known) as readonly AdminRole[];

/** The search parameters of the list of admins. `edit` is the admin whose role is being changed. */
export const adminSearch = searchOf({ role: oneOf(adminRoles), panel: oneOf(['invite']), edit: text, cursor: text });
