import { describe, expect, test } from 'vitest';
import { definitionProblems } from './flag-definition.ts';

const boolean = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
const pathsOf = (definition: Record<string, unknown>) => definitionProblems(definition).map(({ field }) => field);
const withTargeting = (targeting: unknown, variants: object = boolean.variants) =>
  pathsOf({ ...boolean, variants, targeting, ...('off' in variants ? {} : { defaultVariant: null }) });

const nested = (levels: number): unknown => (levels === 0 ? { var: 'a' } : { '!': [nested(levels - 1)] });
const equals = { '==': [{ var: 'plan' }, 'pro'] };
const names = { clubs: 'a', diamonds: 'b', true: 'c', 1: 'd' };

describe('the shape of a definition', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', {}, ['definition.state', 'definition.variants', 'definition.defaultVariant']],
    ['another state', { ...boolean, state: 'ON' }, ['definition.state']],
    ['a state in small letters', { ...boolean, state: 'enabled' }, ['definition.state']],
    ['no variants', { ...boolean, variants: {} }, ['definition.variants', 'definition.defaultVariant']],
    ['variants in a list', { ...boolean, variants: [true] }, ['definition.variants', 'definition.defaultVariant']],
    ['variants of two types', { ...boolean, variants: { on: true, off: 'no' } }, ['definition.variants.off']],
    ['a variant that is null', { ...boolean, variants: { on: true, off: null } }, ['definition.variants.off']],
    ['variants that are lists', { ...boolean, variants: { off: [1] } }, ['definition.variants.off']],
    ['a variant without a name', { ...boolean, variants: { off: true, '': true } }, ['definition.variants.']],
    ['a default that is no variant', { ...boolean, defaultVariant: 'maybe' }, ['definition.defaultVariant']],
    ['a default that every object has', { ...boolean, defaultVariant: 'toString' }, ['definition.defaultVariant']],
    ['no default', { state: 'ENABLED', variants: { on: true } }, ['definition.defaultVariant']],
    ['metadata in metadata', { ...boolean, metadata: { team: { name: 'a' } } }, ['definition.metadata.team']],
    ['a field that flagd does not know', { ...boolean, enabled: true }, ['definition.enabled']],
    ['too much text', { ...boolean, variants: { off: 'x'.repeat(40_000) } }, ['definition']],
  ])('refuses %s, with the path', (_title, definition, paths) => {
    expect(pathsOf(definition)).toEqual(paths);
  });

  test.each<[string, Record<string, unknown>]>([
    ['texts', { ...boolean, variants: { off: 'no', on: 'yes' } }],
    ['numbers', { ...boolean, variants: { off: 0, on: 1.5 } }],
    ['objects', { ...boolean, variants: { off: {}, on: { color: 'red', sizes: [1, 2] } } }],
    ['no default of its own', { ...boolean, defaultVariant: null }],
    ['a disabled flag', { ...boolean, state: 'DISABLED' }],
    ['empty targeting', { ...boolean, targeting: {} }],
    ['metadata', { ...boolean, metadata: { team: 'a', weight: 1, beta: true } }],
  ])('takes %s', (_title, definition) => {
    expect(definitionProblems(definition)).toEqual([]);
  });
});

const at = (path: string) => [`definition.targeting${path}`];

