import { expect, test } from 'vitest';
import { readSourceFiles } from './source-files.ts';

const declaration = /^export (?:async )?(?:function|class) (\w+)/;

/** Lists the exported functions and classes without a doc comment. Overloads share the comment of the first. */
function undocumented(text: string): string[] {
  const lines = text.split('\n');
  const documented = new Set<string>();
  const missing = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const name = declaration.exec(line)?.[1];
    if (name === undefined) continue;
    if (lines[index - 1]?.trimEnd().endsWith('*/')) documented.add(name);
    else if (!documented.has(name)) missing.add(name);
  }
  return [...missing];
}

test('every exported function and class has a doc comment', () => {
  const missing = readSourceFiles('packages/server/src/**/*.ts')
    .filter(({ path }) => !/\.(test|fixture)\.ts$/.test(path))
    .flatMap(({ path, text }) => undocumented(text).map((name) => `${path}: ${name}`));
  expect(missing).toEqual([]);
});

test('an exported function is reported only if it has no doc comment', () => {
  expect(undocumented('export function bare() {}\n/** Adds. */\nexport function add() {}\n')).toEqual(['bare']);
});
