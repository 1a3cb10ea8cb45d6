import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { compileCheck } from './validation.ts';
import { toDetails } from './validation-details.ts';

const document: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../openapi.json'), 'utf8'));

/** Returns the patterns of the whole document: those of responses are the patterns of requests too. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : [];
  return [...own, ...Object.values(value).flatMap(patternsIn)];
}

/** Each pattern refuses one of these texts. */
const texts = ['', ' ', '\u0000', '\n', 'ä ö\u007f'];

test.for([...new Set(patternsIn(document))])('the pattern %s of a request is explained in words', (pattern) => {
  const check = compileCheck(Type.String({ pattern }));
  const refused = texts.find((text) => !check.Check(text));
  const [detail] = toDetails(check.Errors(refused), 'body');
  expect(detail?.message).toMatch(/^[A-Z].+\.$/);
  expect(detail?.message).not.toContain('not allowed here');
});
