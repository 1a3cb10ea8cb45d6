import { FeatureFlag, type FlagdCoreOptions } from '@openfeature/flagd-core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operations } from '../definition/operators.ts';
import type { JsonObject } from '../definition/problems.ts';
import { evaluateAll, prepareFlag, prepareFlags } from './flag-set.ts';
import { ruleContextOf } from './rule.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const options: FlagdCoreOptions = { disableDynamicCodeGeneration: true };
const nowMs = Date.UTC(2026, 4, 5, 6, 7, 8);
const variants = { on: true, off: false, true: true, false: false, '1': true, beta: true, '1.2.3': false, team: true };

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: nowMs }));
afterAll(() => void vi.useRealTimers());

/** The response that OFREP requires for flagd's own evaluation of a flag. */
function expectedOf(key: string, flag: FeatureFlag, context: JsonObject): object {
  const metadata = Object.keys(flag.metadata).length === 0 ? {} : { metadata: flag.metadata };
  const failure = (errorDetails: string) => ({ key, errorCode: 'GENERAL', errorDetails, ...metadata });
  if (flag.state === 'DISABLED') return { key, reason: 'DISABLED', ...metadata };
  let resolution: ReturnType<FeatureFlag['evaluate']>;
  try {
    resolution = flag.evaluate(context as never, silent);
  } catch {
    // flagd does not catch the failure of a result that cannot be converted to text.
    return failure(`Error evaluating targeting rule for flag '${key}'`);
  }
  const { reason, variant, value } = resolution;
  if ('errorCode' in resolution) return failure(String(resolution.errorMessage));
  return JSON.parse(JSON.stringify({ key, reason, variant, value, ...metadata }));
}

const texts = ['', 'on', 'off', 'beta', 'team', 'ada@example.com', '@example.com', 'a', 'é', '10', '-1', ' '];
const versions = ['1', '1.2', '1.2.3', 'v1.2.3', 'V2.0.0', '1.2.3-beta.1', '2.0.0.0', 'x1', '1.2.3+build'];
const names = [
  'plan',
  'version',
  'email',
  'roles',
  'list',
  'user.name',
  'user',
  'count',
  'absent',
  '',
  'roles.0',
  'user.name.first',
];
const special = ['targetingKey', '$flagd.flagKey', '$flagd.timestamp', '$flagd', '../plan', '../../plan', '../index'];
const inLoop = ['current', 'accumulator', 'name', '0', 'a\\.b'];

const text = fc.oneof(fc.constantFrom(...texts, ...versions), fc.string({ maxLength: 4 }));
const number = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, 1e300, 2_147_483_647, nowMs / 1000));
const plain = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const variable = fc.constantFrom(...names, ...special, ...inLoop);
const bucket = fc.tuple(fc.constantFrom('on', 'off', 'beta', 1, true, null), number).map((pair) => pair as unknown[]);

/** Rules of every operation, most with the arguments that it expects, some with any. */
const { rule } = fc.letrec<{ rule: JsonObject; value: unknown }>((tie) => {
  const value = tie('value');
  const listOf = (least: number, most: number) => fc.array(value, { minLength: least, maxLength: most });
  const usual = Object.entries(operations)
    .filter(([name]) => !['var', 'missing', 'missing_some', 'sem_ver', 'fractional'].includes(name))
    .map(([name, { least, most }]) => listOf(least, Math.min(most, least + 3)).map((args) => ({ [name]: args })));
  const condition = fc.constantFrom('==', '!=', '<', 'in', 'and', 'or', 'starts_with', 'ends_with', 'some', 'none');
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      plain,
      variable.map((name) => ({ var: name })),
      tie('rule'),
      fc.array(plain, { maxLength: 3 }),
      listOf(0, 3),
    ),
    rule: fc.oneof(
      ...usual,
      fc.tuple(condition, value, value).map(([name, ...args]) => ({ [name]: args })),
      fc.tuple(tie('rule'), text, text).map((args) => ({ if: args })),
      fc.tuple(variable, plain).map((args) => ({ var: args })),
      value.map((name) => ({ var: name })),
      fc.array(variable, { maxLength: 3 }).map((args) => ({ missing: args })),
      fc.tuple(number, fc.array(variable, { maxLength: 3 })).map((args) => ({ missing_some: args })),
      fc
        .tuple(value, fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '^', '~', 'x'), fc.constantFrom(...versions))
        .map((args) => ({ sem_ver: args })),
      fc.array(bucket, { minLength: 1, maxLength: 4 }).map((args) => ({ fractional: args })),
      fc.tuple(value, bucket, bucket).map((args) => ({ fractional: args })),
      listOf(0, 4).map((args) => ({ fractional: args })),
      listOf(0, 4).map((args) => ({ sem_ver: args })),
      fc.tuple(fc.constantFrom(...Object.keys(operations)), value).map(([name, arg]) => ({ [name]: arg })),
    ),
  };
});

