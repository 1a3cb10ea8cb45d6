/** Returns the simple case folding of a letter, as Unicode defines it (CaseFolding.txt, statuses C and S). */
function foldLetter(letter: string): string {
  // The dotless ı is the only letter whose upper case is another letter's although the two do not fold together.
  const upper = letter === 'ı' ? letter : letter.toUpperCase();
  const folded = (upper.length === letter.length ? upper : letter).toLowerCase();
  return folded.length === letter.length ? folded : letter;
}

/**
 * Returns the spelling by which email addresses are compared, everywhere: trimmed, in Unicode NFC, and with folded case.
 * SQL folds only A to Z (`foldedEmail` in db/dialect.ts); `storedEmail` makes that enough.
 */
export function foldEmail(email: string): string {
  const trimmed = email.trim();
  return isAscii(trimmed) ? trimmed.toLowerCase() : trimmed.normalize('NFC').replaceAll(/./gsu, foldLetter);
}

/**
 * Returns the spelling in which the address of a holder is stored and shown: as the caller wrote it, or folded if it has
 * letters beyond ASCII, because SQL cannot fold these.
 */
export function storedEmail(email: string): string {
  return isAscii(email) ? email : foldEmail(email);
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

// RFC 5322 and 6531 without quoted names and domain literals: each of these texts is one mailbox, and a mailer addresses
// no other. Invisible characters and those that a parser of addresses takes for separators are no part of them.
const address = /^[^\s\p{C}()<>[\]:;@\\,"]+@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+$/u;

/**
 * Returns true if a text is an email address: the one rule of every surface. It has at most 254 characters (RFC 5321) and
 * a domain with a dot, because nobody has mail at `ada@example`.
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && address.test(text);
}
