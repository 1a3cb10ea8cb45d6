const identifier = '(?:0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const number = '(?:0|[1-9][0-9]{0,14})';

/** A semantic version (https://semver.org), with numbers of at most 15 digits so that every program reads them exactly. */
export const versionPattern =
  `^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?` +
  '(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$';

const parts = /^([^-+]+)(?:-([^+]+))?/;

/** A number sorts as text when the count of its digits stands before it. */
function sortedNumber(digits: string): string {
  return String(digits.length).padStart(2, '0') + digits;
}

/** A number sorts before a word. The mark after a word sorts before all of its characters, so that a prefix comes first. */
function sortedIdentifier(text: string): string {
  return /^[0-9]+$/.test(text) ? `0${sortedNumber(text)}` : `1${text}!`;
}

/**
 * Returns a text that sorts by bytes as the precedence of the version; versions of the same precedence, which differ only
 * in their build metadata, have the same text.
 */
export function versionSort(version: string): string {
  const [, core = '', prerelease] = parts.exec(version) ?? [];
  const numbers = core.split('.').map(sortedNumber).join('');
  // A release sorts after each of its prereleases.
  return prerelease === undefined
    ? `${numbers}~`
    : `${numbers}-${prerelease.split('.').map(sortedIdentifier).join('')}`;
}
