import { describe, expect, test } from 'vitest';
import { errorCatalog } from '../../src/error-catalog.ts';
import { verdictCatalog } from '../../src/features/licensing/validation/verdict-catalog.ts';
import { saysWhatToDo } from '../support/instructions.ts';
import { argumentsAt } from './calls.ts';
import { readSourceFiles } from './source-files.ts';

describe('what every code says', () => {
  test.each([...errorCatalog, ...verdictCatalog])('$code: a meaning, and a remedy that says what to do', (entry) => {
    expect(entry.meaning).toMatch(/^[A-Z`].*\.$/s);
    expect(entry.remedy).toMatch(/^[A-Z`].*\.$/s);
    expect(entry.remedy).toSatisfy(saysWhatToDo);
  });
});

/** The functions that turn a sentence into an error of the API, with the position of the sentence in the call. */
const makers: readonly (readonly [call: RegExp, position: number])[] = [
  [/new AppError\(/g, 1],
  [/new PaymentProviderError\(/g, 1],
  // Functions of one file that take the sentence as their only argument.
  [/(?<!function )\b(?:malformed|unsupported|invalidContext|notDeletable|transitionInvalid)\(/g, 0],
];

/** Returns the sentences that a source passes to the makers: literals, and constants of the same file named `message`. */
function sentencesIn(text: string): string[] {
  return makers.flatMap(([call, position]) =>
    [...text.matchAll(call)].flatMap((match) => {
      const start = match.index + match[0].length - 1;
      const given = argumentsAt(text, start)[position] ?? '';
      const before = text.slice(0, start);
      const constant = before.lastIndexOf('const message');
      const value = given === 'message' && constant !== -1 ? before.slice(constant).split(';')[0] : given;
      // Only texts count: a value that another function returns is checked where it is made.
      const parts = [...(value ?? '').matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)];
      const sentence = parts.map(([, plain, template]) => plain ?? template ?? '').join('');
      return /[a-z]{3}/.test(sentence.replace(/\$\{.*?\}/g, '')) ? [sentence] : [];
    }),
  );
}

describe('the message of every error', () => {
  const sentences = readSourceFiles('packages/server/src/**/!(*.test).ts').flatMap(({ path, text }) =>
    sentencesIn(text).map((sentence) => ({ path, sentence })),
  );

  test('is found in the source', () => {
    expect(sentences.length).toBeGreaterThan(200);
  });

  test('says what the caller does next', () => {
    expect(sentences.filter(({ sentence }) => !saysWhatToDo(sentence))).toEqual([]);
  });
});
