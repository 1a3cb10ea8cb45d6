import { describe, expect, test } from 'vitest';
import { type JudgedRelease, type ReleaseSubject, releaseDenial, visibleChannels } from './permission.ts';

const now = '2026-06-01T00:00:00.000000Z';
const before = '2026-05-01T00:00:00.000000Z';
const after = '2026-07-01T00:00:00.000000Z';

const license: ReleaseSubject['license'] = {
  product_id: 'editor',
  status: 'active',
  created_at: before,
  starts_at: before,
  expires_at: after,
  maintenance_expires_at: null,
};
const release: JudgedRelease = {
  product_id: 'editor',
  status: 'published',
  released_at: before,
  minimum_entitlements_json: '[]',
};

interface Changed {
  readonly license?: Partial<ReleaseSubject['license']>;
  readonly policy?: Partial<ReleaseSubject['policy']>;
  readonly release?: Partial<JudgedRelease>;
}

function denialOf(changed: Changed) {
  const grants = [
    { code: 'pro', type: 'boolean' as const },
    { code: 'off', type: 'boolean' as const, value: false },
  ];
  const ended = [{ code: 'ended', type: 'boolean' as const, expires_at: before }];
  const subject = {
    license: { ...license, ...changed.license },
    policy: { expiry_strategy: 'deny' as const, grace_days: 0, ...changed.policy },
    entitlements: { policy: grants, license: ended },
  };
  return releaseDenial(subject, { ...release, ...changed.release }, now);
}

const needs = (...codes: string[]) => ({ release: { minimum_entitlements_json: JSON.stringify(codes) } });
const expired = { license: { expires_at: before } };

describe('which releases a license permits', () => {
  test.for<[string, Changed, string | null]>([
    ['a usable license without maintenance', {}, null],
    ['a draft', { release: { status: 'draft', released_at: null } }, 'RELEASE.NOT_FOUND'],
    ['a withdrawn release', { release: { status: 'yanked' } }, 'RELEASE.NOT_FOUND'],
    ['a revoked license', { license: { status: 'revoked' } }, 'LICENSE.REVOKED'],
    ['a suspended license', { license: { status: 'suspended' } }, 'LICENSE.SUSPENDED'],
    ['a license that starts later', { license: { starts_at: after } }, 'LICENSE.NOT_STARTED'],
    ['an expired license', expired, 'LICENSE.EXPIRED'],
    ['an expired license in its grace', { ...expired, policy: { grace_days: 60 } }, null],
    ['an expired license that runs on', { ...expired, policy: { expiry_strategy: 'allow' } }, null],
    ['a license of another product', { license: { product_id: 'other' } }, 'LICENSE.PRODUCT_MISMATCH'],
    ['a release of the last moment', { license: { maintenance_expires_at: before } }, null],
    [
      'a release after the maintenance',
      { license: { maintenance_expires_at: before }, release: { released_at: now } },
      'LICENSE.MAINTENANCE_EXPIRED',
    ],
    ['an entitlement that is granted', needs('pro'), null],
    ['an entitlement of two that is missing', needs('pro', 'team'), 'ENTITLEMENT.NOT_GRANTED'],
    ['an entitlement that is withheld', needs('off'), 'ENTITLEMENT.NOT_GRANTED'],
    ['an entitlement that has expired', needs('ended'), 'ENTITLEMENT.NOT_GRANTED'],
  ])('%s', ([_name, changed, code]) => {
    expect(denialOf(changed)).toBe(code);
  });

  test.for([
    ['stable', 'stable'],
    ['beta', 'beta stable'],
    ['alpha', 'alpha beta stable'],
    ['nightly', 'nightly stable'],
  ])('the channel %s sees %s', ([channel = '', seen]) => {
    expect(visibleChannels(channel).join(' ')).toBe(seen);
  });
});
