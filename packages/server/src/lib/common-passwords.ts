import { readFileSync } from 'node:fs';
import { passwordLength } from './password.ts';

let list: string | undefined;

/** Reads the list without its comments. Each entry stands between line breaks. */
function readList(): string {
  const text = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8');
  return text.slice(text.indexOf('\n\n') + 1);
}

/**
 * Returns why nobody may choose a password, or null. It must be
 * none of the 10,000 most common ones that are long enough, in any spelling of its letters, and no repeated character. A
 * length that is refused anyway has no further reason.
 */
export function weaknessOf(password: string): string | null {
  if (password.length < passwordLength.minLength || password.length > passwordLength.maxLength) return null;
  const text = password.normalize('NFKC').toLowerCase();
  if (new Set(text).size === 1) return 'Choose a password of more than one repeated character.';
  list ??= readList();
  return list.includes(`\n${text}\n`) ? 'This is one of the most common passwords. Choose another one.' : null;
}
