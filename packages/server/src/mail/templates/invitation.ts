import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface Invitation {
  readonly to: string;
  /** A tenant's name, or the platform's administration. */
  readonly target: string;
  readonly role: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
  readonly token: string;
}

/** Creates an invitation. The token is in the fragment of the link, which browsers do not send to servers. */
export function invitationMail({ to, target, role, expiresAt, publicUrl, token }: Invitation): Mail {
  const letter = writeLetter({
    subject: `Invitation to ${target}`,
    paragraphs: [
      `You are invited to ${target} with the role ${role.replaceAll('_', ' ')}.`,
      `To accept, choose your name and a password. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Accept the invitation', url: `${publicUrl}/accept-invitation#token=${token}` },
    note: 'If you did not expect this invitation, ignore this mail. Nothing happens unless you accept.',
  });
  return { to, ...letter, usefulUntil: expiresAt };
}
