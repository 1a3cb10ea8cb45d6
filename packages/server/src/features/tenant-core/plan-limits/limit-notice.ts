import type { Timestamp } from '../../../lib/clock.ts';
import type { PlanLimits } from '../../../tenancy/tenant.ts';

/** A resource whose number a plan limits. */
export type LimitedResource = Exclude<keyof PlanLimits, 'integration_requests_per_minute'>;

/** The plural noun for a resource in messages. */
export const resourceNames: Readonly<Record<LimitedResource, string>> = {
  products: 'products',
  licenses: 'licenses',
  activations: 'active activations',
  api_keys: 'API keys',
  webhooks: 'webhook endpoints',
  members: 'members',
};

const nearPercent = 80;

/** Returns the highest notified percentage of the limit that `used` has reached: 0, 80 or 100. */
function reachedPercent(used: number, limit: number): 0 | 80 | 100 {
  if (used >= limit) return 100;
  return used * 100 >= limit * nearPercent ? nearPercent : 0;
}

/** A change in the number of a resource. */
export interface Growth {
  readonly resource: LimitedResource;
  readonly before: number;
  readonly after: number;
  readonly limit: number;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * Builds the notification of a number that crosses 80 % or 100 % of its limit; returns null if it crosses neither. The
 * occurrence contains the date, so that a number that moves back and forth across a threshold is notified once a day.
 */
export function limitNotice({ resource, before, after, limit, at, requestId }: Growth) {
  const percent = reachedPercent(after, limit);
  if (percent === 0 || percent <= reachedPercent(before, limit)) return null;
  const name = resourceNames[resource];
  const isReached = percent === 100;
  const consequence = isReached ? ' The service refuses new ones; existing ones continue to work.' : '';
  const advice = 'Remove unused ones, or choose a larger plan.';
  return {
    type: isReached ? 'plan.limit_reached' : 'plan.limit_near',
    severity: isReached ? ('critical' as const) : ('warning' as const),
    title: isReached ? `The plan allows no more ${name}` : `The plan's limit of ${name} is near`,
    body: `${after} of ${limit} ${name} are in use.${consequence} ${advice}`,
    occurrence: ['plan.limit', resource, percent, limit, at.slice(0, 10)].join(':'),
    resource: { type: 'plan', id: null },
    at,
    requestId,
  };
}
