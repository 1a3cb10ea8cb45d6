import { readFileSync } from 'node:fs';

/** Variables that hold secrets. Each may be given as `<name>_FILE` instead: the path of a file with the value. */
export const secretVariables = [
  'APP_KEY',
  'APP_PREVIOUS_KEYS',
  'DATABASE_URL',
  'TENANT_DATABASE_URLS',
  'VALKEY_URL',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/**
 * The environment with what stands in the files of `<name>_FILE` under `<name>`, so that secrets can be mounted by
 * Docker, Kubernetes and systemd and stay out of the process's environment. Appends to `problems`, without any content.
 */
export function withSecretFiles(env: NodeJS.ProcessEnv, problems: string[]): NodeJS.ProcessEnv {
  const read = { ...env };
  for (const name of secretVariables) {
    const path = env[`${name}_FILE`]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) problems.push(`${name} and ${name}_FILE are both set: keep one of them.`);
    else read[name] = readSecret(name, path, problems);
  }
  return read;
}

function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim();
    if (content === '') problems.push(`${name}_FILE names ${path}, which is empty.`);
    return content;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    problems.push(`${name}_FILE names ${path}, which cannot be read (${code}).`);
    return undefined;
  }
}
