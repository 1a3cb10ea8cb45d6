import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenApiDocument, type Operation, operationsOf } from '../src/reference/document.ts';
import { referencePages } from '../src/reference/pages.ts';
import { environment } from './support/samples.ts';
import { repositoryRoot, type Service, startService } from './support/service.ts';

const run = promisify(execFile);
type Account = Service['demo']['user'];
const dist = join(import.meta.dirname, '..', 'dist');
const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
const secured = operationsOf(document).filter(({ id, credentials }) => credentials.length > 0 && id !== 'getMetrics');
const samples = readSamples();
let service: Service;
let tokens: { readonly user: string; readonly admin: string };

beforeAll(async () => {
  service = await startService();
  const { user, admin } = service.demo;
  tokens = { user: await logIn(user, 'tenant'), admin: await logIn(admin, 'admin') };
});

afterAll(() => service.stop());

async function logIn(account: Account, ability: 'tenant' | 'admin'): Promise<string> {
  const { email, password } = account;
  const response = await fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, ability }),
  });
  return (await response.json()).data.access_token;
}

/** Returns the sample for curl of each operation, as its page shows it. */
function readSamples(): ReadonlyMap<string, string> {
  const sections = globSync('reference/*/index.html', { cwd: dist }).flatMap((path) =>
    readFileSync(join(dist, path), 'utf8').split('<section class="operation">').slice(1),
  );
  return new Map(
    sections.flatMap((section) => {
      const id = /^<h2 id="([^"]+)"/.exec(section)?.[1];
      const code = /<code class="language-sh">(.*?)<\/code>/s.exec(section)?.[1];
      return id === undefined || code === undefined ? [] : [[id, textOf(code)] as const];
    }),
  );
}

function textOf(html: string): string {
  const names: Readonly<Record<string, string>> = { quot: '"', '#x27': "'", lt: '<', gt: '>', amp: '&' };
  return html.replace(/<[^>]*>/g, '').replace(/&(quot|#x27|lt|gt|amp);/g, (_all, name: string) => names[name] ?? '');
}

/** Runs the sample of an operation and returns the status and the code of the answer. */
async function statusOf({ id, path }: Operation, sample: string): Promise<string> {
  const command = sample.replaceAll('http://127.0.0.1:3000', service.url).replace(/@[\w.]+$/m, '@/dev/null');
  const { stdout } = await run(
    'bash',
    // Without `--norc` it would read ~/.bashrc, because its standard input is a socket.
    ['--norc', '-c', `${command.trimEnd()} --globoff --max-time 5 -o /dev/null -w '%{http_code}'`],
    {
      env: {
        PATH: process.env['PATH'],
        ...environment,
        PORTAL_HANDLE: 'demo',
        LICENSING_API_KEY: service.demo.apiKey,
        LICENSING_TOKEN: path.startsWith('/api/v1/admin/') ? tokens.admin : tokens.user,
      },
    },
  );
  return `${id}: ${stdout}`;
}

const header = /\s*\\\n\s*-H "(?:Authorization|X-API-Key): [^"]*"/;

/** The commands that look values up keep theirs. */
function withoutCredentials(sample: string): string {
  const start = sample.lastIndexOf('\ncurl ') + 1;
  return sample.slice(0, start) + sample.slice(start).replace(header, '');
}

test('the sample of every operation that needs credentials contains them', () => {
  expect(secured.filter(({ id }) => !header.test(samples.get(id) ?? '')).map(({ id }) => id)).toEqual([]);
  expect(secured.length).toBeGreaterThan(100);
});

test('the sample of every operation that reads gets 401 without its credentials, and not with them', async () => {
  const wrong: string[] = [];
  const reading = secured.filter(({ method }) => method === 'get');
  const check = async (operation: Operation) => {
    const sample = samples.get(operation.id) ?? '';
    const [without, given] = [await statusOf(operation, withoutCredentials(sample)), await statusOf(operation, sample)];
    // The session of a holder needs a code from a mail: test/holders/portal-callers.http.test.ts of the server has one.
    const isOfPortal = operation.path.startsWith('/api/v1/portal/');
    if (!without.endsWith(': 401') || (given.endsWith(': 401') && !isOfPortal))
      wrong.push(`${without} without, ${given} with`);
  };
  for (let start = 0; start < reading.length; start += 8) {
    await Promise.all(reading.slice(start, start + 8).map(check));
  }
  expect(wrong).toEqual([]);
}, 600_000);

test('an operation without credentials of its own has those of the document', () => {
  const responses = { 200: { description: 'Success.' } };
  const inherited = {
    ...document,
    security: [{ apiKey: [] }],
    paths: { '/x': { get: { operationId: 'readX', responses } } },
  };
  const { pages } = referencePages(inherited, (text) => text);
  const page = pages.map(({ content }) => content).join('');
  expect(page).toContain('Needs an API key');
  expect(page).not.toContain('Needs no credentials');
});
