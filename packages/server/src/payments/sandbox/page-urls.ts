import { timingSafeEqual } from 'node:crypto';
import { toTimestamp } from '../../lib/clock.ts';
import { PaymentProviderError } from '../provider.ts';
import type { SandboxContext } from './context.ts';

type Links = Pick<SandboxContext, 'publicUrl' | 'keyring' | 'clock'>;

const portalOpenForMs = 3_600_000;
/** As much as the router takes for one part of a path. */
const tokenMaxLength = 500;
const tokenLength = 32;

/** The page on which a checkout is paid. Its id is what nobody can guess. */
export function checkoutUrl({ publicUrl }: Pick<Links, 'publicUrl'>, id: string): string {
  return `${publicUrl}/sandbox/checkout/${id}`;
}

function textOf(invoiceId: string): string {
  return `licensing/sandbox-invoice/v1 ${invoiceId}`;
}

/** The page on which an invoice is paid without logging in. Ids of invoices are shown to many, so a token stands beside it. */
export function invoiceUrl({ publicUrl, keyring }: Links, invoiceId: string): string {
  return `${publicUrl}/sandbox/invoices/${invoiceId}/${keyring.hash(textOf(invoiceId)).slice(0, tokenLength)}`;
}

/** True for the token of the invoice's page, under the application key or a previous one. */
export function isInvoiceToken({ keyring }: Links, invoiceId: string, token: string): boolean {
  const text = textOf(invoiceId);
  const known = [keyring.hash(text), ...keyring.previousHashes(text)].map((hash) => hash.slice(0, tokenLength));
  const given = Buffer.from(token);
  return given.length === tokenLength && known.some((one) => timingSafeEqual(Buffer.from(one), given));
}

/** Who may use a portal page, until when, and where it leads back to. */
export interface PortalSession {
  readonly customerId: string;
  readonly returnUrl: string;
}

/** The page on which a customer manages the card and pays; for an hour. */
export function portalUrl({ publicUrl, keyring, clock }: Links, { customerId, returnUrl }: PortalSession): string {
  const token = keyring.seal(JSON.stringify([customerId, returnUrl, toTimestamp(clock.nowMs() + portalOpenForMs)]));
  if (token.length > tokenMaxLength) throw new PaymentProviderError('refused', 'The return URL is too long.');
  return `${publicUrl}/sandbox/portal/${token}`;
}

/** Reads the token of a portal page; undefined when it is none, or over. */
export function readPortalToken({ keyring, clock }: Links, token: string): PortalSession | undefined {
  try {
    const [customerId, returnUrl, endsAt] = JSON.parse(keyring.open(token)) as [string, string, string];
    return endsAt > clock.now() ? { customerId, returnUrl } : undefined;
  } catch {
    return undefined;
  }
}
