import type { Member } from '../../api/members.ts';

/** What each role may do, from the most to the least. */
export const roles: readonly { readonly role: Member['role']; readonly label: string; readonly meaning: string }[] = [
  { role: 'owner', label: 'Owner', meaning: 'Everything, including members and billing.' },
  {
    role: 'admin',
    label: 'Admin',
    meaning: 'Products, policies, licenses, keys, webhooks and settings, but neither members nor billing.',
  },
  { role: 'viewer', label: 'Viewer', meaning: 'Reads everything except billing, and changes nothing.' },
];
