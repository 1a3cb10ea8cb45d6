import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

/**
 * Expressions whose time grows faster than the text, and whose text nobody else can make long. Each reason says whose text it
 * is.
 */
const onOwnText: Readonly<Record<string, string>> = {
  'packages/dashboard/src/api/problem.ts': 'messages of the service',
  'packages/dashboard/src/features/coupons/coupon-values.ts': 'a field that the reader fills in',
  'packages/dashboard/src/features/holder-mails/HolderMailsScreen.tsx': 'a field that the reader fills in',
  'packages/portal/src/screens/CodeLogin.tsx': 'a field that the reader fills in',
  'packages/server/src/commands/command-line.ts': 'the help of our commands',
  'packages/server/src/config/config.ts': 'a setting of the operator',
  'packages/server/src/db/postgres-reasons.ts': "a message of the operator's PostgreSQL",
  'packages/server/src/features/holders/holder-mails/batch-service.ts': 'a setting of the operator',
  'packages/server/src/http/built-application.ts': 'our page, at the start',
  'packages/server/src/http/cursor.ts': 'the name of a column',
  'packages/server/src/http/failure-log.ts': 'at most 300 characters',
  'packages/server/src/http/openapi-operations.ts': 'paths of our routes, at the start',
};

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

/** Returns the regular expressions in a file of code. */
function literalsOf({ path, text }: { readonly path: string; readonly text: string }): Expression[] {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('regex' in node) {
      const { pattern, flags } = node.regex as { readonly pattern: string; readonly flags: string };
      found.push({ source: pattern, flags, place: path });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return found;
}

/** Returns the patterns of the fields and parameters of every operation. */
function patternsOf(value: unknown): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  const pattern = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : [];
  return [
    ...pattern.map((source) => ({ source, flags: 'u', place: 'openapi.json' })),
    ...Object.values(value).flatMap(patternsOf),
  ];
}

function allExpressions(): Expression[] {
  const files = readSourceFiles('packages/{server,sdk,portal,dashboard}/src/**/*.{ts,tsx}');
  const ofCode = files.filter(({ path }) => !/\.test\.tsx?$/.test(path)).flatMap(literalsOf);
  const document: unknown = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
  return [...ofCode, ...patternsOf(document)];
}

/** Without limits of time, so that a busy machine changes no result. */
const unlimited = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** Returns where an expression takes more than linear time, or cannot be judged. */
async function slowPlaces(): Promise<Map<string, string[]>> {
  const places = new Map<string, Set<string>>();
  for (const { source, flags, place } of allExpressions()) {
    const key = JSON.stringify([source, flags]);
    places.set(key, (places.get(key) ?? new Set()).add(place));
  }
  const slow = new Map<string, string[]>();
  for (const [key, files] of places) {
    const [source, flags] = JSON.parse(key);
    const { status } = await check(source, flags, unlimited);
    if (status === 'safe') continue;
    for (const file of files) slow.set(file, [...(slow.get(file) ?? []), source]);
  }
  return slow;
}

test('no regular expression takes more than linear time on a text of somebody else', { timeout: 900_000 }, async () => {
  const slow = await slowPlaces();
  for (const file of Object.keys(onOwnText)) {
    expect(slow.get(file), `${file} has no such expression any more: remove it from the list`).toHaveLength(1);
    slow.delete(file);
  }
  expect(Object.fromEntries(slow)).toEqual({});
});

test('an expression in cubic time is found', async () => {
  const { status } = await check(String.raw`\{\{\s*([^{}]*?)\s*\}\}`, 'g');
  expect(status).toBe('vulnerable');
});
