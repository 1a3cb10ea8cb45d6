import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { PortalHandlesTable } from '../../../db/tables/platform/tenants.ts';
import type { PortalDomain } from './settings-schemas.ts';

const recordPrefix = '_license-portal.';
/** Names in DNS have at most 253 characters. */
const lengthMax = 253 - recordPrefix.length;
const label = /^[a-z0-9-]{1,63}$/;
/** What `domainToASCII` would accept or cut off: addresses, ports, paths and spaces. */
const notInNames = /[\s/:@?#[\]%\\*_]/;

/** Returns a domain in lower case and in ASCII (punycode). Null unless the text is the name of a host with two labels or more. */
export function normalizeDomain(text: string): string | null {
  const domain = notInNames.test(text) ? '' : domainToASCII(text);
  const labels = domain.split('.');
  const isName = labels.every((part) => label.test(part) && !part.startsWith('-') && !part.endsWith('-'));
  const isTopLevelNumber = /^\d+$/.test(labels.at(-1) ?? '');
  if (!isName || isTopLevelNumber || labels.length < 2 || isIP(domain) !== 0 || domain.length > lengthMax) return null;
  return domain;
}

/** Returns the domain of a portal as its settings show it, with the record that proves it; null without one. */
export function presentDomain(row: PortalHandlesTable | undefined): PortalDomain | null {
  if (row === undefined || row.domain === null || row.domain_token === null) return null;
  return {
    name: row.domain,
    txt_name: recordPrefix + row.domain,
    txt_value: `license-portal=${row.domain_token}`,
    verified_at: row.domain_verified_at,
  };
}