/** Rules of the operations that are compiled to functions. Nearly all of them depend on the context. */
const { usual } = fc.letrec<{ usual: JsonObject; part: unknown }>((tie) => {
  const part = tie('part');
  const two = fc.tuple(part, part);
  const operation = (name: string, args: fc.Arbitrary<unknown>) => args.map((given) => ({ [name]: given }));
  const comparisons = ['==', '===', '!=', '!==', '<', '<=', '>', '>='].map((name) => operation(name, two));
  return {
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      variable.map((name) => ({ var: name })),
      plain,
      fc.tuple(variable, plain).map((args) => ({ var: args })),
      tie('usual'),
      fc.array(plain, { maxLength: 3 }),
    ),
    usual: fc.oneof(
      ...comparisons,
      operation('if', fc.array(part, { minLength: 2, maxLength: 6 })),
      operation('if', fc.tuple(tie('usual'), fc.constantFrom('on', 'off', true))),
      operation('and', fc.array(part, { minLength: 1, maxLength: 3 })),
      operation('or', fc.array(part, { minLength: 1, maxLength: 3 })),
      operation('!', fc.oneof(part, fc.tuple(part))),
      operation('!!', fc.oneof(part, fc.tuple(part))),
      operation('in', two),
      operation('cat', fc.array(part, { minLength: 2, maxLength: 3 })),
      operation('starts_with', two),
      operation('ends_with', two),
      operation(
        'sem_ver',
        fc.tuple(part, fc.constantFrom('=', '!=', '<', '>=', '^', '~'), fc.constantFrom(...versions)),
      ),
      operation('fractional', fc.array(bucket, { minLength: 1, maxLength: 4 })),
      operation(
        'fractional',
        fc.tuple(
          fc.tuple(part, part).map((args) => ({ cat: args })),
          bucket,
          bucket,
        ),
      ),
    ),
  };
});

const contexts = fc.array(
  fc
    .record(
      {
        targetingKey: fc.oneof(fc.uuid(), fc.constant('')),
        plan: text,
        version: fc.oneof(fc.constantFrom(...versions), plain),
        email: text,
        count: number,
        roles: fc.array(text, { maxLength: 3 }),
        list: fc.array(fc.oneof(plain, fc.record({ name: text })), { maxLength: 4 }),
        user: fc.oneof(plain, fc.record({ name: plain })),
        $flagd: plain,
        toString: plain,
        current: plain,
      },
      { requiredKeys: [] },
    )
    .map((fields) => ({ ...fields }) as JsonObject),
  { minLength: 1, maxLength: 4 },
);

const definitions = fc.record({
  state: fc.oneof({ weight: 9, arbitrary: fc.constant('ENABLED') }, { weight: 1, arbitrary: fc.constant('DISABLED') }),
  variants: fc.constant(variants),
  defaultVariant: fc.constantFrom('on', 'off', null, ''),
  metadata: fc.constantFrom({}, { team: 'a' }),
  targeting: fc.oneof(
    { weight: 10, arbitrary: rule },
    { weight: 10, arbitrary: usual },
    { weight: 1, arbitrary: fc.constant({}) },
  ),
});

