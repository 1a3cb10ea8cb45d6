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
