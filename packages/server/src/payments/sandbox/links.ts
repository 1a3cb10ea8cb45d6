import { toTimestamp } from '../../lib/clock.ts';
import { isHashOf, refusal, type SandboxContext } from './context.ts';

type Links = Pick<SandboxContext, 'publicUrl' | 'keyring' | 'clock'>;

const portalOpenForMs = 3_600_000;
/** Maximum length of a path segment that the router accepts. */
const tokenMaxLength = 500;
const tokenLength = 32;

/** Returns the URL of a checkout's page. The id is random, so the URL needs no other protection. */
export function checkoutUrl({ publicUrl }: Pick<Links, 'publicUrl'>, id: string): string {
  return `${publicUrl}/sandbox/checkout/${id}`;
}

function textOf(invoiceId: string): string {
  return `licensing/sandbox-invoice/v1 ${invoiceId}`;
}

/** Returns the URL on which an invoice is paid without a login. Invoice ids are not secret, so the URL has a token. */
export function invoiceUrl({ publicUrl, keyring }: Links, invoiceId: string): string {
  return `${publicUrl}/sandbox/invoices/${invoiceId}/${keyring.hash(textOf(invoiceId)).slice(0, tokenLength)}`;
}

/** Returns whether a token is that of an invoice's page. */
export function isInvoiceToken({ keyring }: Links, invoiceId: string, token: string): boolean {
  return isHashOf(keyring, textOf(invoiceId), token, tokenLength);
}

/** The customer of a portal page, and the URL to which the page links back. */
export interface PortalSession {
  readonly customerId: string;
  readonly returnUrl: string;
}

/**
 * Returns the URL of a customer's portal page. It is valid for one hour. Throws `refused` for a return URL that is too
 * long.
 */
export function portalUrl({ publicUrl, keyring, clock }: Links, { customerId, returnUrl }: PortalSession): string {
  const token = keyring.seal(JSON.stringify([customerId, returnUrl, toTimestamp(clock.nowMs() + portalOpenForMs)]));
  if (token.length > tokenMaxLength) throw refusal('The return URL is too long. Shorten it.');
  return `${publicUrl}/sandbox/portal/${token}`;
}

/** Returns the session of a portal token; undefined for an invalid or expired token. */
export function readPortalToken({ keyring, clock }: Links, token: string): PortalSession | undefined {
  try {
    const [customerId, returnUrl, endsAt] = JSON.parse(keyring.open(token)) as [string, string, string];
    return endsAt > clock.now() ? { customerId, returnUrl } : undefined;
  } catch {
    return undefined;
  }
}
