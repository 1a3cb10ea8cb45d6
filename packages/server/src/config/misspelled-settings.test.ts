import { expect, test } from 'vitest';
import { configurationVariables } from '../../test/deployment/files.ts';
import { loadConfig } from './config.ts';
import { problemsOf } from './config-problems.fixture.ts';
import { editDistance, nearestSetting } from './misspelled-settings.ts';
import { variableNames } from './setting-names.ts';

test('the list of settings has exactly the variables that the configuration reads', () => {
  expect([...variableNames].sort()).toEqual([...configurationVariables()].sort());
});

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATA_BASE_URL', 'DATABASE_URL'],
  ['DATABASE_URLS', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['Database_Url', 'DATABASE_URL'],
  ['DATABASE-URL', 'DATABASE_URL'],
  ['DATABASE_URL_FILES', 'DATABASE_URL_FILE'],
  ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['TENANT_DATABASE_URL', 'TENANT_DATABASE_URLS'],
  ['TENANTS_DATABASE_URL', 'TENANT_DATABASE_URLS'],
  ['TENANT_DATABASES_URLS', 'TENANT_DATABASE_URLS'],
  ['APP_KEYS', 'APP_KEY'],
  ['APPKEY', 'APP_KEY'],
  ['AP_KEY', 'APP_KEY'],
  ['APP_KEYFILE', 'APP_KEY_FILE'],
  ['APP_PREVIOUS_KEY', 'APP_PREVIOUS_KEYS'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DIRS', 'DATA_DIR'],
  ['DAT_ADIR', 'DATA_DIR'],
  ['TRUSTED_PROXIES', 'TRUST_PROXY'],
  ['TRUST_PROXIES', 'TRUST_PROXY'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['SMTP_URI', 'SMTP_URL'],
  ['STMP_URL', 'SMTP_URL'],
  ['VALKEY_URI', 'VALKEY_URL'],
  ['METRIC_TOKEN', 'METRICS_TOKEN'],
  ['METRICS_PROT', 'METRICS_PORT'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['MAIL_FORM', 'MAIL_FROM'],
  ['PAYMENTS_PROVIDER', 'PAYMENT_PROVIDER'],
  ['STRIPE_WEBHOOKS_SECRET', 'STRIPE_WEBHOOK_SECRET'],
  ['WEBHOOKS_ALLOW_HTTP', 'WEBHOOK_ALLOW_HTTP'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['Host', 'HOST'],
  ['HSOT', 'HOST'],
])('%s is reported as a mistake for %s', (name, setting) => {
  expect(nearestSetting(name)).toBe(setting);
});

/** Names from environments in which the service runs; none of them is meant for it. */
const environments: Readonly<Record<string, string>> = {
  shell:
    'HOME USER LOGNAME SHELL PATH PWD OLDPWD TERM LANG LANGUAGE LC_ALL TZ EDITOR PAGER HOSTNAME HOSTTYPE OSTYPE MACHTYPE GROUP ' +
    'VENDOR SHLVL DISPLAY MAIL MAILTO TMPDIR TEMP TMP COLUMNS LINES SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK ' +
    'XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SUDO_USER SUDO_UID DEBUG ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy ftp_proxy CI PS1 _ COLORTERM',
  npm:
    'NODE NODE_ENV NODE_OPTIONS NODE_PATH NODE_PORT NODE_HOST NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE INIT_CWD COLOR ' +
    'npm_command npm_config_cache npm_config_global_prefix npm_config_globalconfig npm_config_init_module ' +
    'npm_config_local_prefix npm_config_node_gyp npm_config_noproxy npm_config_npm_version npm_config_prefix ' +
    'npm_config_user_agent npm_config_userconfig npm_config_registry npm_config_host npm_config_port npm_execpath ' +
    'npm_lifecycle_event npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version ' +
    'npm_config_loglevel NPM_CONFIG_LOGLEVEL',
  systemd:
    'INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID STATE_DIRECTORY RUNTIME_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY ' +
    'CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY MAINPID NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID LISTEN_FDS ' +
    'LISTEN_PID LISTEN_FDNAMES MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE SERVICE_RESULT EXIT_CODE EXIT_STATUS',
  Docker:
    'container DOCKER_HOST COMPOSE_PROJECT_NAME POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL ' +
    'POSTGRES_HOST POSTGRES_PORT POSTGRES_PASSWORD_FILE DB_PORT_5432_TCP_ADDR DB_NAME DB_ENV_POSTGRES_PASSWORD ' +
    'REDIS_URL VALKEY_PASSWORD VALKEY_PORT VALKEY_HOST LICENSING_VERSION LICENSING_PORT BACKUPS KEEP_DAYS',
  Kubernetes:
    'KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_PORT_443_TCP_PORT ' +
    'KUBERNETES_PORT_443_TCP_PROTO KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS ' +
    'LICENSING_PORT LICENSING_PORT_80_TCP LICENSING_SERVICE_HOST LICENSING_SERVICE_PORT LICENSING_SERVICE_PORT_HTTP ' +
    'VALKEY_SERVICE_HOST VALKEY_SERVICE_PORT VALKEY_PORT_6379_TCP METRICS_SERVICE_HOST METRICS_SERVICE_PORT ' +
    'METRICS_PORT_9090_TCP SMTP_SERVICE_HOST SMTP_PORT MAIL_SERVICE_HOST POD_NAME POD_IP NODE_NAME',
  'other programs':
    'PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGSSLMODE DATABASE DATABASE_NAME DATABASE_HOST DATABASE_PORT ' +
    'DATABASE_USER DB_URL URL HOSTS PORTS LOG LOGS LOG_FILE LOG_FORMAT LOG_DIR APP APP_ENV APP_NAME APP_URL APP_PORT ' +
    'API_KEY API_KEYS API_URL PUBLIC_DIR PUBLIC_KEY PUBLIC_IP BASE_URL SITE_URL STRIPE_API_KEY STRIPE_KEY SMTP_HOST SMTP_USER ' +
    'SMTP_PASSWORD MAIL_HOST MAIL_PORT MAIL_TO OTEL_METRICS_EXPORTER METRICS_PATH METRICS_ENABLED SECRET_KEY JWT_SECRET ' +
    'AWS_SECRET_ACCESS_KEY AWS_REGION GITHUB_TOKEN SENTRY_DSN DYNO WEB_CONCURRENCY POST SORT COST GHOST MOST REPORT',
};

test.each(Object.entries(environments))('no variable of the environment of %s is reported', (_where, names) => {
  const reported = names
    .split(' ')
    .filter((name) => !variableNames.includes(name) && nearestSetting(name) !== undefined);
  expect(reported).toEqual([]);
});

test('loadConfig reports misspelled settings together with all other mistakes', () => {
  expect(problemsOf({ DATABSE_URL: 'postgres://u:secret-word@h/d', PORT: 'x', DATA_DIRS: '/data' })).toEqual([
    expect.stringMatching(/^PORT must be/),
    'DATABSE_URL is not a setting; did you mean DATABASE_URL? Rename it, or remove it.',
    'DATA_DIRS is not a setting; did you mean DATA_DIR? Rename it, or remove it.',
  ]);
});

test.each([
  { APIKEY: 'x', LOGLEVEL: 'debug', APP_KEYS: 'y', METRIC_TOKEN: 'z' },
  { DATA_DIRS: '/data', DATA_DIR: '/data' },
  // Two edits away.
  { DATABSE_URI: 'postgres://u@h/d' },
])('loadConfig warns of %j and starts, because another program may read it', (env) => {
  const { warnings } = loadConfig(env);
  const misspelled = Object.keys(env).filter((name) => nearestSetting(name) !== undefined);
  expect(warnings).toEqual(misspelled.map((name) => expect.stringContaining(`${name} is not a setting; did you mean`)));
});

test('loadConfig accepts misspelled variables that are empty, and links of services with a similar name', () => {
  const links = { METRIC_PORT: 'tcp://10.0.0.1:9090', METRIC_PORT_9090_TCP: 'tcp://10.0.0.1:9090' };
  expect(problemsOf({ DATABSE_URL: ' ', ...links })).toEqual([]);
});

test.each([
  ['', '', 0],
  ['APPKEY', 'APPKEY', 0],
  ['', 'KEY', 3],
  ['KITTEN', 'SITTING', 3],
  ['DATABASEULR', 'DATABASEURL', 1],
  // A letter that was swapped is not edited again: an unrestricted distance would be 2.
  ['CA', 'ABC', 3],
])('%s and %s are %i edits apart', (one, other, edits) => {
  expect(editDistance(one, other, 3)).toBe(edits);
  expect(editDistance(other, one, 3)).toBe(edits);
});

test('a distance above the maximum is infinite, and one at the maximum is exact', () => {
  expect(editDistance('KITTEN', 'SITTING', 2)).toBe(Number.POSITIVE_INFINITY);
  expect(editDistance('XAB', 'ABX', 1)).toBe(Number.POSITIVE_INFINITY);
  // Every alignment of the second row has an edit; the swap ends in the third.
  expect(editDistance('ABDC', 'ABCD', 1)).toBe(1);
  expect(editDistance('BA', 'AB', 1)).toBe(1);
});
