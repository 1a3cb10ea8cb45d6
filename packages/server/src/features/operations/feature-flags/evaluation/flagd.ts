import { ErrorCode, type Logger } from '@openfeature/core';
import { FeatureFlag, type FlagdCoreOptions } from '@openfeature/flagd-core';
import type { JsonObject } from '../definition/problems.ts';

/** flagd logs every rule that matches nothing. The response reports that already, so the log is discarded. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Rules come from a database, so flagd must interpret them and never compile them to code. Interpreting them is not
 * slower (docs/benchmarks.md).
 */
const options: FlagdCoreOptions = { disableDynamicCodeGeneration: true };

/** Creates flagd's flag from a stored definition. Throws for a definition that `isEvaluable` refuses. */
export function toFlag(key: string, definition: JsonObject): FeatureFlag {
  return new FeatureFlag(key, definition as never, silent, options);
}

/** The result of flagd's evaluation of a flag for a context. */
export type Resolution = ReturnType<FeatureFlag['evaluate']>;

/** Evaluates a flag for a context. */
export function resolveFlag(flag: FeatureFlag, context: JsonObject): Resolution {
  return flag.evaluate(context as never, silent);
}

/** Returns true if flagd accepts a definition: its structure, and the rule once it is evaluated. */
export function isEvaluable(definition: JsonObject): boolean {
  try {
    return resolveFlag(toFlag('flag', definition), {}).errorCode !== ErrorCode.PARSE_ERROR;
  } catch {
    return false;
  }
}

/** Compares a version with itself, which has a result only if flagd can read the version. */
const comparesVersion = toFlag('version', {
  state: 'ENABLED',
  variants: { true: true },
  targeting: { sem_ver: [{ var: 'version' }, '=', { var: 'version' }] },
});

/** Returns true for a version that flagd's operator `sem_ver` can read, such as "1.2.3", "v1.2" or 1. */
export function isVersion(version: unknown): boolean {
  return resolveFlag(comparesVersion, { version }).value === true;
}
