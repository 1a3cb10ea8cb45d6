import { describe, expect, test } from 'vitest';
import { readSourceFiles } from './source-files.ts';
import { proseOf, type Text, textsOf } from './texts.ts';

/** Words for which the glossary of the guides has another one, in the languages of screens and mails. */
const otherWords =
  /\b(?:activations?|seats?|de-?activat(?:e|es|ed|ing|ions?)|rotat(?:e|es|ed|ing|ions?)|holders?|buyers?|free[sd]|freeing|to free|free (?:a|an|the|it|up|one)|[Ss]itz(?:e|en|plätze)?|Inhaber\w*|Käufer\w*|rotier\w*|deaktivier\w*|sièges?|titulaires?|acheteurs?|désactiv\p{L}*)\b/iu;

/** What is allowed: names of the API and of commands, addresses, and the event that starts a term. */
const allowed = /`[^`]*`|\{\{?\w+\}?\}|\/[\w…/-]+|(?:first|première) activation|rotate-signing-key/gi;

/** Files with another program's words, or with code that a reader copies. */
const exceptions: readonly (readonly [path: string, why: string])[] = [
  ['packages/guides/pages/glossary.md', 'it names the words of the API'],
  ['packages/guides/pages/migrating-from-cryptlex.md', 'it compares the words of Cryptlex'],
  ['packages/guides/pages/migrating-from-lemonsqueezy.md', 'it compares the words of Lemon Squeezy'],
  ['packages/dashboard/src/features/webhooks/VerifySignature.tsx', 'a program'],
  ['packages/dashboard/src/features/connections/custom-example.ts', 'a program'],
];

/** Files of the server whose texts are the API's reference for developers, in the API's own names. */
const reference =
  /\/(?:\w+-)?(?:schemas|openapi-tags|document-parts|columns|routes|message)\.ts$|\/config\/|\/surfaces\//;

/** Returns the texts with another word, except those of the exceptions. */
function withOtherWords(texts: readonly Text[]): readonly Text[] {
  const isException = ({ at }: Text) => exceptions.some(([path]) => at.startsWith(`${path}:`));
  return texts.filter((one) => otherWords.test(one.text.replaceAll(allowed, '…')) && !isException(one));
}

describe('one word for each thing', () => {
  test.each([
    ['screens of the dashboard and the portal', 'packages/{dashboard,portal}/src/**/*.{ts,tsx}', 1000],
    ['mails, notices, messages of errors and answers of commands', 'packages/server/src/**/*.ts', 1000],
  ])('%s', (_name, pattern, least) => {
    const files = readSourceFiles(pattern).filter(({ path }) => !/\.(?:test|gen|d)\.ts$|\/schema\.ts$/.test(path));
    const isDocument = pattern.includes('server');
    const texts = files
      .filter(({ path }) => !(isDocument && reference.test(path)))
      .flatMap((file) => textsOf(file, { isDocument }));
    expect(texts.length).toBeGreaterThan(least);
    expect(withOtherWords(texts)).toEqual([]);
  });

  test('guides', () => {
    const lines = readSourceFiles('packages/guides/pages/**/*.md').flatMap(proseOf);
    expect(lines.length).toBeGreaterThan(1000);
    expect(withOtherWords(lines)).toEqual([]);
  });

  test('every exception still has another word', () => {
    const files = readSourceFiles(...exceptions.map(([path]) => path));
    expect(files.filter(({ text }) => !otherWords.test(text)).map(({ path }) => path)).toEqual([]);
    expect(files).toHaveLength(exceptions.length);
  });
});
