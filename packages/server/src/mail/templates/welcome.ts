import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface Welcome {
  readonly to: string;
  readonly tenantName: string;
  readonly planName: string;
  readonly publicUrl: string;
}

/** Creates the mail that reports that the tenant that the recipient signed up for is ready. */
export function welcomeMail({ to, tenantName, planName, publicUrl }: Welcome): Mail {
  const letter = writeLetter({
    subject: `${tenantName} is ready`,
    paragraphs: [
      `${tenantName} is on the plan ${planName}, and you are its owner.`,
      'Log in, create an API key, and validate your first license with it.',
    ],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'You receive this mail because you signed up.',
  });
  return { to, ...letter };
}
