/** Makes text invisible to the search of mail programs for addresses of pages and mailboxes. It is not visible itself. */
const wordJoiner = '\u2060';

/**
 * Returns a name that somebody else chose, such as `“Acme”`, as a mail to a stranger may contain it: recognisable as a
 * quotation, and without an address that a mail program turns into a link. “Booking.com” looks as it should.
 */
export function quoted(name: string): string {
  const text = name.replace(/["“”„‟]/g, "'").replace(/\p{Cc}+/gu, ' ');
  return `“${withoutLinks(text)}”`;
}

/** Returns text in which mail programs find no address to turn into a link. It looks the same. */
export function withoutLinks(text: string): string {
  return text.replace(/(?<=\S)[.@:/](?=\S)/g, (mark) => mark + wordJoiner);
}
