/** How much of a word counts: more would not fit into an index of PostgreSQL in every script. */
const wordLengthMax = 128;

const ascii = /^[\x00-\x7f]*$/;

/** Accents of the Latin, Greek and Cyrillic scripts, as NFKD takes them apart. */
const accents = /[\u0300-\u036f]+/g;

/**
 * A text as it is compared in a search: without case, accents, and differences that Unicode calls compatible. The
 * same in every database, because no database does it. A prefix of a text folds to a prefix of the folded text.
 */
export function foldText(text: string): string {
  // What most texts are needs nothing else; an import folds a million of them.
  if (ascii.test(text)) return text.toLowerCase();
  const withoutAccents = (value: string) => value.normalize('NFKD').replace(accents, '');
  // Upper case first: it takes ß and ligatures apart. The final sigma would depend on what follows it.
  const folded = withoutAccents(text.toWellFormed()).toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return withoutAccents(folded);
}

function cutWord(word: string): string {
  return word.length <= wordLengthMax ? word : [...word].slice(0, wordLengthMax).join('');
}

/** The words that somebody searches for: folded, each once, the longest first, which are the likeliest to be rare. */
export function searchWords(query: string): string[] {
  const words = foldText(query).split(/\s+/u).map(cutWord);
  return [...new Set(words)].filter((word) => word !== '').sort((left, right) => right.length - left.length);
}

const wordStart = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

/**
 * What of a text is found by its beginning: each word with what follows it up to the next white space. So
 * `jane.doe@example.com` is found by `jane.d`, by `doe@ex` and by `example.com`.
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

/** A text that is found by its own beginning only, such as a key. */
export function wholeTerm(text: string): string {
  return cutWord(foldText(text));
}
