import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenApiDocument, operationsOf } from '../src/reference/document.ts';
import { requestSample } from '../src/reference/requests.ts';
import { pythonSdkSample, typescriptSdkSample } from '../src/reference/sdk-samples.ts';
import { repositoryRoot } from './support/service.ts';

const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
const operations = operationsOf(document);
const pathNames = new Set(
  operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
);
const placeholders = [
  ...[...pathNames].map((name) => [name, name.toUpperCase()] as const),
  ...[['license_key', 'KEY'] as const, ['activation_id', 'ACTIVATION'] as const, ['tenant_id', 'TENANT'] as const],
  ...[['tenantId', 'TENANT'] as const, ['file', ''] as const],
];
const camel = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** What the SDKs send to it. It answers 404, with which every call ends. */
interface Recorder {
  readonly url: string;
  readonly requests: { readonly route: string; readonly body: unknown }[];
  close(): void;
}

async function startRecorder(): Promise<Recorder> {
  const requests: Recorder['requests'] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const path = (request.url ?? '').replace(/\?.*/, '');
      requests.push({ route: `${request.method} ${path}`, body: text === '' ? undefined : JSON.parse(text) });
      response.writeHead(404, { 'content-type': 'application/json' });
      const meta = { request_id: 'r', api_version: '1' };
      response.end(JSON.stringify({ error: { code: 'RESOURCE.NOT_FOUND', message: 'Nothing.' }, meta }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() };
}

let recorder: Recorder;
let folder: string;

beforeAll(async () => {
  recorder = await startRecorder();
  folder = mkdtempSync(join(tmpdir(), 'licensing-samples-'));
});

afterAll(() => {
  recorder.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The route of an operation with the placeholders of the samples. */
function routeOf({ method, path }: (typeof operations)[number]): string {
  const ofKey = path.replace('{key}', 'KEY').replace('{tenantId}', 'TENANT');
  const filled = path.includes('{key}') ? ofKey.replace('{id}', 'ACTIVATION') : ofKey;
  return `${method.toUpperCase()} ${filled.replaceAll(/\{(\w+)\}/g, (_all, name: string) => name.toUpperCase())}`;
}

/** Every JSON body without what a client adds by itself: what makes a repetition safe, nonces, and a default. */
function plain(body: unknown): string {
  const added = ['idempotency_key', 'nonce', 'dry_run'];
  return JSON.stringify(body, (name, value) => (added.includes(name) ? undefined : value)) ?? '';
}

/** Runs the programs, each of which sends one request, and compares the requests. */
async function expectSent(
  programs: readonly string[],
  sampled: readonly (typeof operations)[number][],
  run: (files: readonly string[]) => Promise<void>,
  ending: string,
) {
  recorder.requests.length = 0;
  const files = sampled.map(({ id }) => join(folder, `${id}.${ending}`));
  for (const [index, file] of files.entries()) writeFileSync(file, programs[index] ?? '');
  await run(files);
  expect(recorder.requests.map(({ route }) => route)).toEqual(sampled.map(routeOf));
  for (const [index, operation] of sampled.entries()) {
    const body = plain(recorder.requests[index]?.body);
    const wanted = plain(requestSample(document, operation));
    // The SDK sends no empty body if the operation needs none.
    const isLeftOut = body === '' && wanted === '{}' && !operation.isBodyRequired;
    expect(isLeftOut ? wanted : body, operation.id).toBe(wanted);
  }
}

test('each TypeScript sample through the SDK sends the request of its operation', async () => {
  const sdk = join(repositoryRoot, 'packages', 'sdk', 'src', 'index.ts');
  const sampled = operations.filter((operation) => typescriptSdkSample(operation, '', undefined) !== undefined);
  expect(sampled.length).toBeGreaterThan(110);
  process.env['LICENSING_API_KEY'] = 'vx_x';
  process.env['LICENSING_TOKEN'] = 'service_x';
  const programs = sampled.map((operation) => {
    const sample = typescriptSdkSample(operation, recorder.url, requestSample(document, operation)) ?? '';
    const names = new Map(placeholders.map(([name, value]) => [camel(name), value]));
    const values = [...names].map(([name, value]) => `const ${name} = '${value}';`);
    return `${values.join('\n')}\n${sample.replace('@licensing/sdk', sdk)}`;
  });
  const run = async (files: readonly string[]) => {
    for (const file of files) await expect(import(file), file).rejects.toThrow('Nothing.');
  };
  await expectSent(programs, sampled, run, 'ts');
  const options = { strict: true, noEmit: true, target: 'esnext', module: 'esnext', moduleResolution: 'bundler' };
  const compilerOptions = {
    ...options,
    ...{ allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'] },
    typeRoots: [join(repositoryRoot, 'node_modules', '@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
  const { stdout } = spawnSync(compiler, ['-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
}, 240_000);

test('each Python sample through the SDK sends the request of its operation', async () => {
  const sampled = operations.filter((operation) => pythonSdkSample(operation, '', {}) !== undefined);
  expect(sampled.length).toBeGreaterThan(110);
  const programs = sampled.map((operation) => {
    const sample = pythonSdkSample(operation, recorder.url, requestSample(document, operation)) ?? '';
    const values = placeholders.map(([name, value]) => `${name} = "${value}"`);
    return `${values.join('\n')}\n${sample}`;
  });
  const runner = join(folder, 'run.py');
  writeFileSync(
    runner,
    [
      'import runpy, sys',
      'from licensing_sdk import LicensingError',
      'for path in sys.argv[1:]:',
      '    try:',
      '        runpy.run_path(path)',
      '    except LicensingError as error:',
      '        assert error.message == "Nothing.", (path, error)',
      '',
    ].join('\n'),
  );
  const PYTHONPATH = join(repositoryRoot, 'sdks', 'python', 'src');
  const credentials = { LICENSING_API_KEY: 'vx_x', LICENSING_TOKEN: 'service_x' };
  const env = { PATH: process.env['PATH'], PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', ...credentials };
  const run = async (files: readonly string[]) => {
    await promisify(execFile)('/usr/bin/python3', [runner, ...files], { env });
  };
  await expectSent(programs, sampled, run, 'py');
}, 120_000);
