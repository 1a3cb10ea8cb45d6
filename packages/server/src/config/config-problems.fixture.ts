import { loadConfig } from './config.ts';
import { ConfigError } from './environment-reader.ts';

/** Returns what `loadConfig` reports about an environment; an empty list for a valid one. Rethrows any other error. */
export function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
