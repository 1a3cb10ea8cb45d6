import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { collectRoutes } from '../../scripts/collect-routes.ts';
import { type App, buildApp } from '../../src/app.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { platformFile } from '../../src/config/data-dir.ts';
import type { Engine } from '../../src/db/database.ts';
import { documentParts } from '../../src/surfaces/document-parts.ts';
import { serviceVersion } from '../../src/version.ts';
import { copyPlatformTemplate, createPlatformDatabase, onServer, platformTemplate } from './platform-template.ts';
import { checkEveryServer, type Violation, violationsFile } from './response-checks.ts';
import { createSecretWatch, type SecretWatch } from './secret-watch.ts';
import { newValkeyDatabase } from './valkey-server.ts';

export const engine: Engine = process.env['ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** The storage of one service: a temporary folder and, on PostgreSQL, a database. */
export interface TestSite {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

const appKey = 'test-application-key-0123456789abcdef';

/** The compile cache that processes of the program share; it halves their start time. */
const compileCache = join(tmpdir(), 'node-compile-cache');

/** Creates an empty site, by default on the engine of the suite. */
export async function createSite(on: Engine = engine): Promise<TestSite> {
  const dataDir = await mkdtemp(join(tmpdir(), 'licensing-test-'));
  const removeFolder = async () => {
    const file = join(dataDir, violationsFile);
    const violated = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    await rm(dataDir, { recursive: true, force: true });
    throwIfViolated(violated);
  };
  const valkey = process.env['RATE_LIMITS'] === 'valkey' ? await newValkeyDatabase(inject('valkeyUrl')) : undefined;
  const env = {
    ...(valkey !== undefined && { VALKEY_URL: valkey }),
    DATA_DIR: dataDir,
    APP_KEY: appKey,
    LOG_LEVEL: 'info',
    PORT: '0',
    NODE_COMPILE_CACHE: compileCache,
  };
  if (on === 'sqlite') return { dataDir, env, remove: removeFolder };
  const serverUrl = inject('postgresUrl');
  const name = `platform_${randomUUID().replaceAll('-', '')}`;
  const url = await createPlatformDatabase(serverUrl, name, platformTemplate);
  return {
    dataDir,
    env: { ...env, DATABASE_URL: url },
    async remove() {
      await dropTenantDatabases(url);
      await onServer(serverUrl, [`drop database ${name} with (force)`]);
      await removeFolder();
    },
  };
}

async function dropTenantDatabases(platformUrl: string): Promise<void> {
  const client = new Client({ connectionString: platformUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select database_name from tenants where database_name is not null');
    for (const { database_name } of rows) {
      await client.query(`drop database if exists ${database_name} with (force)`);
      await client.query(`drop role if exists ${database_name}`);
    }
  } finally {
    await client.end();
  }
}

/** A running service under test; requests go through its whole HTTP stack without a socket. */
export interface TestApp extends App {
  readonly config: Config;
  readonly site: TestSite;
  readonly secrets: SecretWatch;
  /** Sends one request and parses the response. */
  request(options: InjectOptions): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
  readonly body: any;
  readonly text: string;
}

function toAnswer(response: LightMyRequestResponse): Answer {
  const isJson = String(response.headers['content-type'] ?? '').match(/^application\/(\S+\+)?json\b/) !== null;
  return {
    status: response.statusCode,
    headers: response.headers,
    // A response to HEAD has the headers of a body but no body.
    body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
    text: response.body,
  };
}

/** The responses of each service that differ from what their route declares. */
const violations = new WeakMap<FastifyInstance, Violation[]>();

checkEveryServer((http) => {
  const ofService: Violation[] = [];
  violations.set(http, ofService);
  return (violation) => void ofService.push(violation);
});

/** Throws if a service sent a response, to the given request if any, that differs from what its route declares. */
function expectDeclaredResponses(http: FastifyInstance, requestId?: unknown): void {
  const all = violations.get(http) ?? [];
  const found = all.filter((violation) => requestId === undefined || violation.requestId === requestId);
  throwIfViolated(found.map(({ text }) => text));
}

function throwIfViolated(texts: readonly string[]): void {
  if (texts.length === 0) return;
  throw new Error(`Responses differ from what their routes declare:\n${[...new Set(texts)].join('\n')}`);
}

type Dependencies = Parameters<typeof buildApp>[1];

/** Starts a service on a site. Its logs and responses are recorded, to search them for secrets later. */
export async function startApp(
  site: TestSite,
  env: NodeJS.ProcessEnv = {},
  migrations?: Dependencies['migrations'],
  clock?: Dependencies['clock'],
): Promise<TestApp> {
  const config = loadConfig({ ...site.env, ...env });
  if (migrations === undefined && config.databaseUrl === null && config.appKey !== null) {
    await copyPlatformTemplate(platformFile(config.dataDir));
  }
  const secrets = createSecretWatch();
  secrets.note(appKey);
  const logs = new Writable({
    write(chunk, _encoding, done) {
      secrets.log(String(chunk));
      done();
    },
  });
  const app = await buildApp(config, {
    logger: pino({ level: config.logLevel }, logs),
    windowClock: { nowMs: () => Date.now() },
    // Tests send nothing to the internet, where each attempt would wait for its timeout.
    shopFetch: () => Promise.reject(new TypeError('The tests reach no shop.')),
    resolveTxt: () => Promise.reject(new Error('The tests ask no name server.')),
    async beforeRoutes(http) {
      await collectRoutes(http, { version: serviceVersion, ...documentParts });
    },
    ...(migrations && { migrations }),
    ...(clock && { clock }),
  });
  return {
    ...app,
    config,
    site,
    secrets,
    async request(options) {
      const answer = toAnswer(await app.http.inject(options));
      secrets.answer(answer.status, answer.text);
      expectDeclaredResponses(app.http, answer.headers['x-request-id']);
      return answer;
    },
  };
}

/**
 * Stops a service and keeps its site. Throws if a log, an error or a database contains a secret of a response, or if a
 * response differed from what its route declares.
 */
export async function stopApp(app: TestApp): Promise<void> {
  await app.close();
  expectDeclaredResponses(app.http);
  const { databaseUrl, dataDir } = app.config;
  const leaks = await app.secrets.leaks(databaseUrl === null ? { dataDir } : { platformUrl: databaseUrl });
  if (leaks.length > 0) throw new Error(`Secrets were found where they must not be stored:\n${leaks.join('\n')}`);
}

/**
 * Starts one service for the suite file before its first test and removes it after its last. `env` can be a function, for
 * settings that must be found first, such as a free port.
 */
export function useApp(env: NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>) = {}): { readonly app: TestApp } {
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await startApp(await createSite(), typeof env === 'function' ? await env() : env);
  });
  afterAll(async () => {
    if (app === undefined) return;
    try {
      await stopApp(app);
    } finally {
      await app.site.remove();
    }
  });
  return {
    get app() {
      if (app === undefined) throw new Error('The service exists only inside tests and hooks.');
      return app;
    },
  };
}

/**
 * Stops the clock for the suite: `Date` changes only by `advance` and `set`. Timers stay real, because the database
 * drivers need them.
 */
export function useClock(start = '2026-11-20T12:00:00.000Z') {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(start) });
  });
  afterAll(() => {
    vi.useRealTimers();
  });
  return {
    advance: (durationMs: number) => vi.setSystemTime(Date.now() + durationMs),
    set: (moment: string) => vi.setSystemTime(new Date(moment)),
  };
}
