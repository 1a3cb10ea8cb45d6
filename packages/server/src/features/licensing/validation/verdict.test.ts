import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Counters } from '../entitlements/decision.ts';
import { judge, type VerdictQuestion, type VerdictSubject } from './verdict.ts';
import type { VerdictCode } from './verdict-catalog.ts';

const past = '2026-01-01T00:00:00.000000Z';
const yesterday = '2026-05-31T00:00:00.000000Z';
const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';

interface Case {
  subject: VerdictSubject | null;
  question: VerdictQuestion;
}

function used(usage: number): Counters {
  return new Map([['calls', { usage, resetsAt: null }]]);
}

const sound: Case & { subject: VerdictSubject } = {
  subject: {
    license: {
      status: 'active',
      created_at: past,
      starts_at: past,
      expires_at: future,
      maintenance_expires_at: future,
      max_activations: null,
    },
    policy: {
      expiry_strategy: 'deny',
      grace_days: 0,
      max_activations: 2,
      activation_overage_percent: 50,
      require_activation: 1,
    },
    product: { id: 'product-id', code: 'editor' },
    entitlements: {
      policy: [
        { code: 'export', type: 'boolean' },
        { code: 'calls', type: 'metered', limit: 10 },
      ],
      license: [],
    },
    counters: used(0),
    activation: { lease_expires_at: future },
    activeActivations: 1,
  },
  question: { product: 'editor', fingerprint: 'device', entitlements: ['export'], versionReleasedAt: past },
};

type Change = (subject: VerdictSubject, question: VerdictQuestion) => Partial<Case>;
const license = (change: Partial<VerdictSubject['license']>): Change => {
  return (subject) => ({ subject: { ...subject, license: { ...subject.license, ...change } } });
};
const policy = (change: Partial<VerdictSubject['policy']>): Change => {
  return (subject) => ({ subject: { ...subject, policy: { ...subject.policy, ...change } } });
};
const subjectOf = (change: Partial<VerdictSubject>): Change => {
  return (subject) => ({ subject: { ...subject, ...change } });
};
const asking = (change: Partial<VerdictQuestion>): Change => {
  return (_subject, question) => ({ question: { ...question, ...change } });
};
const both = (first: Change, second: Change, third: Change = () => ({})): Change => {
  return (subject, question) => {
    const state: Case = { subject, question };
    for (const change of [first, second, third]) Object.assign(state, change(state.subject ?? subject, state.question));
    return state;
  };
};

/** The change that causes each denial, in the order of precedence. */
const denials: readonly (readonly [VerdictCode, Change])[] = [
  ['LICENSE.NOT_FOUND', () => ({ subject: null })],
  ['LICENSE.REVOKED', license({ status: 'revoked' })],
  ['LICENSE.SUSPENDED', license({ status: 'suspended' })],
  ['LICENSE.NOT_STARTED', license({ starts_at: future })],
  ['LICENSE.EXPIRED', license({ expires_at: yesterday })],
  ['LICENSE.PRODUCT_MISMATCH', asking({ product: 'other' })],
  ['LICENSE.MAINTENANCE_EXPIRED', both(license({ maintenance_expires_at: past }), asking({ versionReleasedAt: now }))],
  ['ACTIVATION.FINGERPRINT_REQUIRED', asking({ fingerprint: undefined })],
  ['ACTIVATION.NOT_FOUND', subjectOf({ activation: null })],
  ['ACTIVATION.LEASE_EXPIRED', subjectOf({ activation: { lease_expires_at: now } })],
  ['ACTIVATION.LIMIT_EXCEEDED', subjectOf({ activeActivations: 4 })],
  ['ENTITLEMENT.NOT_GRANTED', asking({ entitlements: ['export', 'print'] })],
];

/** Applies these denials. Of two that exclude each other (revoked, suspended) the one with precedence applies. */
function withDenials(indexes: readonly number[]): Case {
  let state: Case & { subject: VerdictSubject } = sound;
  for (const index of [...indexes].sort((left, right) => right - left)) {
    const changed = { ...state, ...denials[index]?.[1](state.subject, state.question) };
    if (changed.subject === null) return changed;
    state = { ...changed, subject: changed.subject };
  }
  return state;
}

function judged({ subject, question }: Case) {
  const { valid, code } = judge(subject, question, now);
  return { valid, code };
}

