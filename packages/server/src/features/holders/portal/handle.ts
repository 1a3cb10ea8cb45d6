import type { PortalHandlesTable } from '../../../db/tables/platform/tenants.ts';

/** Handles that could be mistaken for pages of the service or for its staff. */
const reserved: ReadonlySet<string> = new Set(
  (
    'about account accounts activate admin administrator api assets auth billing blog checkout contact customer ' +
    'customers dashboard docs download downloads email favicon help home hostmaster install invite legal license ' +
    'licenses licensing login logo logout mail manage metrics news null official openapi operator owner page pages ' +
    'password payment payments portal postmaster privacy public purchase register root sales security service ' +
    'session settings setup shop sign-in sign-up signin signup staff static status store support system team tenant ' +
    'tenants terms trial trials undefined update user users vendor verify webmaster webhook webhooks well-known www'
  ).split(' '),
);

/** The form of a handle, which is a part of the portal's address. */
export const handlePattern = '^[a-z0-9-]{3,40}$';

/** Returns true for a handle that no tenant may have. */
export function isReserved(handle: string): boolean {
  return reserved.has(handle) || handle.startsWith('-') || handle.endsWith('-') || handle.startsWith('xn--');
}

/** Returns the address of a portal: that of its own domain, if the domain is proved. TLS there is the proxy's. */
export function portalUrl(
  publicUrl: string,
  { handle, domain, domain_verified_at }: Pick<PortalHandlesTable, 'handle' | 'domain' | 'domain_verified_at'>,
): string {
  return domain_verified_at === null ? `${publicUrl}/portal/${handle}` : `https://${domain}`;
}

/**
 * Returns the address at a portal that logs in with a token. Browsers do not send the part after `#` to servers, and the
 * page logs in only when a person presses its button, so that a program that opens the links in mails uses nothing up.
 */
export function loginUrl(url: string, token: string): string {
  return `${url}#token=${token}`;
}
