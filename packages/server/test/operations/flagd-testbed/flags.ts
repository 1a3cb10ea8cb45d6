/** A flag definition of flagd. */
type Definition = Readonly<Record<string, unknown>>;
type Variants = Readonly<Record<string, unknown>>;

/** The context field that stands for the targeting key; see `flags`. */
const subject = { var: 'subject' };
const subjectOfFlag = { cat: [{ var: '$flagd.flagKey' }, subject] };
/** The test bed's shared evaluator. */
const isBallmer = { '==': ['ballmer@macrosoft.com', { var: ['email'] }] };

/** Variants whose values are their names. */
function named(...names: readonly string[]): Variants {
  return Object.fromEntries(names.map((name) => [name, name]));
}

function flag(variants: Variants, defaultVariant?: string | null, targeting?: object): Definition {
  return {
    state: 'ENABLED',
    variants,
    ...(defaultVariant !== undefined && { defaultVariant }),
    ...(targeting && { targeting }),
  };
}

const switched = { on: true, off: false };
const greetings = { greeting: 'hi', parting: 'bye' };
const integers = { one: 1, ten: 10 };
const floats = { tenth: 0.1, half: 0.5 };
const template = { showImages: true, title: 'Check out these pics!', imagesPerPage: 100 };
const objects = { empty: {}, template };

const plain = {
  'boolean-flag': flag(switched, 'on'),
  'string-flag': flag(greetings, 'greeting'),
  'integer-flag': flag(integers, 'ten'),
  'float-flag': flag(floats, 'half'),
  'object-flag': flag(objects, 'template'),
  'wrong-flag': flag({ one: 'uno', two: 'dos' }, 'one'),
  'metadata-flag': { ...flag(switched, 'on'), metadata: { string: '1.0.2', integer: 2, boolean: true, float: 0.1 } },
  'metadata-flag-of-providers': {
    ...flag({ true: true, false: false }, 'false', {}),
    metadata: { string: 'a', integer: 1, float: 1.2, boolean: true },
  },
};

const disabled = {
  'disabled-boolean-flag': { ...flag(switched, 'on'), state: 'DISABLED' },
  'disabled-string-flag': { ...flag(greetings, 'greeting'), state: 'DISABLED' },
  'disabled-integer-flag': { ...flag(integers, 'ten'), state: 'DISABLED' },
  'disabled-float-flag': { ...flag(floats, 'half'), state: 'DISABLED' },
  'disabled-object-flag': { ...flag(objects, 'template'), state: 'DISABLED' },
};

const positions = { normal: 'CFO', special: 'CEO' };
const isJobs = { '==': ['jobs@orange.com', { var: ['email'] }] };

const withoutDefault = {
  'null-default-flag': flag(switched, null),
  'undefined-default-flag': flag({ small: 10, big: 1000 }),
  'no-default-flag-null-targeting-variant': flag(positions, undefined, { if: [isJobs, 'special', null] }),
  'no-default-flag-undefined-targeting-variant': flag(positions, undefined, { if: [isJobs, 'special'] }),
};

const zeroIfBallmer = { if: [isBallmer, 'zero'] };

const zeroValues = {
  'boolean-zero-flag': flag({ zero: false, 'non-zero': true }, 'zero'),
  'string-zero-flag': flag({ zero: '', 'non-zero': 'str' }, 'zero'),
  'integer-zero-flag': flag({ zero: 0, 'non-zero': 1 }, 'zero'),
  'float-zero-flag': flag({ zero: 0.0, 'non-zero': 1.0 }, 'zero'),
  'object-zero-flag': flag({ zero: {}, 'non-zero': template }, 'zero'),
  'boolean-targeted-zero-flag': flag({ zero: false, 'non-zero': true }, 'zero', zeroIfBallmer),
  'string-targeted-zero-flag': flag({ zero: '', 'non-zero': 'str' }, 'zero', zeroIfBallmer),
  'integer-targeted-zero-flag': flag({ zero: 0, 'non-zero': 1 }, 'zero', zeroIfBallmer),
  'float-targeted-zero-flag': flag({ zero: 0.0, 'non-zero': 1.0 }, 'zero', zeroIfBallmer),
};

const byEmail = flag(named('hi', 'bye', 'fallback'), 'fallback', { if: [isBallmer, 'hi', 'bye'] });

