import type { SettingName } from './setting-names.ts';

/** Reads environment variables and collects every mistake, so that one start reports all of them. */
export interface EnvironmentReader {
  /** The trimmed value; null when the variable is absent or empty. */
  text(name: SettingName): string | null;
  /** The trimmed, non-empty items of a comma-separated value. */
  list(name: SettingName): readonly string[];
  /** A whole number within the range (`min` and `max` included); the default when the variable is absent or invalid. */
  integer(name: SettingName, range: { default: number; min: number; max: number }): number;
  /** As `integer`; null when the variable is absent or invalid. */
  optionalInteger(name: SettingName, range: { min: number; max: number }): number | null;
  /** `true` or `false`; the default, which is false, when the variable is absent. */
  flag(name: SettingName, byDefault?: boolean): boolean;
  /** Records a mistake: one sentence without secrets. */
  problem(sentence: string): void;
}

/** Creates a reader of `env` that appends every mistake to `problems`. */
export function createEnvironmentReader(env: NodeJS.ProcessEnv, problems: string[]): EnvironmentReader {
  const text = (name: SettingName) => env[name]?.trim() || null;
  function integer(name: SettingName, { min, max }: { min: number; max: number }): number | null {
    const value = text(name);
    if (value === null) return null;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    problems.push(`${name} must be a whole number from ${min} to ${max}.`);
    return null;
  }
  return {
    text,
    list: (name) =>
      (text(name) ?? '')
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    integer: (name, range) => integer(name, range) ?? range.default,
    optionalInteger: integer,
    flag(name, byDefault = false) {
      const value = text(name) ?? String(byDefault);
      if (value !== 'true' && value !== 'false') problems.push(`${name} must be true or false.`);
      return value === 'true';
    },
    problem: (sentence) => problems.push(sentence),
  };
}

/** All mistakes in the configuration, one sentence each. No sentence contains a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}:\n- ${problems.join('\n- ')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
