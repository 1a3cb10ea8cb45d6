import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createAdmin, createTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { newLicense, newProduct } from '../support/licensing-catalog.ts';
import { createLicensingData } from '../support/licensing-data.ts';

const run = promisify(execFile);

const suite = useAdmin();
let tenant: TestTenant;

beforeEach(async () => {
  tenant = await suite.newTenant();
});

function snapshotOf(app: TestApp, { owner }: TestTenant) {
  return app.request({ method: 'GET', url: '/api/v1/tenant/dev-tools/snapshot', headers: owner.auth });
}

test('snippets validate the newest license and its product, and contain no secrets', async () => {
  const older = await newLicense(tenant);
  const newest = await newLicense(tenant);
  const deleted = await newLicense(tenant);
  await tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
  const { body } = await tenant.asOwner('GET', `/products/${newest.product_id}`);
  const answer = await snapshotOf(suite.app, tenant);
  const { snippets } = answer.body.data;
  expect([snippets.license_id, snippets.product]).toEqual([newest.id, body.data.code]);
  for (const snippet of [snippets.curl, snippets.typescript, snippets.python]) {
    expect(snippet).toContain(newest.id);
    expect(snippet).toMatch(new RegExp(`"product":"${body.data.code}"|product="${body.data.code}"`));
  }
  for (const license of [older, newest, deleted]) expect(answer.text).not.toContain(license.key);
  expect(answer.text).not.toMatch(/(vx|service)_[0-9a-f]/);
});

test('snippets name the newest product when the tenant has no license', async () => {
  const { code } = await newProduct(tenant);
  const { snippets } = (await snapshotOf(suite.app, tenant)).body.data;
  expect(snippets).toMatchObject({ license_id: null, product: code });
});

test('snippets run unchanged when their environment variables are set', async () => {
  const { app, own, data } = await startReachable();
  const { snippets } = (await snapshotOf(app, own)).body.data;
  const env = { ...process.env, LICENSING_API_KEY: own.apiKey, LICENSE_KEY: data.licenseKey };
  expect(Object.keys(snippets.variables)).toEqual(['LICENSING_API_KEY', 'LICENSE_KEY']);
  expect((await runCurl(snippets.curl, env)).data).toMatchObject({ valid: true, code: 'LICENSE.VALID' });
  expect(await runTypescript(snippets.typescript, env)).toMatch(/^true LICENSE\.VALID /);
  expect(await runPython(snippets.python, env)).toMatch(/^True LICENSE\.VALID /);
  const refused = await runPython(snippets.python, { ...env, LICENSING_API_KEY: 'vx_' }).catch(String);
  expect(refused).toMatch(/AUTH\.INVALID_API_KEY: Send a valid.* \(request [0-9a-f-]{36}\)/);
  const failure = await runTypescript(snippets.typescript, { ...env, LICENSING_API_KEY: 'vx_' }).catch(String);
  expect(failure).toMatch(/LicensingError: Send a valid[\s\S]*AUTH\.INVALID_API_KEY/);
});

test('the programs contain the public key of the tenant, and refuse the answer of another service', async () => {
  const { app, own, data } = await startReachable();
  const { snippets } = (await snapshotOf(app, own)).body.data;
  const { body: jwks } = await app.request({ method: 'GET', url: `/api/v1/tenants/${own.id}/jwks.json` });
  const env = { ...process.env, LICENSING_API_KEY: own.apiKey, LICENSE_KEY: data.licenseKey };
  const [{ x }] = jwks.keys;
  const withAnotherKey = (program: string) =>
    program.replace(x, `${x.slice(0, 5)}${x[5] === 'A' ? 'B' : 'A'}${x.slice(6)}`);
  for (const program of [snippets.typescript, snippets.python])
    expect(program).toContain(JSON.stringify(jwks, null, 2));
  expect(await runTypescript(withAnotherKey(snippets.typescript), env)).toMatch(/^false PROOF\.SIGNATURE_INVALID /);
  expect(await runPython(withAnotherKey(snippets.python), env)).toMatch(/^False PROOF\.SIGNATURE_INVALID /);
});

test('the Python snippet installs the file that the service serves', async () => {
  await newLicense(tenant);
  const { python } = (await snapshotOf(suite.app, tenant)).body.data.snippets;
  const [, file = ''] = /docs\/downloads\/(\S+\.whl)/.exec(python) ?? [];
  const { status } = await suite.app.request({ method: 'GET', url: `/docs/downloads/${file}` });
  expect([file, status]).toEqual([file, 200]);
});

/** Starts a service with a tenant and a license, at the address that its snippets name. */
async function startReachable() {
  const front = createServer();
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  const site = await createSite();
  const app: TestApp = await startApp(site, { PUBLIC_URL: `http://127.0.0.1:${port}` });
  front.on('request', (request, response) => app.http.routing(request, response));
  onTestFinished(async () => {
    front.closeAllConnections();
    front.close();
    await stopApp(app);
    await site.remove();
  });
  const own = await createTenant(app, await createAdmin(app));
  return { app, own, data: await createLicensingData(own) };
}

/** Evaluates the command in a shell and sends the request that curl would send, because curl may not be installed. */
async function runCurl(snippet: string, env: NodeJS.ProcessEnv) {
  const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${snippet}`], { env });
  const words = stdout.split('\0').slice(0, -1);
  const after = (option: string) => words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const [url = ''] = words.filter((word) => word.startsWith('http'));
  const headers = after('-H').map((header) => header.split(': ') as [string, string]);
  const [method = ''] = after('-X');
  const [body = ''] = after('-d');
  expect(words).toHaveLength(2 + 1 + 1 + 2 * headers.length + 2);
  const response = await fetch(url, { method, headers, body });
  return (await response.json()) as { data: object };
}

/** Runs the program with the SDK of the repository, which the service serves. */
async function runPython(snippet: string, env: NodeJS.ProcessEnv): Promise<string> {
  const PYTHONPATH = fileURLToPath(new URL('../../../../sdks/python/src', import.meta.url));
  const options = { env: { ...env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' } };
  return (await run('/usr/bin/python3', ['-c', snippet], options)).stdout;
}

async function runTypescript(snippet: string, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'licensing-snippet-'));
  try {
    const file = join(folder, 'validate.mts');
    await writeFile(file, snippet);
    // The SDK of the repository, which the service serves as a package.
    const installed = join(folder, 'node_modules/@licensing/sdk');
    await mkdir(installed, { recursive: true });
    await symlink(fileURLToPath(new URL('../../../sdk/src', import.meta.url)), join(installed, 'src'));
    await writeFile(join(installed, 'package.json'), '{ "type": "module", "exports": "./src/index.ts" }');
    return (await run(process.execPath, [file], { env })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
