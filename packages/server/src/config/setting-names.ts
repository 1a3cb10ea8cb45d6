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
  'OTEL_EXPORTER_OTLP_HEADERS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/** THE list of the environment variables that the configuration reads, without the `_FILE` variants of secrets. */
export const settingNames = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'DRAIN_SECONDS',
  'TRUST_PROXY',
  'CORS_ORIGINS',
  'LOG_LEVEL',
  'LOG_ADDRESSES',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'DATA_DIR',
  'APP_KEY',
  'APP_PREVIOUS_KEYS',
  'DATABASE_URL',
  'TENANT_DATABASE_URLS',
  'VALKEY_URL',
  'TENANT_POOL_SIZE',
  'TENANT_CONNECTIONS_PER_SERVER',
  'METRICS_TOKEN',
  'METRICS_PORT',
  'SMTP_URL',
  'MAIL_FROM',
  'HOLDER_MAILS_PER_DAY',
  'WEBHOOK_ALLOWED_CIDRS',
  'WEBHOOK_ALLOW_HTTP',
  'ADMIN_TWO_FACTOR',
  'ADMIN_TOKEN_TTL_HOURS',
  'USER_TOKEN_TTL_DAYS',
  'SIGN_UP',
  'FREE_TENANTS_PER_USER',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'OIDC_SIGN_UP',
  'OIDC_ADMIN_CLAIM',
  'PAYMENT_PROVIDER',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_API_URL',
  'STRIPE_TAX',
  'PAYMENT_GRACE_DAYS',
  'SELLER_NAME',
  'SELLER_ADDRESS',
  'SELLER_COUNTRY',
  'SELLER_TAX_ID',
  'TAX_RATES',
] as const;

/** The name of a variable that the configuration reads. */
export type SettingName = (typeof settingNames)[number];

/** Every variable that has an effect: the settings, and for each secret its `_FILE` variant. */
export const variableNames: readonly string[] = [...settingNames, ...secretVariables.map((name) => `${name}_FILE`)];

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
