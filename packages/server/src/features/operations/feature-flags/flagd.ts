import { FeatureFlag } from '@openfeature/flagd-core';

// The library takes 25 ms of CPU time and 2 MB to load. Only the evaluation and the check of definitions import this
// file, and they are loaded with the first flag.

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Parses a definition that `definitionProblems` accepts. */
export function parseFlag(key: string, definition: unknown): FeatureFlag {
  // Rules come from a database, so no code is generated from them.
  return new FeatureFlag(key, definition as never, silent, { disableDynamicCodeGeneration: true });
}

const version = { var: 'version' };
const versionRule = parseFlag('version', {
  state: 'ENABLED',
  variants: { true: true },
  targeting: { sem_ver: [version, '=', version] },
});

/** Returns true for a version that flagd's operator `sem_ver` can read, such as "1.2.3", "v1.2" or 1. */
export function isVersion(value: unknown): boolean {
  let text: string;
  try {
    text = String(value);
  } catch {
    // JSON can give an object a `toString` that is not a function.
    return false;
  }
  return versionRule.evaluate({ version: text }).reason === 'TARGETING_MATCH';
}
