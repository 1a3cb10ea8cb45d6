import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accentOf, contrast, surfaces } from '../src/accent.ts';

const css = readFileSync(new URL('../src/portal.css', import.meta.url), 'utf8');
/** The colours of the surfaces, as pairs of the light and the dark scheme. */
const inUse = [...css.matchAll(/--(?:page|card|raised): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
  ([, light = '', dark = '']) => ({ light, dark }),
);

test('with any accent, text in it and on it has a contrast of 4.5 to 1 on every surface of both schemes', () => {
  expect(inUse.length).toBe(3);
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);
  const edges = ['#000000', '#ffffff', '#ffe600', '#777777', '#808080', '#1f232c', '#f3f4f7', '#0000ff'];
  fc.assert(
    fc.property(fc.oneof(colour, fc.constantFrom(...edges)), (chosen) => {
      const { fill, onFill, light, dark } = accentOf(chosen);
      expect(fill).toBe(chosen);
      expect(contrast(onFill, fill)).toBeGreaterThanOrEqual(4.5);
      for (const surface of inUse) {
        expect(contrast(light, surface.light)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, surface.dark)).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 300, examples: edges.map((edge) => [edge]) },
  );
});

test('an accent that is readable already stays as it is, and none or a broken one becomes the default', () => {
  expect(contrast('#0f766e', surfaces.light)).toBeGreaterThan(4.5);
  expect(accentOf('#0F766E')).toMatchObject({ fill: '#0f766e', onFill: '#ffffff', light: '#0f766e' });
  expect(accentOf(null)).toEqual(accentOf('red'));
});
