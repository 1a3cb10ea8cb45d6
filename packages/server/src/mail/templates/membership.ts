import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface Membership {
  readonly to: string;
  readonly tenantName: string;
  readonly role: string;
  readonly publicUrl: string;
}

/** Creates the mail for the holder of an existing account who was added to a tenant. */
export function membershipMail({ to, tenantName, role, publicUrl }: Membership): Mail {
  const letter = writeLetter({
    subject: `You are now a member of ${tenantName}`,
    paragraphs: [`You were added to ${tenantName} with the role ${role}. Log in as usual to start.`],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If you did not expect this, please contact the owner of that tenant.',
  });
  return { to, ...letter };
}
