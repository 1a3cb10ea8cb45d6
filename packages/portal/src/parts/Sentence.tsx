import { Fragment } from 'react';

const isAddress = (word: string) => word.includes('@') || /^https?:/.test(word);

/** A text whose addresses of mail and of pages continue on the next line only if they are longer than a line. */
export function Sentence({ children }: { readonly children: string }) {
  return children.split(' ').map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text have no other identity.
    <Fragment key={index}>
      {index > 0 && ' '}
      {isAddress(word) ? <span className="address">{word}</span> : word}
    </Fragment>
  ));
}
