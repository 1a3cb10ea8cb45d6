import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from './clients.ts';

/** Raw API keys and access tokens, wherever they appear. No text contains two of them that overlap. */
const tokenPattern = /(?:vx|service|holder)_[0-9a-f]{64}/g;
/** Webhook secrets in a response. */
const webhookSecretPattern = /whsec_[A-Za-z0-9+/]{32,}/g;
/** License keys are not secrets, but logs must not contain them. */
const licenseKeyPattern = /"key":"((?!vx_)[^"]{8,})"/g;

/** Collects the secrets in a service's responses and searches its logs, errors and databases for them. */
export interface SecretWatch {
  /** A secret that a test chose: a password, an application key, a token from a mail. */
  note(secret: string): void;
  /** Records a response: the secrets of a successful one are collected; a failure must contain none. */
  answer(status: number, text: string): void;
  log(text: string): void;
  /** Returns whether any log line contains a text. */
  logged(text: string): boolean;
  /** Returns the parsed log lines that contain a text, in their order. */
  // biome-ignore lint/suspicious/noExplicitAny: any field of the log; the assertions check its shape.
  linesWith(text: string): any[];
  /** Lists the places in which secrets were found; empty if there are none. */
  leaks(databases: DatabaseLocations): Promise<string[]>;
}

/** The folder of the embedded engine's files, or the URL of the platform database. */
export type DatabaseLocations = { readonly dataDir: string } | { readonly platformUrl: string };

export function createSecretWatch(): SecretWatch {
  const secrets = new Set<string>();
  /** Searched for by their pattern, because a suite may have hundreds. */
  const tokens = new Set<string>();
  const licenseKeys = new Set<string>();
  const logs: string[] = [];
  const failures: string[] = [];
  return {
    note: (secret) => void secrets.add(secret),
    log: (text) => void logs.push(text),
    logged: (text) => logs.some((line) => line.includes(text)),
    linesWith: (text) => logs.filter((line) => line.includes(text)).map((line) => JSON.parse(line)),
    answer(status, text) {
      if (status >= 400) failures.push(text);
      for (const [token] of text.matchAll(tokenPattern)) tokens.add(token);
      for (const [secret] of text.matchAll(webhookSecretPattern)) secrets.add(secret);
      for (const [, key] of text.matchAll(licenseKeyPattern)) if (key !== undefined) licenseKeys.add(key);
    },
    async leaks(locations) {
      const found = new Set<string>();
      const search = (place: string, text: string, needles: Iterable<string>) => {
        const inText = [...needles].filter((needle) => text.includes(needle));
        const held = [...inText, ...(text.match(tokenPattern) ?? []).filter((token) => tokens.has(token))];
        for (const needle of held) found.add(`${place} holds ${needle.slice(0, 12)}…`);
      };
      search('a log', logs.join('\n'), [...secrets, ...licenseKeys]);
      search('an error', failures.join('\n'), secrets);
      for (const [place, text] of await databaseTexts(locations)) search(place, text, secrets);
      return [...found];
    },
  };
}

function databaseTexts(locations: DatabaseLocations): Promise<[string, string][]> {
  return 'dataDir' in locations ? fileTexts(locations.dataDir) : serverTexts(locations.platformUrl);
}

/** Lists every database file including its write-ahead log, which may still contain deleted data. */
async function fileTexts(dataDir: string): Promise<[string, string][]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.db(-wal|-shm|-journal)?$/.test(entry.name));
  return Promise.all(
    files.map(async (file): Promise<[string, string]> => {
      const path = join(file.parentPath, file.name);
      return [path, await readFile(path, 'latin1')];
    }),
  );
}

async function serverTexts(platformUrl: string): Promise<[string, string][]> {
  const texts = await tableTexts(platformUrl);
  for (const databaseName of await tenantDatabaseNames(platformUrl)) {
    const url = new URL(platformUrl);
    url.pathname = `/${databaseName}`;
    texts.push(...(await tableTexts(url.href)));
  }
  return texts;
}

async function tenantDatabaseNames(platformUrl: string): Promise<string[]> {
  return withClient(platformUrl, async (client) => {
    const { rows } = await client.query('select database_name from tenants where database_name is not null');
    return rows.map((row) => row.database_name);
  });
}

async function tableTexts(url: string): Promise<[string, string][]> {
  return withClient(url, async (client) => {
    // A table whose file is empty has never had a row. Most are empty, and opening each costs the server time.
    const { rows: tables } = await client.query(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0",
    );
    const names: string[] = tables.map(({ relname }) => relname);
    // One round trip for all of them: a suite may have hundreds of databases.
    const each = names.map((name) => `select '${name}' as name, t::text as text from "${name}" t`);
    const { rows } = await client.query(each.join(' union all '));
    const texts = new Map(names.map((name): [string, string[]] => [name, []]));
    for (const { name, text } of rows) texts.get(name)?.push(text);
    return Array.from(texts, ([name, lines]): [string, string] => [`${client.database}.${name}`, lines.join('\n')]);
  });
}
