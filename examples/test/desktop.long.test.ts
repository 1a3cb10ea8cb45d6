import { beforeAll, expect, test } from 'vitest';
import { type Installation, install } from './support/running.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install('desktop');
  return installation.remove;
});

/** Starts the application, and returns its calls as a page makes them. */
async function open() {
  const app = await installation.start();
  await app.printed(/"heard":"window"/);
  let calls = 0;
  const invoke = async (channel: string, argument?: unknown) => {
    calls += 1;
    app.write(JSON.stringify({ id: calls, channel, argument }));
    const [line] = await app.printed(new RegExp(`^{"id":${calls},.*$`, 'm'));
    return JSON.parse(line).result;
  };
  const quit = async (signal: NodeJS.Signals = 'SIGTERM') => {
    app.kill(signal);
    return await app.ended;
  };
  return { app, invoke, quit };
}

const hello = '<pre>a &lt; b</pre>';

test('the window opens without a license, and a wrong key is answered in words', async () => {
  const { invoke, quit } = await open();
  expect(await invoke('license:check-again')).toMatchObject({
    status: 'unlicensed',
    message: 'Enter your license key.',
  });
  expect(await invoke('license:enter-key', 'WRONG')).toMatchObject({
    reason: 'LICENSE.NOT_FOUND',
    message: 'No license has this key. Check it for typing errors.',
  });
  expect(await invoke('license:enter-key', { toString: 'x' })).toMatchObject({ reason: 'LICENSE.KEY_MISSING' });
  expect(await quit()).toMatchObject({ code: 0 });
});

test('a license without the entitlement does not export', async () => {
  const { key } = await installation.license('editor', []);
  const { invoke, quit } = await open();
  expect(await invoke('license:enter-key', ` ${key}\n`)).toMatchObject({ status: 'licensed', entitlements: [] });
  expect(await invoke('document:export', 'x')).toEqual({ error: 'Your license does not include export.' });
  await quit();
});

test('the key is kept, an outage does not end the license, and the page hears of a revocation', async () => {
  const { gate, management, license } = installation;
  const { id, key } = await license('editor', ['export']);
  const first = await open();
  await first.invoke('license:enter-key', key);
  expect(await first.invoke('document:export', 'a < b')).toEqual({ html: hello });
  await first.quit();
  await gate.close();
  const second = await open();
  expect(await second.invoke('license:check-again')).toMatchObject({
    status: 'offline',
    message: expect.stringMatching(/^You are offline. You can work until .*20\d\d/),
  });
  expect(await second.invoke('document:export', 'a < b')).toEqual({ html: hello });
  await gate.open();
  await management.licenses.revoke(id);
  await second.invoke('license:check-again');
  await second.app.printed(/"heard":"license:changed","content":\{"status":"unlicensed","reason":"LICENSE.REVOKED"/);
  expect(await second.invoke('document:export', 'x')).toHaveProperty('error');
  const { output } = await second.quit('SIGINT');
  expect(output, 'no page and no log gets the key').not.toContain(key);
});

test('quitting frees a floating seat', async () => {
  const { management, license } = installation;
  const { id, key } = await license('editor', [], { maxActivations: 1, leaseSeconds: 3600, requireActivation: true });
  const { invoke, quit } = await open();
  expect(await invoke('license:enter-key', key)).toMatchObject({ status: 'licensed' });
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await quit()).toMatchObject({ code: 0, output: expect.stringContaining('"heard":"quit"') });
  expect((await management.licenses.get(id)).activationsCount).toBe(0);
});

test('a computer that gets no seat offers to release another one, and takes its seat', async () => {
  const { license, management } = installation;
  const { id, key } = await license('editor', ['export'], { maxActivations: 1 });
  await installation.activate(key, 'another computer', 'Office computer');
  const { app, quit } = await open();
  /** Enters the key, chooses a button of the dialog, and returns what the page and the dialog show. */
  const enterAndChoose = async (call: string, response: number) => {
    const from = app.output.length;
    app.write(JSON.stringify({ id: call, channel: 'license:enter-key', argument: key }));
    const [asked = ''] = await app.printed(/.*"heard":"dialog".*/, from);
    app.write(JSON.stringify({ response }));
    const [line = ''] = await app.printed(new RegExp(`^{"id":"${call}",.*$`, 'm'));
    return { result: JSON.parse(line).result, buttons: JSON.parse(asked).content.buttons };
  };
  const cancelled = await enterAndChoose('first', 1);
  expect(cancelled.buttons).toEqual([expect.stringMatching(/^Offi…, last used 20\d\d-\d\d-\d\d$/), 'Cancel']);
  expect(cancelled.result).toMatchObject({ status: 'unlicensed', reason: 'ACTIVATION.LIMIT_REACHED' });
  const { result } = await enterAndChoose('second', 0);
  expect(result).toMatchObject({ status: 'licensed', entitlements: ['export'] });
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await quit()).toMatchObject({ code: 0 });
});