describe('targeting', () => {
  test.each<[string, unknown, string[]]>([
    ['a text', 'on', at('')],
    ['null', null, at('')],
    ['an unknown operation', { if: [{ equals: [1, 1] }, 'on'] }, at('.if.0.equals')],
    ['an operation that every object has', { toString: [] }, at('.toString')],
    ['two operations at once', { '==': [1, 1], '!=': [1, 1] }, at('')],
    ['an object without an operation', { if: [{}, 'on'] }, at('.if.0')],
    ['a reference', { $ref: 'rule' }, at('.$ref')],
    ['a reference inside', { if: [{ $ref: 'rule' }, 'on', 'off'] }, at('.if.0.$ref')],
    ['too few arguments', { if: [{ '==': [1] }, 'on'] }, at('.if.0.==')],
    ['too many arguments', { if: [{ '>': [1, 2, 3] }, 'on'] }, at('.if.0.>')],
    ['no list of arguments', { if: 'on' }, at('.if')],
    ['too many levels', { if: [nested(13), 'on'] }, at(`.if.0${'.!.0'.repeat(11)}.!`)],
    ['a variant that is none', { if: [equals, 'gold', 'off'] }, at('.if.1')],
    ['a variant that is none, in the end', { if: [equals, 'on', equals, 'off', 'no'] }, at('.if.4')],
    ['a variant that is none, by default', { var: ['variant', 'gold'] }, at('.var.1')],
    ['true and false that are no variants', equals, [...at('.=='), ...at('.==')]],
    ['false where only true goes on', { and: [equals, 'on'] }, at('.and.0.==')],
    ['a context of flagd that there is not', { if: [{ var: '$flagd.secret' }, 'on'] }, at('.if.0.var')],
    ['a version of four numbers', { if: [{ sem_ver: ['1.2.3.4', '=', { var: 'v' }] }, 'on'] }, at('.if.0.sem_ver.0')],
    [
      'a range of versions that there is not',
      { if: [{ sem_ver: [{ var: 'v' }, '*', '1.0.0'] }, 'on'] },
      at('.if.0.sem_ver.1'),
    ],
    ['two arguments of a version', { if: [{ sem_ver: [{ var: 'v' }, '='] }, 'on'] }, at('.if.0.sem_ver')],
    [
      'a rule where a version stands',
      { if: [{ sem_ver: [{ cat: ['1'] }, '=', '1.0.0'] }, 'on'] },
      at('.if.0.sem_ver.0'),
    ],
    ['a number as an ending', { if: [{ ends_with: [{ var: 'id' }, 0] }, 'on'] }, at('.if.0.ends_with.1')],
    ['a number as a beginning', { if: [{ starts_with: [1, { var: 'id' }] }, 'on'] }, at('.if.0.starts_with.0')],
    ['a seed that is a text', { fractional: ['seed', ['on', 1]] }, at('.fractional.0')],
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
      'a negative weight',
      {
        fractional: [
          ['on', 1],
          ['off', -1],
        ],
      },
      at('.fractional.1.1'),
    ],
    [
      'a weight in text',
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
    ['a bucket of three', { fractional: [['on', 1, 2]] }, at('.fractional.0')],
    [
      'a bucket of a variant that is none',
      {
        fractional: [
          ['on', 1],
          ['gold', 1],
        ],
      },
      at('.fractional.1.0'),
    ],
    ['names that are no texts', { if: [{ missing: [1] }, 'on'] }, at('.if.0.missing.0')],
    ['a count in text', { if: [{ missing_some: ['1', ['a']] }, 'on'] }, at('.if.0.missing_some.0')],
    [
      'loops in loops',
      { if: [{ some: [{ var: 'a' }, { all: [{ var: 'b' }, { var: '' }] }] }, 'on'] },
      at('.if.0.some.1.all'),
    ],
    [
      'text that doubles',
      { if: [{ reduce: [{ var: 'a' }, { cat: [{ var: 'accumulator' }, { var: 'accumulator' }] }, 'x'] }, 'on'] },
      at('.if.0.reduce.1.cat'),
    ],
    [
      'lists that double',
      { if: [{ reduce: [{ var: 'a' }, { max: [[{ var: 'accumulator' }, { var: 'accumulator' }]] }, 0] }, 'on'] },
      at('.if.0.reduce.1.max.0'),
    ],
  ])('refuses %s, with the path', (_title, targeting, paths) => {
    expect(withTargeting(targeting)).toEqual(paths);
  });

  test.each<[string, unknown, object?]>([
    ['a condition', { if: [equals, 'on', 'off'] }],
    ['a condition without otherwise', { if: [equals, 'on'] }],
    ['one condition after the other', { if: [equals, 'on', { '<': [1, { var: 'n' }, 3] }, 'off', null] }],
    ['true and false as variants', equals, { true: 1, false: 0 }],
    ['a condition alone', { if: [equals] }, { true: 1, false: 0 }],
    ['the first that is one', { or: [{ if: [equals, 'on'] }, 'off'] }],
    ['a computed variant', { var: 'variant' }],
    [
      'parts',
      {
        fractional: [
          ['on', 10],
          ['off', 90],
        ],
      },
    ],
    ['parts of a seed', { fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'email' }] }, ['on', 1], ['off']] }],
    [
      'parts that move with time',
      {
        fractional: [
          ['on', { '-': [{ var: '$flagd.timestamp' }, 1] }],
          ['off', 5],
        ],
      },
    ],
    [
      'parts of parts, and names that are no texts',
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
    ['versions', { if: [{ sem_ver: [{ var: 'v' }, '^', '3.0.0-beta.1'] }, 'on', 'off'] }],
    ['beginnings and ends', { if: [{ and: [{ starts_with: [{ var: 'a' }, 'x'] }, { ends_with: ['x', 'y'] }] }, 'on'] }],
    ['lists', { if: [{ in: [{ var: 'country' }, ['ca', 'us']] }, 'on', 'off'] }],
    ['loops', { if: [{ some: [{ var: 'roles' }, { '==': [{ var: '' }, 'beta'] }] }, 'on', 'off'] }],
    [
      'sums',
      {
        if: [{ '>': [{ reduce: [{ var: 'n' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] }, 9] }, 'on'],
      },
    ],
    ['what is missing', { if: [{ missing: ['email'] }, 'off', { '!': { missing_some: [1, ['a', 'b']] } }, 'on'] }],
    ['arithmetic', { if: [{ '==': [{ '%': [{ var: 'n' }, { '*': [2, 2] }] }, 0] }, 'on', { '!!': ['x'] }, 'off'] }],
  ])('takes %s', (_title, targeting, variants) => {
    expect(withTargeting(targeting, variants)).toEqual([]);
  });
});
