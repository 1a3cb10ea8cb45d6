import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface Welcome {
  readonly to: string;
  readonly tenantName: string;
  readonly planName: string;
  readonly publicUrl: string;
}

/** The mail that tells somebody that the tenant they signed up for is there. */
export function welcomeMail({ to, tenantName, planName, publicUrl }: Welcome): Mail {
  const letter = writeLetter({
    subject: `${tenantName} is ready`,
    paragraphs: [
      `${tenantName} runs on the plan ${planName}, and you are its owner.`,
      'Log in, make an API key, and validate your first license with it.',
    ],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'You get this mail because you signed up for it.',
  });
  return { to, ...letter };
}
