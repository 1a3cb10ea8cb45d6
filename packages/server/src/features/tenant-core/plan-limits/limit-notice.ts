import type { Timestamp } from '../../../lib/clock.ts';
import type { PlanLimits } from '../../../tenancy/tenant.ts';

/** What a plan limits the number of. */
export type LimitedResource = Exclude<keyof PlanLimits, 'integration_requests_per_minute'>;

/** How a resource is called in sentences. */
export const resourceNames: Readonly<Record<LimitedResource, string>> = {
  products: 'products',
  licenses: 'licenses',
  activations: 'active activations',
  api_keys: 'API keys',
  webhooks: 'webhook endpoints',
  members: 'members',
};

const nearPercent = 80;

/** The percentage of a limit that so many have reached, of those that are told: 0, 80 or 100. */
function reachedPercent(used: number, limit: number): 0 | 80 | 100 {
  if (used >= limit) return 100;
  return used * 100 >= limit * nearPercent ? nearPercent : 0;
}

/** How many there were and are of a resource, against its limit. */
export interface Growth {
  readonly resource: LimitedResource;
  readonly before: number;
  readonly after: number;
  readonly limit: number;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * What to tell the tenant of when the number crosses 80 % or 100 % of the limit; null when it crosses neither. Where
 * it goes up and down around a mark, it is told once a day: the occurrence names the day.
 */
export function limitNotice({ resource, before, after, limit, at, requestId }: Growth) {
  const percent = reachedPercent(after, limit);
  if (percent === 0 || percent <= reachedPercent(before, limit)) return null;
  const name = resourceNames[resource];
  const isReached = percent === 100;
  return {
    type: isReached ? 'plan.limit_reached' : 'plan.limit_near',
    severity: isReached ? ('critical' as const) : ('warning' as const),
    title: isReached ? `The plan allows no more ${name}` : `The plan's limit of ${name} is near`,
    body: `${after} of ${limit} ${name} are in use. ${isReached ? 'More are refused; what exists goes on working. ' : ''}Remove what is not needed, or choose a larger plan.`,
    occurrence: ['plan.limit', resource, percent, limit, at.slice(0, 10)].join(':'),
    at,
    requestId,
  };
}
