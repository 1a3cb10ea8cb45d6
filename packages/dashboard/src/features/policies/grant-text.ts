import type { PolicyEntitlement } from '../../api/policies.ts';
import { formatNumber } from '../../lib/text.ts';

/** Returns what a policy grants in a few words: `renders: 1,000 per month`. */
export function grantText({ code, value, limit, reset }: PolicyEntitlement): string {
  if (limit !== undefined && limit !== null) {
    return `${code}: ${formatNumber(limit)}${reset === undefined || reset === 'none' ? '' : ` per ${reset}`}`;
  }
  return value === undefined || value === null ? code : `${code}: ${String(value)}`;
}
