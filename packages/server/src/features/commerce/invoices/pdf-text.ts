/** Characters of the standard PDF fonts beyond Latin-1 (WinAnsiEncoding, ISO 32000-1 annex D). */
const extra = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** Replacements of characters that Unicode does not decompose. */
const replacements: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
  '\u2212': '-',
  '\u2010': '-',
  '\u2011': '-',
  '\u2009': ' ',
  '\u202f': ' ',
};

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) || extra.has(character);
}

function nearest(character: string): string {
  if (isPrintable(character)) return character;
  const replacement = replacements[character];
  if (replacement !== undefined) return replacement;
  const plain = [...character.normalize('NFKD')].filter((part) => !/\p{M}/u.test(part));
  return plain.length > 0 && plain.every(isPrintable) ? plain.join('') : '?';
}

/**
 * Converts a text to the characters of the standard PDF fonts. A missing letter loses its accents; a character without
 * such a replacement becomes a question mark. The HTML page of an invoice shows every character.
 */
export function toPdfText(text: string): string {
  return [...text.normalize('NFC').replace(/[\p{Cc}\p{Cf}]+/gu, ' ')].map(nearest).join('');
}
