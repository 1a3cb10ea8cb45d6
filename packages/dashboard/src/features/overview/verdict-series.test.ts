import { describe, expect, test } from 'vitest';
import { codeOf, completedSnippets } from './first-license.ts';
import { verdicts as known, verdictSeries } from './verdict-series.ts';

const point = (total: number, by_code: Record<string, number>) => ({
  bucket_start: '2026-11-20T00:00:00.000000Z',
  total,
  by_code,
});

describe('the series of validations', () => {
  test('a chart has one series per code that occurred, the valid ones first', () => {
    const points = [point(3, { 'LICENSE.EXPIRED': 1, 'LICENSE.VALID': 2 }), point(1, { 'LICENSE.NOT_FOUND': 1 })];
    const { series, total, valid, coded, points: drawn } = verdictSeries({ points });
    expect(series.map(({ label }) => label)).toEqual(['Valid', 'Expired', 'Unknown key']);
    expect([total, valid, coded]).toEqual([4, 2, 4]);
    expect(drawn[1]).toMatchObject({ LICENSE_VALID: 0, LICENSE_NOT_FOUND: 1, uncoded: 0 });
  });

  test('a code of a later version of the service is its own name', () => {
    const { series } = verdictSeries({ points: [point(1, { 'LICENSE.BRAND_NEW': 1 })] });
    expect(series).toEqual([{ name: 'LICENSE_BRAND_NEW', label: 'LICENSE.BRAND_NEW', color: 'gray.5' }]);
  });

  test('validations that an earlier version counted without a code are a series of their own', () => {
    const { series, total, coded, points } = verdictSeries({ points: [point(5, { 'LICENSE.VALID': 2 })] });
    expect(series.map(({ label }) => label)).toEqual(['Valid', 'Without a code']);
    expect([total, coded, points[0]?.['uncoded']]).toEqual([5, 2, 3]);
  });
});

test.each([
  ['My app', 'my-app'],
  ['  Éditeur 5.0! ', 'editeur-5-0'],
  ['编辑器', 'product'],
])('the code of the product %j is %s', (name, code) => {
  expect(codeOf(name)).toBe(code);
});

test('the completed snippets contain the license and no API key', () => {
  const snippets = completedSnippets({
    baseUrl: 'https://l.example',
    licenseKey: 'A-1',
    product: 'app',
    tenantId: 't-1',
  });
  for (const snippet of Object.values(snippets)) {
    expect(snippet).toContain('https://l.example');
    expect(snippet).toContain('A-1');
    expect(snippet).toContain('LICENSING_API_KEY');
  }
  for (const snippet of [snippets.typescript, snippets.python]) expect(snippet).toContain('/tenants/t-1/jwks.json');
});

test.for(Object.keys(known))(
  'the verdict %s is green if it allows use, and neither blue nor green if it refuses',
  (code) => {
    const { series } = verdictSeries({ points: [point(1, { [code]: 1 })] });
    const isAllowed = code === 'LICENSE.VALID' || code === 'LICENSE.IN_GRACE';
    const [hue] = series[0]?.color.split('.') ?? [];
    if (isAllowed) expect(['teal', 'lime']).toContain(hue);
    else expect(['orange', 'gray', 'yellow', 'red', 'grape', 'pink']).toContain(hue);
  },
);
