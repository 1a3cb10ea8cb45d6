import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LicensingClient } from '../../src/index.ts';

const run = promisify(execFile);
// The server depends on it; an application installs it for itself.
const undici = createRequire(new URL('../../../server/package.json', import.meta.url))('undici');
/** No resolver knows this name, so only the proxy can answer. */
const options = { baseUrl: 'http://licensing.invalid', apiKey: 'vx_key', maxRetries: 0 };
const answer = JSON.stringify({ data: { valid: true, code: 'LICENSE.VALID' } });
let proxy: Server;
let proxyUrl: string;
const asked: string[] = [];

beforeAll(async () => {
  proxy = createServer((request, response) => {
    asked.push(new URL(request.url ?? '').hostname);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  proxy.on('connect', (request, socket) => {
    asked.push(String(request.url).replace(/:\d+$/, ''));
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.once('data', () => {
      const headers = `content-type: application/json\r\ncontent-length: ${answer.length}\r\nconnection: close`;
      socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${answer}`);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterEach(() => {
  asked.length = 0;
  vi.unstubAllEnvs();
});

afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

test.each([
  ['NODE_USE_ENV_PROXY=1', [], { NODE_USE_ENV_PROXY: '1' }],
  ['--use-env-proxy', ['--use-env-proxy'], {}],
])('%s lets the client use the proxy of the environment', async (_how, flags, variables) => {
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
  const program = `
    import { LicensingClient } from ${JSON.stringify(entry)};
    console.log((await new LicensingClient(${JSON.stringify(options)}).validate('key')).code);
  `;
  const env = { ...variables, HTTP_PROXY: proxyUrl };
  const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '--eval', program], { env });
  expect([stdout.trim(), asked]).toEqual(['LICENSE.VALID', ['licensing.invalid']]);
});

test("undici's agent and fetch let the client use the proxy of the environment, as the README says", async () => {
  vi.stubEnv('HTTP_PROXY', proxyUrl);
  vi.stubEnv('NO_PROXY', '');
  const dispatcher = new undici.EnvHttpProxyAgent();
  const fetch = (url: string, init: RequestInit) => undici.fetch(url, { ...init, dispatcher });
  const verdict = await new LicensingClient({ ...options, fetch }).validate('key');
  await dispatcher.close();
  expect([verdict.code, asked]).toEqual(['LICENSE.VALID', ['licensing.invalid']]);
});
