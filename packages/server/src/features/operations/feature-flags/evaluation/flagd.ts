import { ErrorCode, type Logger } from '@openfeature/core';
import { FeatureFlag, type FlagdCoreOptions, MemoryStorage } from '@openfeature/flagd-core';
import type { JsonObject, Path } from '../definition/problems.ts';

/** flagd tells of every rule that matches nothing; who asks is told in the answer. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Rules come from a database: they are interpreted, never turned into code. It is no slower (docs/benchmarks.md). */
const options: FlagdCoreOptions = { disableDynamicCodeGeneration: true };

/** Makes a flag of a stored definition. Throws for one that `flagdMistake` would not have let in. */
export function toFlag(key: string, definition: JsonObject): FeatureFlag {
  return new FeatureFlag(key, definition as never, silent, options);
}

/** What a flag is for a context. */
export type Resolution = ReturnType<FeatureFlag['evaluate']>;

export function resolveFlag(flag: FeatureFlag, context: JsonObject): Resolution {
  return flag.evaluate(context as never, silent);
}

interface Mistake {
  readonly path: Path;
  readonly message: string;
}

const key = 'flag';

/** Why flagd itself refuses a definition, by its strict schema, its structure or its rules; undefined when it does not. */
export function flagdMistake(definition: JsonObject): Mistake | undefined {
  const storage = new MemoryStorage(silent, options);
  try {
    storage.setConfigurations(JSON.stringify({ flags: { [key]: definition } }), true);
  } catch (error) {
    return {
      path: deepestPath(error),
      message: 'must be as flagd expects it (https://flagd.dev/schema/v0/flags.json)',
    };
  }
  const flag = storage.getFlag(key);
  if (flag === undefined || resolveFlag(flag, {}).errorCode === ErrorCode.PARSE_ERROR) {
    return { path: ['targeting'], message: 'must be a rule that flagd can evaluate' };
  }
  return undefined;
}

/** flagd's error lists what every alternative of its schema said; the one that got furthest was meant. */
function deepestPath(error: unknown): Path {
  const [, list] = /^[^[]*(\[.*\])$/s.exec(error instanceof Error ? error.message : '') ?? [];
  if (list === undefined) return [];
  const paths = (JSON.parse(list) as { instancePath: string }[]).map(({ instancePath }) =>
    instancePath.split('/').slice(3),
  );
  return paths.reduce((deepest, path) => (path.length > deepest.length ? path : deepest), []);
}
