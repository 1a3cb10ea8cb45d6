import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The roles of admins, from the lowest. */
export const adminRoles = ['admin', 'billing_readonly', 'billing_admin', 'super_admin'] as const;

/** What each role may do. */
export const roleMeanings: Readonly<Record<(typeof adminRoles)[number], string>> = {
  admin: 'Tenants, users, flags and operation; no billing.',
  billing_readonly: 'Like Admin, and reads billing.',
  billing_admin: 'Like Admin, and changes billing.',
  super_admin: 'Everything, and manages admins.',
};

/** The search parameters of the list of admins. `edit` is the admin whose role is being changed. */
export const adminSearch = searchOf({ role: oneOf(adminRoles), panel: oneOf(['invite']), edit: text, cursor: text });
