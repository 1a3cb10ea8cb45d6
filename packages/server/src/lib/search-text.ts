/** The indexed length of a word, in characters. A longer word would not fit into a PostgreSQL index in every script. */
const wordLengthMax = 128;

const ascii = /^[\x00-\x7f]*$/;

/** The combining marks of the Latin, Greek and Cyrillic scripts, which NFKD separates from their letters. */
const accents = /[\u0300-\u036f]+/g;

/**
 * Returns a text as a search compares it: without case, accents and Unicode compatibility differences. It is the same
 * for both engines, because no database is involved. A prefix of a text folds to a prefix of the folded text.
 */
export function foldText(text: string): string {
  // Fast path for most texts: an import folds a million of them.
  if (ascii.test(text)) return text.toLowerCase();
  const withoutAccents = (value: string) => value.normalize('NFKD').replace(accents, '');
  // Upper case expands ß and ligatures, but not the capital ẞ, so lower case comes before and after it.
  const folded = withoutAccents(text.toWellFormed()).toLowerCase().toUpperCase().toLowerCase();
  // The final sigma depends on the next character, which would break the prefix property.
  return withoutAccents(folded.replaceAll('ς', 'σ'));
}

function cutWord(word: string): string {
  return word.length <= wordLengthMax ? word : [...word].slice(0, wordLengthMax).join('');
}

/** Returns the words of a query: folded, without duplicates, longest first, because long words are usually rare. */
export function searchWords(query: string): string[] {
  const words = foldText(query).split(/\s+/u).map(cutWord);
  return [...new Set(words)].filter((word) => word !== '').sort((left, right) => right.length - left.length);
}

const wordStart = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

/**
 * Returns the terms whose prefixes find a text: each word together with the characters up to the next white space. For
 * example, `jane.d`, `doe@ex` and `example.com` each find `jane.doe@example.com`.
 */
export function textTerms(text: string | null): string[] {
  const parts = foldText(text ?? '').split(/\s+/u);
  return parts
    .filter((part) => part !== '')
    .flatMap((part) => [
      wholeTerm(part),
      ...Array.from(part.matchAll(wordStart), ({ index }) => cutWord(part.slice(index))),
    ]);
}

/** Returns the term of a text that is found only by its own prefix, such as a key. */
export function wholeTerm(text: string): string {
  return cutWord(foldText(text));
}
