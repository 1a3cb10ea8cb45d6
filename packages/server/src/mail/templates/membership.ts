import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface Membership {
  readonly to: string;
  readonly tenantName: string;
  readonly role: string;
  readonly publicUrl: string;
}

/** The mail that tells somebody with an account of a new membership, which holds already. */
export function membershipMail({ to, tenantName, role, publicUrl }: Membership): Mail {
  const letter = writeLetter({
    subject: `You are a member of ${tenantName}`,
    paragraphs: [`You were added to ${tenantName} with the role ${role}. Log in as usual to use it.`],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If you did not expect this, tell the owner of that tenant.',
  });
  return { to, ...letter };
}
