import { ErrorCode, type Logger } from '@openfeature/core';
import { FeatureFlag, type FlagdCoreOptions, MemoryStorage } from '@openfeature/flagd-core';
import type { JsonObject, Path } from '../definition/problems.ts';

/** flagd logs every rule that matches nothing. The response reports that already, so the log is discarded. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Rules come from a database, so flagd must interpret them and never compile them to code. Interpreting them is not
 * slower (docs/benchmarks.md).
 */
const options: FlagdCoreOptions = { disableDynamicCodeGeneration: true };

/** Creates flagd's flag from a stored definition. Throws for a definition that `flagdMistake` refuses. */
export function toFlag(key: string, definition: JsonObject): FeatureFlag {
  return new FeatureFlag(key, definition as never, silent, options);
}

/** The result of flagd's evaluation of a flag for a context. */
export type Resolution = ReturnType<FeatureFlag['evaluate']>;

/** Evaluates a flag for a context. */
export function resolveFlag(flag: FeatureFlag, context: JsonObject): Resolution {
  return flag.evaluate(context as never, silent);
}

interface Mistake {
  readonly path: Path;
  readonly message: string;
}

const key = 'flag';

/**
 * Returns why flagd refuses a definition: a violation of its strict schema, its structure or its rules. Returns
 * undefined if flagd accepts it.
 */
export function flagdMistake(definition: JsonObject): Mistake | undefined {
  const storage = new MemoryStorage(silent, options);
  try {
    storage.setConfigurations(JSON.stringify({ flags: { [key]: definition } }), true);
  } catch (error) {
    return {
      path: deepestPath(error),
      message: 'must match the schema of flagd (https://flagd.dev/schema/v0/flags.json)',
    };
  }
  const flag = storage.getFlag(key);
  if (flag === undefined || resolveFlag(flag, {}).errorCode === ErrorCode.PARSE_ERROR) {
    return { path: ['targeting'], message: 'must be a rule that flagd can evaluate' };
  }
  return undefined;
}

/**
 * flagd's error lists the errors of every alternative of its schema. Returns the deepest path, which most likely
 * belongs to the intended alternative.
 */
function deepestPath(error: unknown): Path {
  const [, list] = /^[^[]*(\[.*\])$/s.exec(error instanceof Error ? error.message : '') ?? [];
  if (list === undefined) return [];
  const paths = (JSON.parse(list) as { instancePath: string }[]).map(({ instancePath }) =>
    instancePath.split('/').slice(3),
  );
  return paths.reduce((deepest, path) => (path.length > deepest.length ? path : deepest), []);
}
