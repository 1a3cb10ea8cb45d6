import { describe, expect, test } from 'vitest';
import { toEpochSeconds } from '../../../lib/clock.ts';
import { certificateEndSeconds } from './certificate.ts';

const now = '2026-11-20T12:00:00.900000Z';
const policy = {
  offline_ttl_seconds_max: 3600,
  expiry_strategy: 'deny',
  grace_days: 0,
  require_activation: 0,
} as const;
const right = { expires_at: null, lease_expires_at: null };
const soon = '2026-11-20T12:10:00.000000Z';

describe('end of certificates', () => {
  const cases = [
    { when: "after the policy's maximum by default", end: '2026-11-20T13:00:00Z' },
    { when: 'after the requested seconds', ttl: 60, end: '2026-11-20T12:01:00Z' },
    { when: "after the policy's maximum when more seconds are requested", ttl: 1e300, end: '2026-11-20T13:00:00Z' },
    { when: 'with the license', right: { ...right, expires_at: soon }, end: soon },
    {
      when: 'with the grace period of the license',
      policy: { ...policy, grace_days: 1, offline_ttl_seconds_max: 604_800 },
      right: { ...right, expires_at: soon },
      end: '2026-11-21T12:10:00Z',
    },
    {
      when: 'independently of the license when the policy allows expired licenses',
      policy: { ...policy, expiry_strategy: 'allow' as const },
      right: { ...right, expires_at: '2026-11-20T11:00:00.000000Z' },
      end: '2026-11-20T13:00:00Z',
    },
    {
      when: 'with the lease of a required activation',
      policy: { ...policy, require_activation: 1 as const },
      right: { ...right, lease_expires_at: soon },
      end: soon,
    },
    {
      when: 'independently of the lease of an activation that is not required',
      right: { ...right, lease_expires_at: soon },
      end: '2026-11-20T13:00:00Z',
    },
    {
      when: 'with the year 9999 at the latest',
      policy: { ...policy, offline_ttl_seconds_max: Number.MAX_SAFE_INTEGER },
      end: '9999-12-31T23:59:59Z',
    },
  ];

  test.each(cases.map((one) => [one.when, one] as const))('a certificate ends %s', (_when, one) => {
    const { policy: terms = policy, right: of = right, ttl, end } = one;
    expect(certificateEndSeconds(terms, of, ttl, now)).toBe(toEpochSeconds(end));
  });
});
