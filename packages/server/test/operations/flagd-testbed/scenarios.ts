import type { EvaluationContext, JsonValue } from '@openfeature/server-sdk';

/** One evaluation that flagd's test bed expects. */
export interface Scenario {
  /** The default value in the calling code. Its type is the type of the evaluation. */
  readonly inCode: JsonValue;
  readonly context?: EvaluationContext;
  readonly value?: unknown;
  /** The result is the default value in the calling code, without an error. */
  readonly codeDefault?: true;
  readonly reason?: 'STATIC' | 'DEFAULT' | 'DISABLED' | 'TARGETING_MATCH';
  readonly errorCode?: 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH';
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * The distinct evaluations of the 240 scenarios of flagd's test bed that apply to OFREP, by the key of their flag. The
 * context field `subject` stands for the targeting key: see `flags`.
 */
export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  'disabled-boolean-flag': [{ inCode: false, codeDefault: true, reason: 'DISABLED' }],
  'disabled-string-flag': [{ inCode: 'bye', codeDefault: true, reason: 'DISABLED' }],
  'disabled-integer-flag': [{ inCode: 1, codeDefault: true, reason: 'DISABLED' }],
  'disabled-float-flag': [{ inCode: 0.1, codeDefault: true, reason: 'DISABLED' }],
  'disabled-object-flag': [{ inCode: {}, codeDefault: true, reason: 'DISABLED' }],
  'missing-flag': [{ inCode: 'uh-oh', value: 'uh-oh', errorCode: 'FLAG_NOT_FOUND' }],
  'wrong-flag': [{ inCode: 13, value: 13, errorCode: 'TYPE_MISMATCH' }],
  'boolean-flag': [
    { inCode: false, value: true },
    { inCode: true, metadata: {} },
  ],
  'string-flag': [
    { inCode: 'bye', value: 'hi' },
    { inCode: 'value', metadata: {} },
  ],
  'integer-flag': [
    { inCode: 1, value: 10 },
    { inCode: 23, metadata: {} },
  ],
  'float-flag': [
    { inCode: 0.1, value: 0.5 },
    { inCode: 2.3, metadata: {} },
  ],
  'object-flag': [{ inCode: {}, value: { imagesPerPage: 100, showImages: true, title: 'Check out these pics!' } }],
  'some-email-targeted-flag': [{ inCode: 'fallback', context: { email: 'ballmer@macrosoft.com' }, value: 'hi' }],
  'some-other-email-targeted-flag': [{ inCode: 'fallback', context: { email: 'ballmer@macrosoft.com' }, value: 'yes' }],
  'ref-whitespace-compact-flag': [
    { inCode: 'fallback', context: { email: 'ballmer@macrosoft.com' }, value: 'hi', reason: 'TARGETING_MATCH' },
    { inCode: 'fallback', context: { email: 'user@example.com' }, value: 'bye', reason: 'TARGETING_MATCH' },
  ],
  'ref-whitespace-space-after-colon-flag': [
    { inCode: 'fallback', context: { email: 'ballmer@macrosoft.com' }, value: 'hi', reason: 'TARGETING_MATCH' },
    { inCode: 'fallback', context: { email: 'user@example.com' }, value: 'bye', reason: 'TARGETING_MATCH' },
  ],
  'ref-whitespace-space-around-colon-flag': [
    { inCode: 'fallback', context: { email: 'ballmer@macrosoft.com' }, value: 'hi', reason: 'TARGETING_MATCH' },
    { inCode: 'fallback', context: { email: 'user@example.com' }, value: 'bye', reason: 'TARGETING_MATCH' },
  ],
  'fractional-flag': [
    { inCode: 'fallback', context: { user: { name: 'jack' } }, value: 'hearts' },
    { inCode: 'fallback', context: { user: { name: 'queen' } }, value: 'spades' },
    { inCode: 'fallback', context: { user: { name: 'ten' } }, value: 'clubs' },
    { inCode: 'fallback', context: { user: { name: 'nine' } }, value: 'diamonds' },
    { inCode: 'fallback', context: { user: { name: '3' } }, value: 'clubs' },
  ],
  'fractional-flag-shorthand': [
    { inCode: 'fallback', context: { subject: 'jon@company.com' }, value: 'heads' },
    { inCode: 'fallback', context: { subject: 'jane@company.com' }, value: 'tails' },
  ],
  'fractional-flag-A-shared-seed': [
    { inCode: 'fallback', context: { user: { name: 'seven' } }, value: 'hearts' },
    { inCode: 'fallback', context: { user: { name: 'eight' } }, value: 'diamonds' },
    { inCode: 'fallback', context: { user: { name: 'nine' } }, value: 'clubs' },
    { inCode: 'fallback', context: { user: { name: 'two' } }, value: 'spades' },
  ],
  'fractional-single-entry-flag': [{ inCode: 'fallback', context: { subject: 'some-targeting-key' }, value: 'single' }],
  'fractional-flag-B-shared-seed': [
    { inCode: 'fallback', context: { user: { name: 'seven' } }, value: 'ace-of-hearts' },
    { inCode: 'fallback', context: { user: { name: 'eight' } }, value: 'ace-of-diamonds' },
    { inCode: 'fallback', context: { user: { name: 'nine' } }, value: 'ace-of-clubs' },
    { inCode: 'fallback', context: { user: { name: 'two' } }, value: 'ace-of-spades' },
  ],
  'fractional-hash-edge-flag': [
    { inCode: 'fallback', context: { subject: 'ejOoVL' }, value: 'lower' },
    { inCode: 'fallback', context: { subject: 'bY9fO-' }, value: 'lower' },
    { inCode: 'fallback', context: { subject: 'SI7p-' }, value: 'lower' },
    { inCode: 'fallback', context: { subject: '6LvT0' }, value: 'upper' },
    { inCode: 'fallback', context: { subject: 'ceQdGm' }, value: 'upper' },
  ],
  'fractional-nested-if-flag': [
    { inCode: 'fallback', context: { subject: 'jon@company.com', tier: 'premium' }, value: 'premium' },
    { inCode: 'fallback', context: { subject: 'jon@company.com', tier: 'basic' }, value: 'standard' },
    { inCode: 'fallback', context: { subject: 'user1', tier: 'premium' }, value: 'standard' },
    { inCode: 'fallback', context: { subject: 'user1', tier: 'basic' }, value: 'standard' },
  ],
  'fractional-nested-var-flag': [
    { inCode: 'fallback', context: { color: 'red', subject: 'jon@company.com' }, value: 'red' },
    { inCode: 'fallback', context: { color: 'green', subject: 'jon@company.com' }, value: 'green' },
    { inCode: 'fallback', context: { color: 'red', subject: 'user1' }, value: 'blue' },
    { inCode: 'fallback', context: { color: 'yellow', subject: 'jon@company.com' }, value: 'fallback' },
    { inCode: 'fallback', context: { color: '', subject: 'jon@company.com' }, value: 'fallback' },
  ],
  'fractional-nested-weight-flag': [
    { inCode: 'fallback', context: { subject: 'jon@company.com', tier: 'premium' }, value: 'red' },
    { inCode: 'fallback', context: { subject: 'jon@company.com', tier: 'basic' }, value: 'blue' },
    { inCode: 'fallback', context: { subject: 'user1', tier: 'premium' }, value: 'red' },
    { inCode: 'fallback', context: { subject: 'user1', tier: 'basic' }, value: 'blue' },
  ],
  'fractional-as-condition-flag': [{ inCode: 'zero', context: { subject: 'some-targeting-key' }, value: 'hundreds' }],
  'fractional-as-condition-false-flag': [{ inCode: 'zero', context: { subject: 'some-targeting-key' }, value: 'ones' }],
  'fractional-null-bucket-key-flag': [{ inCode: 'wrong', value: 'fallback', reason: 'DEFAULT' }],
  'fractional-zero-weights-flag': [
    { inCode: 'wrong', context: { subject: 'any-user' }, value: 'fallback', reason: 'DEFAULT' },
  ],
  'fractional-negative-weight-flag': [{ inCode: 'wrong', context: { subject: 'any-user' }, value: 'two' }],
  'metadata-flag': [{ inCode: false, metadata: { boolean: true, float: 0.1, integer: 2, string: '1.0.2' } }],
  'null-default-flag': [
    { inCode: true, context: { email: '' }, codeDefault: true, reason: 'DEFAULT' },
    { inCode: false, context: { email: '' }, codeDefault: true, reason: 'DEFAULT' },
  ],
  'undefined-default-flag': [{ inCode: 100, context: { email: '' }, codeDefault: true, reason: 'DEFAULT' }],
  'no-default-flag-null-targeting-variant': [
    { inCode: 'Inventor', context: { email: 'wozniak@orange.com' }, codeDefault: true, reason: 'DEFAULT' },
    { inCode: 'CEO', context: { email: 'jobs@orange.com' }, value: 'CEO', reason: 'TARGETING_MATCH' },
    { inCode: 'Founder', context: { email: 'wozniak@orange.com' }, codeDefault: true, reason: 'DEFAULT' },
  ],
  'no-default-flag-undefined-targeting-variant': [
    { inCode: 'Retired', context: { email: 'wozniak@orange.com' }, codeDefault: true, reason: 'DEFAULT' },
  ],
  'equal-greater-lesser-version-flag': [
    { inCode: 'fallback', context: { version: '2.0.0' }, value: 'equal' },
    { inCode: 'fallback', context: { version: '2.1.0' }, value: 'greater' },
    { inCode: 'fallback', context: { version: '1.9.0' }, value: 'lesser' },
    { inCode: 'fallback', context: { version: '2.0.0-alpha' }, value: 'lesser' },
    { inCode: 'fallback', context: { version: '2.0.0.0' }, value: 'none' },
  ],
  'major-minor-version-flag': [
    { inCode: 'fallback', context: { version: '3.0.1' }, value: 'minor' },
    { inCode: 'fallback', context: { version: '3.1.0' }, value: 'major' },
    { inCode: 'fallback', context: { version: '4.0.0' }, value: 'none' },
  ],
  'semver-invalid-version-flag': [
    { inCode: 'wrong', context: { version: 'not-a-version' }, value: 'fallback', reason: 'DEFAULT' },
  ],
  'semver-v-prefix-flag': [
    { inCode: 'fallback', context: { version: '1.0.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: 'v1.0.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: 'V1.0.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: '2.0.0' }, value: 'no-match' },
  ],
  'semver-partial-version-flag': [
    { inCode: 'fallback', context: { version: '1.5.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: '1.0.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: '1.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: '1' }, value: 'match' },
    { inCode: 'fallback', context: { version: 1 }, value: 'match' },
    { inCode: 'fallback', context: { version: 1.2 }, value: 'match' },
    { inCode: 'fallback', context: { version: '2.0.0' }, value: 'no-match' },
  ],
  'semver-numeric-context-flag': [
    { inCode: 'fallback', context: { version: 1.2 }, value: 'match' },
    { inCode: 'fallback', context: { version: 1.1 }, value: 'no-match' },
    { inCode: 'fallback', context: { version: 2 }, value: 'match' },
    { inCode: 'fallback', context: { version: 1 }, value: 'no-match' },
    { inCode: 'fallback', context: { version: '1.2' }, value: 'match' },
  ],
  'semver-build-metadata-flag': [
    { inCode: 'fallback', context: { version: '1.0.0' }, value: 'match' },
    { inCode: 'fallback', context: { version: '1.0.0+other' }, value: 'match' },
    { inCode: 'fallback', context: { version: '2.0.0' }, value: 'no-match' },
  ],
  'starts-ends-flag': [
    { inCode: 'fallback', context: { id: 'abcdef' }, value: 'prefix' },
    { inCode: 'fallback', context: { id: 'uvwxyz' }, value: 'postfix' },
    { inCode: 'fallback', context: { id: 'abcxyz' }, value: 'prefix' },
    { inCode: 'fallback', context: { id: 'lmnopq' }, value: 'none' },
    { inCode: 'fallback', context: { id: '3' }, value: 'none' },
  ],
  'starts-with-non-string-flag': [{ inCode: 'wrong', context: { num: 123 }, value: 'fallback', reason: 'DEFAULT' }],
  'ends-with-non-string-flag': [{ inCode: 'wrong', context: { num: 123 }, value: 'fallback', reason: 'DEFAULT' }],
  'targeting-key-flag': [
    {
      inCode: 'fallback',
      context: { subject: '5c3d8535-f81a-4478-a6d3-afaa4d51199e' },
      value: 'hit',
      reason: 'TARGETING_MATCH',
    },
    {
      inCode: 'fallback',
      context: { subject: 'f20bd32d-703b-48b6-bc8e-79d53c85134a' },
      value: 'miss',
      reason: 'DEFAULT',
    },
  ],
  'boolean-zero-flag': [{ inCode: true, value: false, reason: 'STATIC' }],
  'string-zero-flag': [{ inCode: 'hi', value: '', reason: 'STATIC' }],
  'integer-zero-flag': [{ inCode: 1, value: 0, reason: 'STATIC' }],
  'float-zero-flag': [{ inCode: 0.1, value: 0, reason: 'STATIC' }],
  'object-zero-flag': [{ inCode: { a: 1 }, value: {}, reason: 'STATIC' }],
  'boolean-targeted-zero-flag': [
    { inCode: true, context: { email: 'ballmer@macrosoft.com' }, value: false, reason: 'TARGETING_MATCH' },
    { inCode: true, context: { email: 'ballmer@none.com' }, value: false, reason: 'DEFAULT' },
  ],
  'string-targeted-zero-flag': [
    { inCode: 'hi', context: { email: 'ballmer@macrosoft.com' }, value: '', reason: 'TARGETING_MATCH' },
    { inCode: 'hi', context: { email: 'ballmer@none.com' }, value: '', reason: 'DEFAULT' },
  ],
  'integer-targeted-zero-flag': [
    { inCode: 1, context: { email: 'ballmer@macrosoft.com' }, value: 0, reason: 'TARGETING_MATCH' },
    { inCode: 1, context: { email: 'ballmer@none.com' }, value: 0, reason: 'DEFAULT' },
  ],
  'float-targeted-zero-flag': [
    { inCode: 0.1, context: { email: 'ballmer@macrosoft.com' }, value: 0, reason: 'TARGETING_MATCH' },
    { inCode: 0.1, context: { email: 'ballmer@none.com' }, value: 0, reason: 'DEFAULT' },
  ],
  'metadata-flag-of-providers': [{ inCode: true, metadata: { boolean: true, float: 1.2, integer: 1, string: 'a' } }],
  'timestamp-flag': [
    { inCode: 0, context: { time: 1 }, value: -1 },
    { inCode: 0, context: { time: 4133980802 }, value: 1 },
  ],
  'targeting-null-variant-flag': [{ inCode: 3, value: 2 }],
  'non-string-variant-targeting-flag': [{ inCode: 3, value: 2 }],
  'empty-targeting-flag': [{ inCode: 3, value: 1 }],
};
