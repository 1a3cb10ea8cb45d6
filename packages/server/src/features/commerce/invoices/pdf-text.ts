/** What the standard fonts of PDF have beyond Latin-1 (WinAnsiEncoding, ISO 32000-1 annex D). */
const extra = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** Letters that have no accent to take away. */
const relatives: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ħ: 'h', Ħ: 'H', ı: 'i', ŋ: 'n', Ŋ: 'N', ŧ: 't', Ŧ: 'T' },
  ...{ '\u2212': '-', '\u2010': '-', '\u2011': '-', '\u2009': ' ', '\u202f': ' ' },
};

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) || extra.has(character);
}

function nearest(character: string): string {
  if (isPrintable(character)) return character;
  const relative = relatives[character];
  if (relative !== undefined) return relative;
  const plain = [...character.normalize('NFKD')].filter((part) => !/\p{M}/u.test(part));
  return plain.length > 0 && plain.every(isPrintable) ? plain.join('') : '?';
}

/**
 * The text as the standard fonts of PDF can show it. A letter that they lack becomes the one without its accent, and what
 * has no such relative a question mark: the page in HTML shows every letter.
 */
export function toPdfText(text: string): string {
  return [...text.normalize('NFC').replace(/[\p{Cc}\p{Cf}]+/gu, ' ')].map(nearest).join('');
}
