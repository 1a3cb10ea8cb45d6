import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../tools/browser/chromium.ts';
import { issuer, useLiveService } from './support/live-service.ts';
import { installPackage, type Project } from './support/packed.ts';

const run = promisify(execFile);
const requireRuntime = createRequire(new URL('./runtimes/package.json', import.meta.url));

/** Serves the project to the browser. Started first, because the service must know the origin. */
let project: Project;
const pages = createServer(async (request, response) => {
  const path = new URL(request.url ?? '/', 'http://page').pathname;
  if (path === '/')
    return void response.setHeader('content-type', 'text/html').end('<!doctype html><title>Test</title>');
  const content = await readFile(join(project.folder, path)).catch(() => undefined);
  response.writeHead(content === undefined ? 404 : 200, {
    'content-type': ['.js', '.mjs'].includes(extname(path)) ? 'text/javascript' : 'text/plain',
  });
  response.end(content);
}).listen(0, '127.0.0.1');
await once(pages, 'listening');
const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

const service = useLiveService({ CORS_ORIGINS: origin });

const program = `import * as main from '@licensing/sdk';
import * as webhooks from '@licensing/sdk/webhooks';
import { exercise } from './exercise.mjs';
const args = typeof Deno === 'undefined' ? process.argv.slice(2) : Deno.args;
console.log(JSON.stringify(await exercise({ ...main, ...webhooks }, JSON.parse(args[0]))));
`;

beforeAll(async () => {
  project = await installPackage();
  await cp(fileURLToPath(new URL('./support/exercise.mjs', import.meta.url)), join(project.folder, 'exercise.mjs'));
  await writeFile(join(project.folder, 'program.mjs'), program);
});

afterAll(async () => {
  pages.close();
  await rm(project.folder, { recursive: true, force: true });
});

/** What the program needs to know: a license of its own, the tenant, and a signed event. */
async function newSituation() {
  const { key: licenseKey } = await service.license({ max_activations: 1 });
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const body = JSON.stringify({ id: 'event-1', type: 'license.created', data: {} });
  const headers = {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign('event-1', new Date(), body),
  };
  const { baseUrl, tenant } = service;
  return {
    baseUrl,
    apiKey: tenant.apiKey,
    licenseKey,
    tenantId: tenant.id,
    issuer,
    webhook: { body, headers, secret },
  };
}

const everythingWorks = {
  activated: { os_name: 'any' },
  verdict: 'LICENSE.VALID',
  proven: 'LICENSE.VALID',
  certificate: 'LICENSE.VALID',
  forged: 'CERTIFICATE.SIGNATURE_INVALID',
  usage: 'accepted',
  unknownKey: 'LICENSE.NOT_FOUND',
  event: 'license.created',
  handled: 'license.created 204',
  refused: 'AUTH.INVALID_API_KEY',
  unreachable: 'NETWORK.UNREACHABLE',
  aborted: 'NETWORK.ABORTED',
  deactivated: true,
};

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const bun = architecture === 'arm64' ? '@oven/bun-linux-aarch64' : '@oven/bun-linux-x64-baseline';
const runtime = (name: string, file: string) => join(dirname(requireRuntime.resolve(`${name}/package.json`)), file);

test.each<[string, () => string, string[]]>([
  ['Node 20', () => runtime(`node-linux-${architecture}`, 'bin/node'), []],
  ['Node 26', () => process.execPath, []],
  ['Deno', () => runtime(`@deno/linux-${architecture}-glibc`, 'deno'), ['run', '--allow-net=127.0.0.1', '--no-prompt']],
  ['Bun', () => runtime(bun, 'bin/bun'), []],
])('the packed package works in %s', async (_name, binary, args) => {
  const situation = await newSituation();
  const options = { cwd: project.folder, env: { PATH: '/usr/bin:/bin', HOME: project.folder, NO_COLOR: '1' } };
  const { stdout, stderr } = await run(binary(), [...args, 'program.mjs', JSON.stringify(situation)], options);
  expect(JSON.parse(stdout)).toEqual(everythingWorks);
  // Node 20 warns once that Ed25519 in WebCrypto is experimental there.
  expect(stderr.replace(/^.*(ExperimentalWarning: The Ed25519|--trace-warnings).*\n/gm, '')).toBe('');
});

test('the packed package works in Chromium, on a page of another origin', async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const source = `(async (situation) => {
      const { exercise } = await import('/exercise.mjs');
      const folder = '/node_modules/@licensing/sdk/dist';
      const sdk = { ...(await import(folder + '/index.js')), ...(await import(folder + '/webhooks/index.js')) };
      return exercise(sdk, situation);
    })(${JSON.stringify(await newSituation())})`;
    expect(await page.evaluate(source)).toEqual(everythingWorks);
  } finally {
    await browser.close();
  }
});
