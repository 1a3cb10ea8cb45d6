import { once } from 'node:events';
import { constants, copyFile, link, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, engine, type TestSite } from '../support/harness.ts';
import {
  licensing,
  licensingProcess,
  lineWith,
  logInAsPrinted,
  runCurlLine,
  type Served,
  startServe,
} from './licensing.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.remove());

/** What the first start of the demo printed, without the address, and the token of its user. */
let firstLine: string;
let demoToken: string;

function validationLine(served: Served): string {
  return lineWith(served.output.stdout, '/validate');
}

async function stop(served: Served): Promise<void> {
  served.signal('SIGTERM');
  expect(await served.ended).toBe(0);
}

test('a demo prints a command that validates its license and two logins, and keeps its secrets in a file of its owner', async () => {
  const served = await startServe(['--demo'], site.env);
  expect(await runCurlLine(validationLine(served))).toMatchObject({
    status: 200,
    body: { data: { valid: true, code: 'LICENSE.VALID' } },
  });
  demoToken = await logInAsPrinted(served, 'tenant');
  await logInAsPrinted(served, 'admin');
  await stop(served);
  firstLine = validationLine(served).replace(served.address, '');

  const file = join(site.dataDir, 'demo.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { apiKey, admin, user } = JSON.parse(await readFile(file, 'utf8'));
  const log = served.output.stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(log.length).toBeGreaterThan(1);
  for (const secret of [apiKey, admin.password, user.password]) expect(log.join('\n')).not.toContain(secret);
});

test('a second start of a demo prints the same, and the next one replaces an API key that was revoked', async () => {
  const second = await startServe(['--demo'], site.env);
  expect(validationLine(second).replace(second.address, '')).toBe(firstLine);
  const { stdout } = await licensing(['tenants', 'list', '--json'], site.env);
  const tenants: { name: string }[] = JSON.parse(stdout);
  const company = { name: 'Demo Company', status: 'active' };
  expect(tenants.filter(({ name }) => !name.startsWith('Demo: '))).toMatchObject([company]);
  const authorization = `Bearer ${demoToken}`;
  const keys = `${second.address}/api/v1/tenant/api-keys`;
  const listing = await fetch(keys, { headers: { authorization } });
  const listed = (await listing.json()) as { data: { id: string; name: string }[] };
  await fetch(`${keys}/${listed.data.find(({ name }) => name === 'Demo')?.id}`, {
    method: 'DELETE',
    headers: { authorization },
  });
  expect(await runCurlLine(validationLine(second))).toMatchObject({ status: 401 });
  await stop(second);

  const third = await startServe(['--demo'], site.env);
  expect(await runCurlLine(validationLine(third))).toMatchObject({ body: { data: { code: 'LICENSE.VALID' } } });
});

/** Sends a request without its body and waits until the service has started to process it. */
async function beginLogin(address: string): Promise<{ socket: Socket; finish(): Promise<string> }> {
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'some password' });
  const { hostname, port, host } = new URL(address);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const head = ['POST /api/auth/login HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
  socket.write([...head, `Content-Length: ${body.length}`, 'Expect: 100-continue', '', ''].join('\r\n'));
  const [interim] = await once(socket, 'data');
  expect(interim).toContain('100 Continue');
  return {
    socket,
    async finish() {
      socket.write(body);
      const [response] = await once(socket, 'data');
      return response;
    },
  };
}

async function untilRefused(address: string): Promise<void> {
  for (;;) {
    try {
      await fetch(`${address}/health`, { headers: { connection: 'close' } });
    } catch {
      return;
    }
  }
}

test('SIGTERM makes the service refuse new connections, finish requests in flight and exit with 0', async () => {
  const served = await startServe([], site.env);
  const login = await beginLogin(served.address);
  served.signal('SIGTERM');
  await untilRefused(served.address);
  expect(await login.finish()).toMatch(/^HTTP\/1\.1 401 .*"code":"AUTH\.INVALID_CREDENTIALS"/s);
  expect(await served.ended).toBe(0);
  expect(served.output.stdout).toContain('stopping on SIGTERM');
});

test('after SIGTERM the service is not ready, and serves on for DRAIN_SECONDS on connections that end', async () => {
  const served = await startServe([], { ...site.env, DRAIN_SECONDS: '300' });
  const read = async (path: string) => {
    const response = await fetch(`${served.address}${path}`);
    await response.arrayBuffer();
    return [response.status, response.headers.get('connection')];
  };
  expect(await read('/health/ready')).toEqual([200, 'keep-alive']);
  served.signal('SIGTERM');
  while ((await read('/health/ready'))[0] === 200);
  expect(await read('/health/ready')).toEqual([503, 'close']);
  expect(await read('/health')).toEqual([200, 'close']);
  expect(await read('/api/v1/unknown')).toEqual([404, 'close']);
  served.signal('SIGTERM');
  expect(await served.ended).toBe(1);
});

test('SIGINT stops the service without DRAIN_SECONDS', async () => {
  const served = await startServe([], { ...site.env, DRAIN_SECONDS: '300' });
  served.signal('SIGINT');
  expect(await served.ended).toBe(0);
});

test('a second signal ends the process without waiting for requests in flight', async () => {
  const served = await startServe([], site.env);
  const { socket } = await beginLogin(served.address);
  socket.on('error', () => undefined);
  served.signal('SIGTERM');
  await untilRefused(served.address);
  served.signal('SIGTERM');
  expect(await served.ended).toBe(1);
});

test(`a second "serve" on the same data ${engine === 'sqlite' ? 'is rejected' : 'is another node'}`, async () => {
  await startServe([], site.env);
  if (engine === 'postgres') {
    const { address } = await startServe([], site.env);
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);
    return;
  }
  const { code, stderr } = await licensingProcess(['serve'], site.env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Another process already serves .*: stop it, or .*\n$/);
});

test('the launcher on another Node version runs the service on its own Node and forwards signals and the exit code', async () => {
  const otherNode = join(site.dataDir, 'other-node');
  await link(process.execPath, otherNode).catch(() =>
    copyFile(process.execPath, otherNode, constants.COPYFILE_FICLONE),
  );
  const served = await startServe([], site.env, otherNode);
  await stop(served);
  expect(served.output.stdout).toContain('stopping on SIGTERM');
});

test('"serve" names a port in use in one sentence, also as a line of the log', async () => {
  const other = await createSite();
  try {
    const { address } = await startServe([], site.env);
    const { port } = new URL(address);
    const { code, stdout, stderr } = await licensingProcess(['serve'], { ...other.env, PORT: port });
    expect(code).toBe(1);
    const sentence = `Port ${port} is in use: stop the program that listens on it, or set another PORT for this one.`;
    expect(stderr).toBe(`${sentence}\n`);
    const logged = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(logged.at(-1)).toMatchObject({ level: 60, msg: `the service did not start: ${sentence}` });
  } finally {
    await other.remove();
  }
});

test('invalid settings are a line of the log, too', async () => {
  const { code, stdout, stderr } = await licensing(['serve'], { ...site.env, PORT: 'none' });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ level: 60, msg: expect.stringContaining(stderr.trimEnd()) });
});

test.for(['0.0.0.0', '::', '192.0.2.1', 'example.com'])('a demo refuses to start on HOST %s', async (HOST) => {
  const { code, stderr } = await licensing(['serve', '--demo'], { ...site.env, HOST });
  expect(code).toBe(1);
  expect(stderr).toContain('HOST must be a loopback address with --demo');
});