describe('denials', () => {
  test.each(denials.map(([code], index) => [code, index] as const))(
    'the denial %s decides the verdict when it is the only one',
    (code, index) => {
      expect(judged(withDenials([index]))).toEqual({ valid: false, code });
    },
  );

  test.each(denials.slice(1).map(([code], index) => [denials[index]?.[0], code, index] as const))(
    'the denial %s takes precedence over the denial %s',
    (earlier, _later, index) => {
      expect(judged(withDenials([index, index + 1]))).toEqual({ valid: false, code: earlier });
    },
  );

  test('the denial with the highest precedence of any set of denials decides the verdict', () => {
    fc.assert(
      fc.property(fc.subarray([...denials.keys()], { minLength: 1 }), (indexes) => {
        expect(judged(withDenials(indexes))).toEqual({ valid: false, code: denials[Math.min(...indexes)]?.[0] });
      }),
    );
  });
});

test('a license that starts when it is created has started, even on a node whose clock is behind', () => {
  const change = license({ created_at: future, starts_at: future });
  expect(judged({ ...sound, ...change(sound.subject, sound.question) })).toEqual({
    valid: true,
    code: 'LICENSE.VALID',
  });
});

describe('valid verdicts', () => {
  const expired = license({ expires_at: yesterday });
  const grace = both(expired, policy({ grace_days: 2 }));
  const crowded = subjectOf({ activeActivations: 3 });
  test.each<[string, Change, VerdictCode]>([
    ['a usable license', subjectOf({}), 'LICENSE.VALID'],
    [
      'an expired license under the strategy allow',
      both(expired, policy({ expiry_strategy: 'allow' })),
      'LICENSE.EXPIRED',
    ],
    [
      'an expired license under the strategy allow with grace days',
      both(grace, policy({ expiry_strategy: 'allow' })),
      'LICENSE.EXPIRED',
    ],
    [
      'an expired license under the strategy allow that uses its overage',
      both(expired, crowded, policy({ expiry_strategy: 'allow' })),
      'LICENSE.EXPIRED',
    ],
    ['a license in its grace period', grace, 'LICENSE.IN_GRACE'],
    ['a license in its grace period that uses its overage', both(grace, crowded), 'LICENSE.IN_GRACE'],
    ['a license that uses its overage', crowded, 'ACTIVATION.LIMIT_EXCEEDED'],
    [
      'a license above its limit with unlimited overage',
      both(subjectOf({ activeActivations: 99 }), policy({ activation_overage_percent: null })),
      'ACTIVATION.LIMIT_EXCEEDED',
    ],
    [
      'a license without an activation limit',
      both(subjectOf({ activeActivations: 99 }), policy({ max_activations: null })),
      'LICENSE.VALID',
    ],
    [
      'a license whose own limit is higher than its policy allows',
      both(crowded, license({ max_activations: 3 })),
      'LICENSE.VALID',
    ],
    ['a request with the id of the product', asking({ product: 'product-id' }), 'LICENSE.VALID'],
    ['a perpetual license', license({ expires_at: null, maintenance_expires_at: null }), 'LICENSE.VALID'],
    [
      'a requested entitlement at its limit',
      both(asking({ entitlements: ['export', 'calls'] }), subjectOf({ counters: used(10) })),
      'LICENSE.VALID',
    ],
    ['a version released exactly when maintenance ends', asking({ versionReleasedAt: future }), 'LICENSE.VALID'],
    [
      'a request without conditions when no activation is required',
      both(
        asking({ product: undefined, fingerprint: undefined, entitlements: undefined, versionReleasedAt: undefined }),
        policy({ require_activation: 0 }),
      ),
      'LICENSE.VALID',
    ],
  ])('the verdict is valid for %s', (_name, change, code) => {
    expect(judged({ ...sound, ...change(sound.subject, sound.question) })).toEqual({ valid: true, code });
  });

  test.each([
    [0, false],
    [1, true],
  ])('with %i grace days, a verdict exactly at expires_at is valid: %s', (grace_days, valid) => {
    const subject = { ...sound.subject, license: { ...sound.subject.license, expires_at: now } };
    expect(judge({ ...subject, policy: { ...subject.policy, grace_days } }, sound.question, now).valid).toBe(valid);
    expect(
      judge({ ...subject, policy: { ...subject.policy, grace_days: 1 } }, sound.question, '2026-06-02T00:00:00.000000Z')
        .valid,
    ).toBe(false);
  });
});

