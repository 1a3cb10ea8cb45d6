import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot as root } from '../architecture/source-files.ts';
import {
  licensingProcess,
  lineWith,
  logInAsPrinted,
  runCurlLine,
  type Served,
  startServe,
} from '../commands/licensing.ts';
import type { RecordedStart } from '../support/record-start.ts';
import { readText } from './files.ts';

const bundle = join(root, 'packages', 'server', 'dist');
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-bundle-'));
const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };

beforeAll(() => {
  for (const name of ['bundle.mjs', 'guides.mjs', 'dashboard.mjs', 'portal.mjs']) {
    const script = join(root, 'scripts', name);
    const { status, stderr } = spawnSync(process.execPath, [script, '--if-changed'], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  }
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The paths of hosted pages, of pages of the dashboard that mails link to, and of the guides and the reference. */
const files = [
  '/confirm-subscription',
  '/confirm-subscription/page.js',
  '/pages/page.css',
  '/',
  '/verify-email',
  '/reset-password',
  '/accept-invitation',
  '/welcome?onboarding=1',
  '/portal/demo',
  '/docs/',
  '/docs/reference/',
];

/** Every package whose code each process loads. */
const packagesAtStart =
  '@fastify/accept-negotiator @fastify/ajv-compiler @fastify/cors @fastify/deepmerge @fastify/error ' +
  '@fastify/fast-json-stringify-compiler @fastify/forwarded @fastify/merge-json-schemas @fastify/proxy-addr ' +
  '@fastify/send @fastify/static @lukeed/ms @pinojs/redact abstract-logging ajv ajv-formats ' +
  'atomic-sleep avvio bintrees close-with-grace content-disposition cookie csv-parse csv-stringify depd ' +
  'dequal escape-html fast-decode-uri-component fast-deep-equal fast-json-stringify fast-querystring fast-uri ' +
  'fastify fastify-plugin fastq find-my-way http-errors inherits ipaddr.js ' +
  'json-schema-ref-resolver json-schema-traverse kysely light-my-request mime ' +
  'on-exit-leak-free otpauth pg pg-cloudflare pg-connection-string pg-int8 pg-pool pg-protocol pg-types pgpass ' +
  'pino pino-std-serializers postgres-array postgres-bytea postgres-date postgres-interval process-warning ' +
  'prom-client quick-format-unescaped ret reusify rfdc safe-regex2 safe-stable-stringify secure-json-parse ' +
  'semver set-cookie-parser setprototypeof sonic-boom split2 statuses tdigest thread-stream toad-cache ' +
  'toidentifier typebox xtend';

describe('the bundle of the service', () => {
  test('runs the demo: hashing threads, the verdict, hosted pages, the dashboard, the guides, the API reference and its document', async () => {
    const served = await startServe(['--demo'], { ...env, NODE_OPTIONS: '' });
    await expectServed(served);
    const { stdout } = served.output;
    const verdict = await runCurlLine(lineWith(stdout, '/validate'));
    expect(verdict).toMatchObject({ status: 200, body: { data: { valid: true } } });
    await logInAsPrinted(served, 'tenant');
  });

  test('runs commands that start threads of their own', async () => {
    const migrated = await licensingProcess(['migrate'], env);
    expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
    const backedUp = await licensingProcess(['backup', '--to', join(dataDir, 'backup')], env);
    expect(backedUp, backedUp.stderr).toMatchObject({ code: 0 });
  });

  test('loads at its start only the packages that every process needs, and no data of languages and countries', async () => {
    const file = join(dataDir, 'started.json');
    const recorder = new URL('../support/record-start.ts', import.meta.url).href;
    // A folder of its own: deliveries of the demo that are due would load the webhook sender.
    const started = { DATA_DIR: join(dataDir, 'empty'), NODE_OPTIONS: `--import=${recorder}`, STARTED: file };
    const served = await startServe([], { ...env, ...started });
    served.signal('SIGTERM');
    expect(await served.ended, served.output.stderr).toBe(0);
    const { modules, localeFunctions } = JSON.parse(readFileSync(file, 'utf8')) as RecordedStart;
    const loaded = modules.filter((url) => url.startsWith(pathToFileURL(bundle).href));
    expect(loaded.length).toBeGreaterThan(20);
    expect(localeFunctions).toEqual([]);
    // Add a package only if every process needs it. Load any other where it is used, with `await import`.
    expect([...new Set(loaded.flatMap(packagesIn))].sort()).toEqual(packagesAtStart.split(' '));
  });

  test('is in ASCII, because V8 doubles the size of a file with a character outside Latin-1', () => {
    for (const name of readdirSync(bundle).filter((chunk) => chunk.endsWith('.mjs'))) {
      expect(
        readFileSync(join(bundle, name)).findIndex((byte) => byte > 0x7f),
        name,
      ).toBe(-1);
    }
  });

  test.each([
    ['glob', 'glob()'],
    ['https', 'request()'],
    ['@opentelemetry/api', 'trace.getSpan()'],
  ])('refuses the use of %s, which it leaves out, and names the list to correct', (name, use) => {
    const list = pathToFileURL(join(root, 'scripts', 'production-packages.mjs')).href;
    const { status, stderr } = evaluate(`
      const { unusedPackages } = await import('${list}');
      const exports = {};
      new Function('exports', unusedPackages.load(unusedPackages.resolveId('${name}', '/node_modules/prom-client/index.js')))(exports);
      exports.${use};
    `);
    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`${name}, for .*, is not in the bundle: .*scripts/production-packages.mjs`));
  });

  test('has every module that it loads on demand', () => {
    const isStart = /^(main|.*-(thread|worker))\.mjs$/;
    const chunks = readdirSync(bundle).filter((name) => name.endsWith('.mjs') && !isStart.test(name));
    expect(chunks.length).toBeGreaterThan(20);
    expect(evaluate(chunks.map((name) => `await import('./${name}');`).join('\n'))).toEqual({ status: 0, stderr: '' });
  });

  test('writes PDF files with the fonts of invoices', () => {
    const [name] = readdirSync(bundle).filter((chunk) => chunk.startsWith('pdfkit'));
    const result = evaluate(`
      const { default: Document } = await import('./${name}');
      const pdf = new Document();
      pdf.font('Helvetica-Bold').text('Invoice').font('Helvetica').text('Total');
      pdf.end();
      const text = Buffer.concat(await pdf.toArray()).toString('latin1');
      if (!text.includes('/Helvetica-Bold') || !text.trimEnd().endsWith('%%EOF')) throw new Error(text);
    `);
    expect(result).toEqual({ status: 0, stderr: '' });
  });

  test('has the licence of each bundled package', () => {
    const licences = readFileSync(join(bundle, 'LICENSES.txt'), 'utf8');
    const { dependencies } = JSON.parse(readText('packages/server/package.json')) as { dependencies: object };
    const bundled = Object.keys(dependencies).filter(
      (name) => name !== '@node-rs/argon2' && name !== '@fastify/type-provider-typebox',
    );
    for (const name of bundled) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

/** Returns the packages whose code a file of the bundle contains: a comment precedes that of each module. */
function packagesIn(url: string): string[] {
  const code = readFileSync(fileURLToPath(url), 'utf8');
  return [...code.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(([, name = '']) => name);
}

/** Runs code in a process of its own, in the folder of the bundle. */
function evaluate(code: string) {
  const options = { cwd: bundle, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], options);
  return { status, stderr };
}

async function expectServed({ address }: Served): Promise<void> {
  for (const path of files) {
    const response = await fetch(address + path);
    expect(response.status, path).toBe(200);
    expect((await response.arrayBuffer()).byteLength, path).toBeGreaterThan(0);
  }
  const document = await (await fetch(`${address}/openapi.json`)).text();
  const publicUrl: string = JSON.parse(document).servers[0].url;
  // The committed document has the default address in place of this service's own.
  expect(JSON.parse(document.replaceAll(publicUrl, 'http://127.0.0.1:3000'))).toEqual(
    JSON.parse(readText('openapi.json')),
  );
}
