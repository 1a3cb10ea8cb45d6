import { count, formatNumber } from './text.ts';

/**
 * Returns how many devices may use a license: `2 devices, and 1 more is tolerated`. `admitted` is the limit with the overage.
 * Null: any number.
 */
export function devicesText(limit: number | null, admitted: number | null): string {
  if (limit === null) return 'any number of devices';
  const devices = limit === 0 ? 'no device' : count(limit, 'device');
  if (admitted === null) return `${devices}, and any number more is tolerated`;
  const extra = admitted - limit;
  if (extra === 0) return devices;
  return `${devices}, and ${formatNumber(extra)} more ${extra === 1 ? 'is' : 'are'} tolerated`;
}

/** What a policy says if its limit of devices does not limit anything yet. */
export const notLimitedText = 'Devices are not limited until the application activates them.';