test('every rule has the result that flagd-core has for the same context: value, variant, reason and error', () => {
  const reasons = new Map<unknown, number>();
  const property = fc.property(definitions, fc.constantFrom('a', 'new-checkout'), contexts, (definition, key, all) => {
    const reference = new FeatureFlag(key, structuredClone(definition) as never, silent, options);
    const flag = prepareFlag(key, structuredClone(definition));
    for (const context of all) {
      const result = JSON.parse(flag(ruleContextOf(context, nowMs / 1000)).json);
      expect(result).toEqual(expectedOf(key, reference, context));
      const kind = result.reason ?? result.errorDetails.split(' ')[0];
      reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
    }
  });
  fc.assert(property, { numRuns: 2000 });
  // A generator whose rules nearly all fail would prove little.
  expect([...reasons.keys()].sort()).toEqual(['DEFAULT', 'DISABLED', 'Error', 'STATIC', 'TARGETING_MATCH', 'Variant']);
  expect(reasons.get('TARGETING_MATCH')).toBeGreaterThan(500);
});

test('a flag of a set has the result that it has alone, whatever conditions its rule shares with others', () => {
  const segment = fc.oneof(rule, usual);
  const rules = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 2 }), fc.array(fc.nat(1), { minLength: 2, maxLength: 5 }))
    .chain(([segments, picks]) =>
      fc.tuple(
        ...picks.map((pick) => {
          const condition = segments[pick % segments.length] ?? {};
          return fc.constantFrom<JsonObject>(
            condition,
            { if: [condition, 'on'] },
            { if: [{ and: [{ var: 'plan' }, condition] }, 'beta', 'off'] },
            { '!': [condition] },
          );
        }),
      ),
    );
  const property = fc.property(rules, contexts, (targetings, all) => {
    const rows = targetings.map((targeting, index) => {
      const definition = { state: 'ENABLED', variants, defaultVariant: 'off', targeting };
      return { key: `flag-${index}`, definition_json: JSON.stringify(definition) };
    });
    const set = prepareFlags('1', rows);
    for (const context of all) {
      const alone = rows.map(({ key, definition_json }) =>
        JSON.parse(prepareFlag(key, JSON.parse(definition_json))(ruleContextOf(context, 1)).json),
      );
      expect(JSON.parse(evaluateAll(set, ruleContextOf(context, 1)).json).flags).toEqual(alone);
    }
  });
  fc.assert(property, { numRuns: 1000 });
});

test('equal marks mean equal responses, and the marks of equal responses of the same definitions are equal', () => {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
  const rules = [{ var: 'first' }, { var: 'second' }, { if: [{ var: 'third' }, 'on'] }];
  const rowsOf = (fields: object) =>
    rules.map((targeting, index) => {
      return { key: `flag-${index}`, definition_json: JSON.stringify({ ...flag, ...fields, targeting }) };
    });
  const sets = [{}, { defaultVariant: 'on' }, { metadata: { a: 1 } }].map((fields) =>
    prepareFlags('1', rowsOf(fields)),
  );
  const value = fc.constantFrom('on', 'off', 'absent', 'gone', '"', null, '{"flags":[');
  const contextOf = fc.record({ first: value, second: value, third: fc.boolean() });
  const evaluation = fc
    .tuple(fc.constantFrom(...sets), contextOf)
    .map(([set, context]) => ({ set, ...evaluateAll(set, ruleContextOf(context, 1)) }));
  const property = fc.property(evaluation, evaluation, (left, right) => {
    if (left.mark === right.mark) expect(left.json).toBe(right.json);
    else if (left.set === right.set) expect(left.json).not.toBe(right.json);
  });
  fc.assert(property, { numRuns: 1000 });
});
