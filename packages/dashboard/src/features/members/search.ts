import { oneOf, searchOf, text } from '../../lib/search.ts';
import type { TenantRole } from '../../surfaces.ts';

/** The roles of members, from the most to the least. */
export const memberRoles: readonly TenantRole[] = ['owner', 'admin', 'support', 'viewer'];

/** Reads the search parameters of the list of members. */
export const membersSearch = searchOf({
  role: oneOf(memberRoles),
  cursor: text,
  panel: oneOf(['new']),
});
