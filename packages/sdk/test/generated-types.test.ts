import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateTypes } from '../scripts/generate-types.ts';

test('the committed types match openapi.json; `npm run openapi` writes them', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const committed = readFileSync(new URL('../src/api-types.ts', import.meta.url), 'utf8');
  expect(generateTypes(document) === committed).toBe(true);
});
