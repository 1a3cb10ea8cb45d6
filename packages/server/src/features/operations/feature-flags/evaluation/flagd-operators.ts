import type { JsonObject } from '../definition/problems.ts';
import { bucketOf } from './fractional.ts';
import { readVersion } from './versions.ts';

/** An operator that flagd adds to JsonLogic. It returns null for arguments that it does not accept. */
export type Operator = (args: readonly unknown[], context: JsonObject) => unknown;

const startsWith: Operator = (args) => {
  const [text, start] = args;
  return args.length === 2 && typeof text === 'string' && typeof start === 'string' ? text.startsWith(start) : null;
};

const endsWith: Operator = (args) => {
  const [text, end] = args;
  return args.length === 2 && typeof text === 'string' && typeof end === 'string' ? text.endsWith(end) : null;
};

const compareVersions: Operator = (args) => {
  if (args.length !== 3) return null;
  const [left, right] = [readVersion(args[0]), readVersion(args[2])];
  if (left === null || right === null) return null;
  switch (String(args[1])) {
    case '=':
      return left.compare(right) === 0;
    case '!=':
      return left.compare(right) !== 0;
    case '<':
      return left.compare(right) < 0;
    case '<=':
      return left.compare(right) <= 0;
    case '>=':
      return left.compare(right) >= 0;
    case '>':
      return left.compare(right) > 0;
    case '^':
      return left.major === right.major;
    case '~':
      return left.major === right.major && left.minor === right.minor;
    default:
      return null;
  }
};

/** A text as the first argument replaces the text that is hashed by default, the key of the flag and `targetingKey`. */
function fractional(flagKey: string, args: readonly unknown[], context: JsonObject): unknown {
  const [seed] = args;
  if (typeof seed === 'string') return bucketOf(seed, args, 1);
  const targetingKey = context['targetingKey'];
  return args.length === 0 || !targetingKey ? null : bucketOf(`${flagKey}${targetingKey}`, args, 0);
}

/** Returns flagd's operators by name, for the rule of one flag. */
export function flagdOperators(flagKey: string): ReadonlyMap<string, Operator> {
  return new Map<string, Operator>([
    ['starts_with', startsWith],
    ['ends_with', endsWith],
    ['sem_ver', compareVersions],
    ['fractional', (args, context) => fractional(flagKey, args, context)],
  ]);
}
