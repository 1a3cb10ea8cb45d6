import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guidePages } from './support/pages.ts';
import { repositoryRoot } from './support/service.ts';

const header = readFileSync(join(repositoryRoot, 'sdks/c/include/licensing/licensing.h'), 'utf8');
const page = guidePages().find(({ path }) => path === 'sdks/c.md');
const shown = (page?.groups ?? [])
  .flatMap(({ tabs }) => tabs.flatMap(({ snippets }) => snippets))
  .filter(({ action }) => action === 'shown');

/** Returns the names that a pattern finds in the lines of a block, which begins and ends as given. */
function namesIn(text: string, block: RegExp, name: RegExp): string[] {
  return [...(block.exec(text)?.[1] ?? '').matchAll(name)].map(([, found = '']) => found);
}

const fields = namesIn(header, /typedef struct licensing_client_options \{(.*?)^\}/ms, /(\w+);$/gm).map((name) =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
);

test.for(['cs', 'swift', 'delphi'])('the program in %s calls only functions that the C header declares', (language) => {
  const code = shown.filter((snippet) => snippet.language === language).map((snippet) => snippet.code);
  const called = [...code.join('').matchAll(/\blicensing_\w+/g)].map(([name]) => name);
  expect(called.length).toBeGreaterThan(3);
  expect(called.filter((name) => !new RegExp(`\\b${name}\\b`).test(header))).toEqual([]);
});

test.for([
  ['cs', /struct ClientOptions \{(.*?)^\}/ms, /(\w+);$/gm],
  ['delphi', /TClientOptions = record(.*?)^ {2}end/ms, /^ +(\w+):/gm],
] as const)(
  'the options of a client in %s have the fields of the C header, in its order',
  ([language, block, name]) => {
    const code = shown.find((snippet) => snippet.language === language)?.code ?? '';
    expect(fields.length).toBeGreaterThan(5);
    expect(namesIn(code, block, name)).toEqual(fields);
  },
);
