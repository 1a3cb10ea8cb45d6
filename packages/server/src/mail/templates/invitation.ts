import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface Invitation {
  readonly to: string;
  /** What the person is invited to: a tenant's name, or the platform's administration. */
  readonly target: string;
  readonly role: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
  readonly token: string;
}

/** The mail that invites somebody. The token stands behind `#`, which no browser sends to a server or its logs. */
export function invitationMail({ to, target, role, expiresAt, publicUrl, token }: Invitation): Mail {
  const letter = writeLetter({
    subject: `Invitation to ${target}`,
    paragraphs: [
      `You are invited to ${target} with the role ${role.replaceAll('_', ' ')}.`,
      `Choose your name and a password to accept. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Accept the invitation', url: `${publicUrl}/accept-invitation#token=${token}` },
    note: 'If you did not expect this invitation, ignore this mail: nothing happens without you.',
  });
  return { to, ...letter, usefulUntil: expiresAt };
}
