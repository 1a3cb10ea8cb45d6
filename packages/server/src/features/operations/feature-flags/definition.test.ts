import { describe, expect, test } from 'vitest';
import { definitionProblems } from './definition.ts';

const boolean = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
const pathsOf = (definition: Record<string, unknown>) => definitionProblems(definition).map(({ field }) => field);
const withTargeting = (targeting: unknown, variants: object = boolean.variants) =>
  pathsOf({ ...boolean, variants, targeting, ...('off' in variants ? {} : { defaultVariant: null }) });

const nested = (levels: number): unknown => (levels === 0 ? { var: 'a' } : { '!': [nested(levels - 1)] });
const equals = { '==': [{ var: 'plan' }, 'pro'] };
const names = { clubs: 'a', diamonds: 'b', true: 'c', 1: 'd' };

describe('the shape of a definition', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['no fields', {}, ['definition.state', 'definition.variants']],
    ['another state', { ...boolean, state: 'ON' }, ['definition.state']],
    ['a state in lower case', { ...boolean, state: 'enabled' }, ['definition.state']],
    ['no variants', { ...boolean, variants: {} }, ['definition.variants', 'definition.defaultVariant']],
    ['variants in a list', { ...boolean, variants: [true] }, ['definition.variants', 'definition.defaultVariant']],
    ['variants of two types', { ...boolean, variants: { on: true, off: 'no' } }, ['definition.variants.off']],
    ['a variant that is null', { ...boolean, variants: { on: true, off: null } }, ['definition.variants.off']],
    ['variants that are lists', { ...boolean, variants: { off: [1] } }, ['definition.variants.off']],
    ['a variant without a name', { ...boolean, variants: { off: true, '': true } }, ['definition.variants.']],
    ['a default that is not a variant', { ...boolean, defaultVariant: 'maybe' }, ['definition.defaultVariant']],
    ['an inherited property as default', { ...boolean, defaultVariant: 'toString' }, ['definition.defaultVariant']],
    ['a number as default', { ...boolean, defaultVariant: 1 }, ['definition.defaultVariant']],
    ['metadata in metadata', { ...boolean, metadata: { team: { name: 'a' } } }, ['definition.metadata.team']],
    ['a field that flagd does not know', { ...boolean, enabled: true }, ['definition.enabled']],
    ['more than 32 KiB', { ...boolean, variants: { off: 'x'.repeat(40_000) } }, ['definition']],
  ])('a definition with %s is refused, with the path', (_title, definition, paths) => {
    expect(pathsOf(definition)).toEqual(paths);
  });

  test.each<[string, Record<string, unknown>]>([
    ['string variants', { ...boolean, variants: { off: 'no', on: 'yes' } }],
    ['number variants', { ...boolean, variants: { off: 0, on: 1.5 } }],
    ['object variants', { ...boolean, variants: { off: {}, on: { color: 'red', sizes: [1, 2] } } }],
    ['null as default', { ...boolean, defaultVariant: null }],
    ['no default', { state: 'ENABLED', variants: { on: true } }],
    ['an empty default', { ...boolean, defaultVariant: '' }],
    ['the state DISABLED', { ...boolean, state: 'DISABLED' }],
    ['empty targeting', { ...boolean, targeting: {} }],
    ['metadata', { ...boolean, metadata: { team: 'a', weight: 1, beta: true } }],
  ])('a definition with %s is accepted', (_title, definition) => {
    expect(definitionProblems(definition)).toEqual([]);
  });
});

const at = (path: string) => [`definition.targeting${path}`];

