import type { ProductsTable } from '../../../db/tables/tenant/policies.ts';

const licenseId = '{license_id}';

/** Returns true for the address of a web page, in which `{license_id}` stands for the id of a license. */
export function isRenewalUrl(address: string): boolean {
  const url = URL.parse(address.replaceAll(licenseId, '0'));
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Returns the page on which a license is renewed; null if its product has none. */
export function renewalUrlOf({ renewal_url }: Pick<ProductsTable, 'renewal_url'>, id: string): string | null {
  return renewal_url === null ? null : renewal_url.replaceAll(licenseId, id);
}
