import fc from 'fast-check';
import { compare, valid } from 'semver';
import { describe, expect, test } from 'vitest';
import { versionPattern, versionSort } from './version.ts';

const number = fc.oneof(fc.nat(12), fc.nat(), fc.bigInt(0n, 999_999_999_999_999n).map(Number)).map(String);
const word = fc.stringMatching(/^[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}$/);
const list = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
const version = fc
  .tuple(
    fc.tuple(number, number, number),
    fc.option(list(fc.oneof(number, word, fc.constantFrom('alpha', 'beta', 'rc', 'rc1', 'rc-1')))),
    fc.option(list(fc.stringMatching(/^[0-9A-Za-z-]{1,3}$/))),
  )
  .map(([core, pre, build]) => core.join('.') + (pre === null ? '' : `-${pre}`) + (build === null ? '' : `+${build}`));

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const pattern = new RegExp(versionPattern);

describe('versions', () => {
  test('the text of a version sorts as semver orders it', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(order(versionSort(a), versionSort(b))).toBe(compare(a, b));
      }),
      { numRuns: 3000 },
    );
  });

  test('the example of the specification is in its order', () => {
    const sorted =
      '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.9.0 1.10.0';
    const texts = sorted.split(' ').map(versionSort);
    expect(texts.toSorted(order)).toEqual(texts);
    expect(versionSort('1.0.0+linux')).toBe(versionSort('1.0.0+mac.2'));
  });

  test('the pattern accepts what semver accepts', () => {
    const text = fc.oneof(version, fc.stringMatching(/^[0-9.a-c+-]{1,12}$/));
    fc.assert(
      fc.property(text, (candidate) => {
        expect(pattern.test(candidate)).toBe(valid(candidate) !== null && !/^[v=\s]/.test(candidate));
      }),
      { numRuns: 3000 },
    );
    for (const wrong of [
      '1.0',
      '01.0.0',
      '1.0.0-01',
      'v1.0.0',
      '1.0.0 ',
      '1.0.0-',
      '1.0.0+',
      '1.0.0-a..b',
      '1.0.0\n',
    ]) {
      expect([wrong, pattern.test(wrong)]).toEqual([wrong, false]);
    }
  });
});