describe('targeting', () => {
  test.each<[string, unknown, string[]]>([
    ['a string instead of a rule', 'on', at('')],
    ['null instead of a rule', null, at('')],
    ['an unknown operation', { if: [{ equals: [1, 1] }, 'on'] }, at('.if.0.equals')],
    ['an inherited property as operation', { toString: [] }, at('.toString')],
    ['two operations at once', { '==': [1, 1], '!=': [1, 1] }, at('')],
    ['an object without an operation', { if: [{}, 'on'] }, at('.if.0')],
    ['a reference', { $ref: 'rule' }, at('.$ref')],
    ['a nested reference', { if: [{ $ref: 'rule' }, 'on', 'off'] }, at('.if.0.$ref')],
    ['too few arguments', { if: [{ '==': [1] }, 'on'] }, at('.if.0.==')],
    ['too many arguments', { if: [{ '>': [1, 2, 3] }, 'on'] }, at('.if.0.>')],
    ['no list of arguments', { if: 'on' }, at('.if')],
    ['too many levels', { if: [nested(13), 'on'] }, at(`.if.0${'.!.0'.repeat(11)}.!`)],
    ['an unknown variant as result', { if: [equals, 'gold', 'off'] }, at('.if.1')],
    ['an unknown variant as last result', { if: [equals, 'on', equals, 'off', 'no'] }, at('.if.4')],
    ['an unknown variant as default', { var: ['variant', 'gold'] }, at('.var.1')],
    ['boolean results that are not variants', equals, [...at('.=='), ...at('.==')]],
    ['a false result of and that is not a variant', { and: [equals, 'on'] }, at('.and.0.==')],
    ['an unknown variable of flagd', { if: [{ var: '$flagd.secret' }, 'on'] }, at('.if.0.var')],
    ['a version of four numbers', { if: [{ sem_ver: ['1.2.3.4', '=', { var: 'v' }] }, 'on'] }, at('.if.0.sem_ver.0')],
    ['an unknown version operator', { if: [{ sem_ver: [{ var: 'v' }, '*', '1.0.0'] }, 'on'] }, at('.if.0.sem_ver.1')],
    ['a version comparison with two arguments', { if: [{ sem_ver: [{ var: 'v' }, '='] }, 'on'] }, at('.if.0.sem_ver')],
    ['a word as a version', { if: [{ sem_ver: ['latest', '=', { var: 'v' }] }, 'on'] }, at('.if.0.sem_ver.0')],
    ['a range as a version', { if: [{ sem_ver: [{ var: 'v' }, '=', '1.x'] }, 'on'] }, at('.if.0.sem_ver.2')],
    ['a boolean as a version', { if: [{ sem_ver: [{ var: 'v' }, '=', true] }, 'on'] }, at('.if.0.sem_ver.2')],
    ['a number as an ending', { if: [{ ends_with: [{ var: 'id' }, 0] }, 'on'] }, at('.if.0.ends_with.1')],
    ['a number as a beginning', { if: [{ starts_with: [1, { var: 'id' }] }, 'on'] }, at('.if.0.starts_with.0')],
    ['a beginning without a text', { starts_with: ['abc'] }, at('.starts_with')],
    ['an ending without a text', { ends_with: ['xyz'] }, at('.ends_with')],
    ['null as a bucket', { fractional: [null, ['on']] }, at('.fractional.0')],
    ['a number as seed', { fractional: [1, ['on', 1]] }, at('.fractional.0')],
    ['no buckets', { fractional: [{ var: 'email' }] }, at('.fractional')],
    [
      'a weight with a fraction',
      {
        fractional: [
          ['on', 1.5],
          ['off', 1],
        ],
      },
      at('.fractional.0.1'),
    ],
    [
      'a negative weight with a fraction',
      {
        fractional: [
          ['on', 1],
          ['off', -1.5],
        ],
      },
      at('.fractional.1.1'),
    ],
    [
      'a string as weight',
      {
        fractional: [
          ['on', '1'],
          ['off', 1],
        ],
      },
      at('.fractional.0.1'),
    ],
    [
      'weights beyond 32 bits',
      {
        fractional: [
          ['on', 2_147_483_647],
          ['off', 1],
        ],
      },
      at('.fractional'),
    ],
    ['a bucket with three elements', { fractional: [['on', 1, 2]] }, at('.fractional.0')],
    [
      'a bucket with an unknown variant',
      {
        fractional: [
          ['on', 1],
          ['gold', 1],
        ],
      },
      at('.fractional.1.0'),
    ],
    ['a number as name', { if: [{ missing: [1] }, 'on'] }, at('.if.0.missing.0')],
    ['a string as count', { if: [{ missing_some: ['1', ['a']] }, 'on'] }, at('.if.0.missing_some.0')],
    [
      'nested loops',
      { if: [{ some: [{ var: 'a' }, { all: [{ var: 'b' }, { var: '' }] }] }, 'on'] },
      at('.if.0.some.1.all'),
    ],
    [
      'text that doubles with each element',
      { if: [{ reduce: [{ var: 'a' }, { cat: [{ var: 'accumulator' }, { var: 'accumulator' }] }, 'x'] }, 'on'] },
      at('.if.0.reduce.1.cat'),
    ],
    [
      'lists that double with each element',
      { if: [{ reduce: [{ var: 'a' }, { max: [[{ var: 'accumulator' }, { var: 'accumulator' }]] }, 0] }, 'on'] },
      at('.if.0.reduce.1.max.0'),
    ],
  ])('targeting with %s is refused, with the path', (_title, targeting, paths) => {
    expect(withTargeting(targeting)).toEqual(paths);
  });

  test.each<[string, unknown, object?]>([
    ['a condition', { if: [equals, 'on', 'off'] }],
    ['a condition without a default', { if: [equals, 'on'] }],
    ['several conditions', { if: [equals, 'on', { '<': [1, { var: 'n' }, 3] }, 'off', null] }],
    ['true and false as variants', equals, { true: 1, false: 0 }],
    ['a condition alone', { if: [equals] }, { true: 1, false: 0 }],
    ['the first truthy value', { or: [{ if: [equals, 'on'] }, 'off'] }],
    ['a computed variant', { var: 'variant' }],
    [
      'fractions',
      {
        fractional: [
          ['on', 10],
          ['off', 90],
        ],
      },
    ],
    [
      'fractions with a seed',
      { fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'email' }] }, ['on', 1], ['off']] },
    ],
    [
      'fractions that change with time',
      {
        fractional: [
          ['on', { '-': [{ var: '$flagd.timestamp' }, 1] }],
          ['off', 5],
        ],
      },
    ],
    [
      'nested fractions, and names that are not strings',
      {
        fractional: [
          ['clubs', 1],
          [true, 1],
          [1, 1],
          [{ fractional: [['diamonds', 1]] }, 1],
        ],
      },
      names,
    ],
    ...['v1.0.0', 'V1.0.0', '1', 'v1', '1.1', '1.0.0+build', '1.0.0-rc.1', 1, 1.1].map((version): [string, unknown] => [
      `the version ${JSON.stringify(version)}`,
      { if: [{ sem_ver: [{ var: 'v' }, '^', version] }, 'on', 'off'] },
    ]),
    ['a computed version', { if: [{ sem_ver: [{ cat: [{ var: 'major' }, '.0.0'] }, '=', '1.0.0'] }, 'on'] }],
    [
      'a negative weight, which counts as 0',
      {
        fractional: [
          ['on', -50],
          ['off', 2_147_483_647],
        ],
      },
    ],
    ['a constant seed', { fractional: ['seed', ['on', 1], ['off', 1]] }],
    ['a version comparison', { if: [{ sem_ver: [{ var: 'v' }, '^', '3.0.0-beta.1'] }, 'on', 'off'] }],
    [
      'starts_with and ends_with',
      { if: [{ and: [{ starts_with: [{ var: 'a' }, 'x'] }, { ends_with: ['x', 'y'] }] }, 'on'] },
    ],
    ['a list', { if: [{ in: [{ var: 'country' }, ['ca', 'us']] }, 'on', 'off'] }],
    ['a loop', { if: [{ some: [{ var: 'roles' }, { '==': [{ var: '' }, 'beta'] }] }, 'on', 'off'] }],
    [
      'a sum',
      {
        if: [{ '>': [{ reduce: [{ var: 'n' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] }, 9] }, 'on'],
      },
    ],
    [
      'missing and missing_some',
      { if: [{ missing: ['email'] }, 'off', { '!': { missing_some: [1, ['a', 'b']] } }, 'on'] },
    ],
    ['arithmetic', { if: [{ '==': [{ '%': [{ var: 'n' }, { '*': [2, 2] }] }, 0] }, 'on', { '!!': ['x'] }, 'off'] }],
  ])('targeting with %s is accepted', (_title, targeting, variants) => {
    expect(withTargeting(targeting, variants)).toEqual([]);
  });
});
