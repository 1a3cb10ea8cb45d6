import { readFileSync } from 'node:fs';

/** Variables that contain secrets. `<name>_FILE` may hold the path of a file with the value instead. */
export const secretVariables = [
  'APP_KEY',
  'APP_PREVIOUS_KEYS',
  'DATABASE_URL',
  'TENANT_DATABASE_URLS',
  'VALKEY_URL',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/**
 * Returns the environment with the content of each `<name>_FILE` under `<name>`. Docker, Kubernetes and systemd can
 * mount secrets as files, which keeps them out of the process's environment. Appends mistakes to `problems`, which
 * never include a file's content.
 */
export function withSecretFiles(env: NodeJS.ProcessEnv, problems: string[]): NodeJS.ProcessEnv {
  const read = { ...env };
  for (const name of secretVariables) {
    const path = env[`${name}_FILE`]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) problems.push(`${name} and ${name}_FILE are both set: remove one of them.`);
    else read[name] = readSecret(name, path, problems);
  }
  return read;
}

function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim();
    if (content === '') problems.push(`${name}_FILE names ${path}, which is empty: write the secret into the file.`);
    return content;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    problems.push(`${name}_FILE names ${path}, which cannot be read (${code}): correct the path or the permissions.`);
    return undefined;
  }
}
