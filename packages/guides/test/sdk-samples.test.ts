import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenApiDocument, operationsOf } from '../src/reference/document.ts';
import { requestSample } from '../src/reference/requests.ts';
import { pythonSdkSample, typescriptSdkSample } from '../src/reference/sdk-samples.ts';
import { repositoryRoot } from './support/service.ts';

const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
const operations = operationsOf(document);
const placeholders = { licenseKey: 'KEY', activationId: 'ACTIVATION', tenantId: 'TENANT', id: 'ID' };

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
  const isOfKey = path.includes('{key}');
  const filled = path
    .replace('{key}', 'KEY')
    .replace('{tenantId}', 'TENANT')
    .replace('{id}', isOfKey ? 'ACTIVATION' : 'ID');
  return `${method.toUpperCase()} ${filled}`;
}

/** Every JSON body without what a client adds by itself: keys that make a repetition safe, and nonces. */
function plain(body: unknown): string {
  return JSON.stringify(body, (name, value) => (['idempotency_key', 'nonce'].includes(name) ? undefined : value)) ?? '';
}

async function expectSent(
  programs: readonly string[],
  sampled: readonly (typeof operations)[number][],
  run: (file: string) => void | Promise<void>,
  ending: string,
) {
  for (const [index, operation] of sampled.entries()) {
    recorder.requests.length = 0;
    const file = join(folder, `${operation.id}.${ending}`);
    writeFileSync(file, programs[index] ?? '');
    await run(file);
    const expected = requestSample(document, operation);
    expect(
      recorder.requests.map(({ route }) => route),
      operation.id,
    ).toEqual([routeOf(operation)]);
    const body = plain(recorder.requests[0]?.body);
    const wanted = plain(expected);
    // The SDK sends no empty body if the operation needs none.
    const isLeftOut = body === '' && wanted === '{}' && !operation.isBodyRequired;
    expect(isLeftOut ? wanted : body, operation.id).toBe(wanted);
  }
}

test('each TypeScript sample through the SDK sends the request of its operation', async () => {
  const sdk = join(repositoryRoot, 'packages', 'sdk', 'src', 'index.ts');
  const sampled = operations.filter((operation) => typescriptSdkSample(operation, '', undefined) !== undefined);
  expect(sampled.length).toBeGreaterThan(45);
  process.env['LICENSING_API_KEY'] = 'vx_x';
  process.env['LICENSING_TOKEN'] = 'service_x';
  const programs = sampled.map((operation) => {
    const sample = typescriptSdkSample(operation, recorder.url, requestSample(document, operation)) ?? '';
    const values = Object.entries(placeholders).map(([name, value]) => `const ${name} = '${value}';`);
    return `${values.join('\n')}\n${sample.replace('@licensing/sdk', sdk)}`;
  });
  const run = async (file: string) => {
    await expect(import(file)).rejects.toThrow('Nothing.');
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
  expect(sampled).toHaveLength(9);
  const programs = sampled.map((operation) => {
    const sample = pythonSdkSample(operation, recorder.url, requestSample(document, operation)) ?? '';
    const values = Object.entries(placeholders).map(
      ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = "${value}"`,
    );
    return `${values.join('\n')}\n${sample}`;
  });
  const run = (file: string) =>
    new Promise<void>((done) => {
      const PYTHONPATH = join(repositoryRoot, 'sdks', 'python', 'src');
      const env = { PATH: process.env['PATH'], PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', LICENSING_API_KEY: 'vx_x' };
      spawn('/usr/bin/python3', [file], { env, stdio: 'ignore' }).once('exit', () => done());
    });
  await expectSent(programs, sampled, run, 'py');
}, 120_000);
