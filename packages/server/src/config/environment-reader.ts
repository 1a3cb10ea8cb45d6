/** Reads environment variables and collects every mistake, so that one start reports all of them. */
export interface EnvironmentReader {
  /** The trimmed value; null when the variable is absent or empty. */
  text(name: string): string | null;
  /** The trimmed, non-empty items of a comma-separated value. */
  list(name: string): readonly string[];
  /** A whole number within the range (`min` and `max` included); the default when the variable is absent or invalid. */
  integer(name: string, range: { default: number; min: number; max: number }): number;
  /** `true` or `false`; false when the variable is absent. */
  flag(name: string): boolean;
  /** Records a mistake: one sentence without secrets. */
  problem(sentence: string): void;
}

/** Creates a reader of `env` that appends every mistake to `problems`. */
export function createEnvironmentReader(env: NodeJS.ProcessEnv, problems: string[]): EnvironmentReader {
  const text = (name: string) => env[name]?.trim() || null;
  return {
    text,
    list: (name) =>
      (text(name) ?? '')
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    integer(name, range) {
      const value = text(name);
      if (value === null) return range.default;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= range.min && number <= range.max) return number;
      problems.push(`${name} must be a whole number from ${range.min} to ${range.max}.`);
      return range.default;
    },
    flag(name) {
      const value = text(name) ?? 'false';
      if (value !== 'true' && value !== 'false') problems.push(`${name} must be true or false.`);
      return value === 'true';
    },
    problem: (sentence) => problems.push(sentence),
  };
}