const targeted = {
  'some-email-targeted-flag': flag(named('hi', 'bye', 'none'), 'none', { if: [isBallmer, 'hi', 'bye'] }),
  'some-other-email-targeted-flag': flag(named('yes', 'no', 'none'), 'none', { if: [isBallmer, 'yes', 'no'] }),
  'ref-whitespace-compact-flag': byEmail,
  'ref-whitespace-space-after-colon-flag': byEmail,
  'ref-whitespace-space-around-colon-flag': byEmail,
  'targeting-key-flag': flag(named('miss', 'hit'), 'miss', {
    if: [{ '==': [subject, '5c3d8535-f81a-4478-a6d3-afaa4d51199e'] }, 'hit', null],
  }),
  'timestamp-flag': flag({ past: -1, future: 1, none: 0 }, 'none', {
    if: [
      { '>': [{ var: '$flagd.timestamp' }, { var: 'time' }] },
      'past',
      { if: [{ '<': [{ var: '$flagd.timestamp' }, { var: 'time' }] }, 'future', 'none'] },
    ],
  }),
  'targeting-null-variant-flag': flag({ one: 1, two: 2 }, 'two', { if: [true, null, 'one'] }),
  'non-string-variant-targeting-flag': flag({ false: 1, true: 2 }, 'false', { if: [true, true, false] }),
  'empty-targeting-flag': flag({ false: 1, true: 2 }, 'false', {}),
};

/** Buckets of equal weight. */
function buckets(weight: number, ...names: readonly string[]): unknown[] {
  return names.map((name) => [name, weight]);
}

const suits = ['clubs', 'diamonds', 'hearts', 'spades'];
const cards = named(...suits, 'wild');
const aces = { ...Object.fromEntries(suits.map((suit) => [suit, `ace-of-${suit}`])), wild: 'wild' };
const isPremium = { '==': [{ var: 'tier' }, 'premium'] };
const sharedSeed = { cat: ['shared-seed', { var: 'user.name' }] };
const sizes = { big: 'hundreds', small: 'ones', fallback: 'zero' };
const counts = named('one', 'two', 'fallback');

const fractions = {
  'fractional-flag': flag(cards, 'wild', {
    fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'user.name' }] }, ...buckets(25, ...suits)],
  }),
  'fractional-flag-shorthand': flag(named('heads', 'tails', 'draw'), 'draw', {
    fractional: [subjectOfFlag, ['heads'], ['tails', 1]],
  }),
  'fractional-flag-A-shared-seed': flag(cards, 'wild', { fractional: [sharedSeed, ...buckets(25, ...suits)] }),
  'fractional-flag-B-shared-seed': flag(aces, 'wild', { fractional: [sharedSeed, ...buckets(25, ...suits)] }),
  'fractional-hash-edge-flag': flag(named('lower', 'upper'), 'lower', {
    fractional: [subject, ...buckets(50, 'lower', 'upper')],
  }),
  'fractional-nested-if-flag': flag(named('premium', 'standard', 'fallback'), 'fallback', {
    fractional: [subject, [{ if: [isPremium, 'premium', 'standard'] }, 50], ['standard', 50]],
  }),
  'fractional-nested-var-flag': flag(named('red', 'green', 'blue', 'fallback'), 'fallback', {
    fractional: [subject, [{ var: 'color' }, 50], ['blue', 50]],
  }),
  'fractional-nested-weight-flag': flag(named('red', 'blue', 'fallback'), 'fallback', {
    fractional: [subject, ['red', { if: [isPremium, 100, 0] }], ['blue', 10]],
  }),
  'fractional-as-condition-flag': flag(sizes, 'fallback', {
    if: [{ fractional: [subjectOfFlag, [false, 0], [true, 100]] }, 'big', 'small'],
  }),
  'fractional-as-condition-false-flag': flag(sizes, 'fallback', {
    if: [{ fractional: [subjectOfFlag, [false, 100], [true, 0]] }, 'big', 'small'],
  }),
  'fractional-single-entry-flag': flag(named('single', 'fallback'), 'fallback', {
    fractional: [subjectOfFlag, ['single', 1]],
  }),
  'fractional-null-bucket-key-flag': flag(counts, 'fallback', {
    fractional: [{ var: 'missing_key' }, ...buckets(50, 'one', 'two')],
  }),
  'fractional-zero-weights-flag': flag(counts, 'fallback', { fractional: [subject, ...buckets(0, 'one', 'two')] }),
  'fractional-negative-weight-flag': flag(counts, 'fallback', { fractional: [subject, ['one', -50], ['two', 100]] }),
};