const moments = fc.constantFrom(past, yesterday, now, future);
const entitlementLists = fc.array(
  fc.record({
    code: fc.constantFrom('export', 'print'),
    type: fc.constantFrom('boolean', 'metered'),
    limit: fc.option(fc.nat(2)),
    overage: fc.constantFrom('deny', 'allow'),
    expires_at: fc.option(moments),
    value: fc.constantFrom(null, true, false),
  }),
  { maxLength: 3 },
);
const subjects: fc.Arbitrary<VerdictSubject> = fc.record({
  license: fc.record({
    status: fc.constantFrom('active', 'active', 'suspended', 'revoked'),
    created_at: fc.constant(past),
    starts_at: moments,
    expires_at: fc.option(moments),
    maintenance_expires_at: fc.option(moments),
    max_activations: fc.option(fc.nat(3)),
  }),
  policy: fc.record({
    expiry_strategy: fc.constantFrom('deny', 'allow'),
    grace_days: fc.nat(2),
    max_activations: fc.option(fc.nat(3)),
    activation_overage_percent: fc.option(fc.constantFrom(0, 50)),
    require_activation: fc.constantFrom(0, 1),
  }),
  product: fc.constant({ id: 'product-id', code: 'editor' }),
  entitlements: fc.record({ policy: entitlementLists, license: entitlementLists }),
  counters: fc
    .record({ export: fc.nat(3), print: fc.nat(3) })
    .map((usages) => new Map(Object.entries(usages).map(([code, usage]) => [code, { usage, resetsAt: null }]))),
  activation: fc.option(fc.record({ lease_expires_at: fc.option(moments) })),
  activeActivations: fc.nat(5),
});
const questions: fc.Arbitrary<VerdictQuestion> = fc.record({
  product: fc.option(fc.constantFrom('editor', 'other'), { nil: undefined }),
  fingerprint: fc.option(fc.constant('device'), { nil: undefined }),
  entitlements: fc.option(fc.subarray(['export', 'print']), { nil: undefined }),
  versionReleasedAt: fc.option(moments, { nil: undefined }),
});

describe('for any license and question', () => {
  test('conditions that are neither requested nor required never change the verdict', () => {
    fc.assert(
      fc.property(subjects, questions, subjects, (subject, question, other) => {
        const unasked = { ...question, entitlements: undefined, versionReleasedAt: undefined };
        const relaxed = { ...subject, policy: { ...subject.policy, require_activation: 0 as const } };
        const changed = {
          ...relaxed,
          activation: other.activation,
          entitlements: other.entitlements,
          counters: other.counters,
          license: { ...relaxed.license, maintenance_expires_at: other.license.maintenance_expires_at },
        };
        expect(judge(changed, unasked, now).code).toBe(judge(relaxed, unasked, now).code);
      }),
    );
  });

  test('removing rights never makes a denied verdict valid', () => {
    const removals: readonly ((subject: VerdictSubject) => VerdictSubject)[] = [
      (subject) => ({ ...subject, license: { ...subject.license, status: 'revoked' } }),
      (subject) => ({ ...subject, license: { ...subject.license, starts_at: future } }),
      (subject) => ({ ...subject, license: { ...subject.license, expires_at: past } }),
      (subject) => ({ ...subject, license: { ...subject.license, maintenance_expires_at: past } }),
      (subject) => ({ ...subject, license: { ...subject.license, max_activations: 0 } }),
      (subject) => ({ ...subject, policy: { ...subject.policy, grace_days: 0 } }),
      (subject) => ({ ...subject, policy: { ...subject.policy, expiry_strategy: 'deny' } }),
      (subject) => ({ ...subject, policy: { ...subject.policy, activation_overage_percent: 0 } }),
      (subject) => ({ ...subject, policy: { ...subject.policy, require_activation: 1 } }),
      (subject) => ({ ...subject, activation: null }),
      (subject) => ({ ...subject, entitlements: { policy: [], license: subject.entitlements.license } }),
      (subject) => ({ ...subject, entitlements: { policy: [], license: [] } }),
    ];
    fc.assert(
      fc.property(subjects, questions, fc.constantFrom(...removals), (subject, question, remove) => {
        fc.pre(!judge(subject, question, now).valid);
        expect(judge(remove(subject), question, now).valid).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('usage counters never change the verdict', () => {
    fc.assert(
      fc.property(subjects, questions, subjects, (subject, question, { counters }) => {
        const { valid, code } = judge({ ...subject, counters }, question, now);
        expect({ valid, code }).toEqual(judged({ subject, question }));
      }),
    );
  });

  test('a denied license gives access to no entitlement, a valid one to every requested one below its limit', () => {
    fc.assert(
      fc.property(subjects, questions, (subject, question) => {
        const { valid, code, entitlements } = judge(subject, question, now);
        const limited = entitlements.filter((check) => check.reason === 'ENTITLEMENT.LIMIT_REACHED');
        for (const { usage, limit, remaining, overage } of limited) {
          expect([usage !== null && limit !== null && usage >= limit, remaining, overage]).toEqual([true, 0, 'deny']);
        }
        if (valid) expect(entitlements.every((check) => check.has_access || limited.includes(check))).toBe(true);
        else if (code !== 'ENTITLEMENT.NOT_GRANTED') expect(entitlements.some((check) => check.has_access)).toBe(false);
        if (question.entitlements !== undefined) {
          expect(entitlements.map((check) => check.code)).toEqual(question.entitlements);
        }
      }),
    );
  });
});
