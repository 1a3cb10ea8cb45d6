import MiniSearch, { type Query } from 'minisearch';
import type { SearchDocument } from '../src/search/search-documents.ts';

/** A place that a query means, and the words of it that match. */
export interface Found {
  readonly document: SearchDocument;
  readonly terms: readonly string[];
}

/** Names that are more than one word for `tokenize`, in queries and in documents. */
const names: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\bC#/gi, 'csharp'],
  [/\bC\+\+/gi, 'cpp'],
  [/\.NET\b/gi, 'dotnet'],
  // Its first half is another language.
  [/\bJavaScript\b/gi, 'javascript'],
  [/\bair[- ]?gap(?:ped)?\b/gi, 'airgapped'],
];

/** Splits codes and identifiers as well: `LICENSE.EXPIRED` is also found as `expired`, `validateLicense` as `license`. */
function tokenize(given: string): string[] {
  const text = names.reduce((replaced, [pattern, word]) => replaced.replace(pattern, ` ${word} `), given);
  const words = text.split(/[\s\p{P}\p{S}]+/u);
  const parts = words.flatMap((word) => {
    const found = word.split(/(?<=[a-z0-9])(?=[A-Z])/);
    return found.length > 1 ? found : [];
  });
  return [...words, ...parts].filter((word) => word.length > 0);
}

/** Words of other systems, and the words of the guides for them. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  pagination: ['cursor'],
  paging: ['cursor'],
  hwid: ['fingerprint'],
  machine: ['device', 'fingerprint'],
  machines: ['devices', 'activations'],
  seat: ['device', 'activation'],
  seats: ['devices', 'activations'],
  floating: ['lease'],
  concurrent: ['floating', 'lease'],
  network: ['floating'],
  nodelocked: ['locked'],
  usb: ['dongle'],
  demo: ['trial'],
  evaluation: ['trial'],
  throttling: ['rate'],
  '429': ['rate'],
  metering: ['usage'],
  quota: ['limit'],
  feature: ['entitlement', 'flag'],
  features: ['entitlements', 'flags'],
  jwt: ['certificate', 'proof'],
  signature: ['signatures', 'verify'],
  nextjs: ['next', 'react'],
  reactjs: ['react'],
  nodejs: ['node', 'express'],
  node: ['express', 'typescript'],
  javascript: ['typescript'],
  js: ['typescript'],
  container: ['docker'],
  kubernetes: ['docker'],
  github: ['ci'],
  pipeline: ['ci'],
  pipelines: ['ci'],
  desktop: ['electron'],
  golang: ['go'],
  vb: ['dotnet'],
  unreal: ['cpp'],
  pascal: ['delphi'],
  android: ['java'],
  kotlin: ['java'],
  llm: ['markdown'],
  renewal: ['renew'],
  cancel: ['suspend', 'revoke'],
  blacklist: ['revoke', 'suspend'],
  chargeback: ['dispute', 'refund'],
  gdpr: ['personal'],
};

/** Words that are ignored in a query, because they do not distinguish one topic from another. */
const empty = new Set('a an and are can do does for from get how i in is it my of on the to what with'.split(' '));

/** Returns the query for a text: every word of it must match, and one of its synonyms stands for a word. */
function queryOf(text: string): Query {
  const words = tokenize(text).map((word) => word.toLowerCase());
  const asked = words.filter((word) => !empty.has(word));
  return {
    combineWith: 'AND',
    queries: (asked.length > 0 ? asked : words).map((word) => ({
      combineWith: 'OR',
      // A synonym is a whole word of the guides: it must not match the beginning of another word.
      queries: [word, { combineWith: 'OR', queries: [...(synonyms[word] ?? [])], prefix: false, fuzzy: false }],
    })),
  };
}

/** A guide explains what the reference and the list of errors only name, and a page is about more than a section. */
function weightOf(document: SearchDocument | undefined): number {
  const isListed = document?.area === 'API reference' || document?.url.includes('/errors/');
  return (isListed ? 0.5 : 1) * (document?.url.includes('#') ? 1 : 1.5);
}

/** Returns the function that finds the places for a text, the best one first. */
export function createFinder(documents: readonly SearchDocument[]): (text: string) => readonly Found[] {
  const index = new MiniSearch<SearchDocument>({
    fields: ['heading', 'page', 'text'],
    tokenize,
    searchOptions: {
      boost: { heading: 6, page: 3 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { prefix: 0.2, fuzzy: 0.2 },
      boostDocument: (id) => weightOf(documents[Number(id)]),
    },
  });
  index.addAll(documents);
  return (text) => {
    const query = queryOf(text);
    const all = index.search(query);
    const results = all.length > 0 || typeof query !== 'object' ? all : index.search({ ...query, combineWith: 'OR' });
    const found = results.flatMap(({ id, terms }): Found[] => {
      const document = documents[Number(id)];
      return document === undefined ? [] : [{ document, terms }];
    });
    const isNamed = ({ document }: Found) => document.names.includes(text.trim().toLowerCase());
    return [...found.filter(isNamed), ...found.filter((result) => !isNamed(result))];
  };
}