const version = { var: 'version' };
const verdicts = named('true', 'false', 'fallback');
const matches = named('match', 'no-match');

/** A flag that matches if the context's version relates to another one. */
function matching(operator: string, other: string): Definition {
  return flag(matches, 'no-match', { if: [{ sem_ver: [version, operator, other] }, 'match', 'no-match'] });
}

const compared = {
  'starts-ends-flag': flag(named('prefix', 'postfix', 'none'), 'none', {
    if: [
      { starts_with: [{ var: 'id' }, 'abc'] },
      'prefix',
      { if: [{ ends_with: [{ var: 'id' }, 'xyz'] }, 'postfix', 'none'] },
    ],
  }),
  'starts-with-non-string-flag': flag(verdicts, 'fallback', { starts_with: [{ var: 'num' }, 'abc'] }),
  'ends-with-non-string-flag': flag(verdicts, 'fallback', { ends_with: [{ var: 'num' }, 'xyz'] }),
  'equal-greater-lesser-version-flag': flag(named('equal', 'greater', 'lesser', 'none'), 'none', {
    if: [
      { sem_ver: [version, '=', '2.0.0'] },
      'equal',
      {
        if: [
          { sem_ver: [version, '>', '2.0.0'] },
          'greater',
          { if: [{ sem_ver: [version, '<', '2.0.0'] }, 'lesser', 'none'] },
        ],
      },
    ],
  }),
  'major-minor-version-flag': flag(named('minor', 'major', 'none'), 'none', {
    if: [
      { sem_ver: [version, '~', '3.0.0'] },
      'minor',
      { if: [{ sem_ver: [version, '^', '3.0.0'] }, 'major', 'none'] },
    ],
  }),
  'semver-invalid-version-flag': flag(verdicts, 'fallback', { sem_ver: [version, '=', '1.0.0'] }),
  'semver-v-prefix-flag': matching('=', 'v1.0.0'),
  'semver-partial-version-flag': matching('^', '1'),
  'semver-build-metadata-flag': matching('=', '1.0.0+build'),
  'semver-numeric-context-flag': matching('>', '1.1'),
};

/**
 * The flags of flagd's test bed (github.com/open-feature/flagd-testbed, v3.9.0) that its scenarios evaluate, by key,
 * with two changes. The service sets the targeting key to the tenant's id, so the flags read `subject` instead; a
 * fraction without a seed, which stands for the flag's key and the targeting key, names both. A definition stands for
 * itself in the service, so the shared evaluator is written where the test bed refers to it, as flagd does when it
 * reads a file. The test bed has two flags `metadata-flag`.
 */
export const flags: Readonly<Record<string, Definition>> = {
  ...plain,
  ...disabled,
  ...withoutDefault,
  ...zeroValues,
  ...targeted,
  ...fractions,
  ...compared,
};

/**
 * The flags of the test bed whose definition itself has a mistake, with the path of the mistake. flagd warns about them
 * and falls back to a default (13 scenarios); the service refuses to store them.
 */
export const mistakenFlags: readonly (readonly [key: string, definition: Definition, field: string])[] = [
  ['semver-invalid-operator-flag', flag(verdicts, 'fallback', { sem_ver: [version, '===', '1.0.0'] }), 'sem_ver.1'],
  ['semver-wrong-args-flag', flag(verdicts, 'fallback', { sem_ver: [version, '='] }), 'sem_ver'],
  ['starts-with-wrong-args-flag', flag(verdicts, 'fallback', { starts_with: ['abc'] }), 'starts_with'],
  ['ends-with-wrong-args-flag', flag(verdicts, 'fallback', { ends_with: ['xyz'] }), 'ends_with'],
  [
    'ref-to-nonexistent-evaluator-flag',
    flag(named('hit', 'miss', 'fallback'), 'fallback', { if: [{ $ref: 'nonexistent_evaluator' }, 'hit', 'miss'] }),
    'if.0.$ref',
  ],
  ['error-targeting-flag', flag({ one: 1, two: 2 }, 'two', { invalid: ['this is not valid targeting'] }), 'invalid'],
  ['missing-variant-targeting-flag', flag({ one: 1, two: 2 }, 'two', { if: [true, 'three', 'one'] }), 'if.1'],
  ['targeting-null-flag', flag({ one: 1, two: 2 }, 'two', { fractional: [null, ['one']] }), 'fractional.0'],
];
