import type { SemVer } from 'semver';
import coerce from 'semver/functions/coerce.js';
import parse from 'semver/functions/parse.js';

/** Longer texts and more texts than these are parsed each time. Together they bound the memory to a few hundred KB. */
const keptLengthMax = 64;
const keptMax = 1_000;
/** Parsed texts. Applications send few different versions, and parsing is most of the cost of a comparison. */
const kept = new Map<string, SemVer | null>();

/**
 * Reads a version as flagd does: a leading "v" is ignored, and "1" and "1.2" are completed with zeros. Returns null for
 * a text that is not a version.
 */
export function readVersion(value: unknown): SemVer | null {
  const text = String(value);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const version = parseVersion(text.replace(/^[vV]/, ''));
  if (text.length <= keptLengthMax) keep(text, version);
  return version;
}

function parseVersion(text: string): SemVer | null {
  return parse(text) ?? (/^\d+(\.\d+)?$/.test(text) ? coerce(text) : null);
}

function keep(text: string, version: SemVer | null): void {
  if (kept.size >= keptMax) kept.clear();
  kept.set(text, version);
}

/** Returns true for a version that flagd's operator `sem_ver` can read, such as "1.2.3", "v1.2" or 1. */
export function isVersion(value: unknown): boolean {
  try {
    return readVersion(value) !== null;
  } catch {
    // A list of objects may have no text, because JSON can give an object a `toString` that is not a function.
    return false;
  }
}
