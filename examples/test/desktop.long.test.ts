import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import { launchChromium } from '../../tools/browser/chromium.ts';
import { type Installation, install, type Running } from './support/running.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install('desktop');
  return installation.remove;
});

let calls = 0;
/** Calls what the preload scripts expose, as a page does, and returns the answer. */
async function call(app: Running, name: string, argument: unknown = null) {
  calls += 1;
  app.write(JSON.stringify({ id: calls, call: name, argument }));
  const [line] = await app.printed(new RegExp(`^{"id":${calls},.*$`, 'm'));
  return JSON.parse(line);
}

/** Starts the application, and returns its calls as a page makes them. */
async function open(env: NodeJS.ProcessEnv = {}) {
  const app = await installation.start({ env });
  await app.printed(/"heard":"page"/);
  return {
    app,
    enterKey: async (key: unknown) => (await call(app, 'editor.enterKey', key)).result,
    exported: async (text: string) => (await call(app, 'editor.exportDocument', text)).result,
    /** The state after a check. */
    refreshed: async () => (await call(app, 'licensing.refresh')).result,
    async quit(signal: NodeJS.Signals = 'SIGTERM') {
      app.kill(signal);
      return await app.ended;
    },
  };
}

const hello = '<pre>a &lt; b</pre>';

test('the window opens without a license, and a wrong key is refused with the reason', async () => {
  const { refreshed, enterKey, quit } = await open();
  expect(await refreshed()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.KEY_MISSING' });
  expect(await enterKey('WRONG')).toMatchObject({ code: 'LICENSE.NOT_FOUND' });
  expect(await enterKey({ toString: 'x' })).toMatchObject({ code: expect.any(String) });
  expect(await refreshed()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.KEY_MISSING' });
  expect(await quit()).toMatchObject({ code: 0 });
});

test('a license without the entitlement does not export', async () => {
  const { key } = await installation.license('editor', []);
  const { enterKey, refreshed, exported, quit } = await open();
  expect(await enterKey(` ${key}\n`)).toBe(null);
  expect(await refreshed()).toMatchObject({ status: 'licensed', entitlements: [] });
  expect(await exported('x')).toEqual({ error: 'Your license does not include export.' });
  await quit();
});

test('the key is kept, an outage does not end the license, and the page is notified of a revocation', async () => {
  const { gate, management, license } = installation;
  const { id, key } = await license('editor', ['export']);
  const first = await open();
  await first.enterKey(key);
  expect(await first.exported('a < b')).toEqual({ html: hello });
  await first.quit();
  await gate.close();
  const second = await open();
  expect(await second.refreshed()).toMatchObject({ status: 'offline', until: expect.stringMatching(/^20\d\d/) });
  expect(await second.exported('a < b')).toEqual({ html: hello });
  await gate.open();
  await management.licenses.revoke(id);
  await second.refreshed();
  await second.app.printed(/"heard":"licensing:changed","content":\{"status":"unlicensed","reason":"LICENSE.REVOKED"/);
  expect((await call(second.app, 'licensing.state')).result).toMatchObject({ reason: 'LICENSE.REVOKED' });
  expect(await second.exported('x')).toHaveProperty('error');
  const { output } = await second.quit('SIGINT');
  expect(output, 'no page and no log gets the key').not.toContain(key);
});

test('a page of another origin gets neither the license nor an answer', async () => {
  const { key } = await installation.license('editor', ['export']);
  const own = await open();
  await own.enterKey(key);
  await own.quit();
  const { app, quit } = await open({ PAGE_ORIGIN: 'https://evil.example' });
  expect(await call(app, 'licensing.refresh')).toMatchObject({ error: expect.stringContaining('`origins`') });
  expect(await call(app, 'licensing.state')).toMatchObject({ result: null });
  expect(await call(app, 'editor.exportDocument', 'x')).toMatchObject({ error: expect.stringContaining('Only pages') });
  expect((await quit()).output).not.toContain('licensing:changed');
});

test('quitting frees a floating seat', async () => {
  const { management, license } = installation;
  const { id, key } = await license('editor', [], { maxActivations: 1, leaseSeconds: 3600, requireActivation: true });
  const { enterKey, quit } = await open();
  expect(await enterKey(key)).toBe(null);
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await quit()).toMatchObject({ code: 0, output: expect.stringContaining('"heard":"quit"') });
  expect((await management.licenses.get(id)).activationsCount).toBe(0);
});

test('a computer that gets no seat offers to release another one, and takes its seat', async () => {
  const { license, management } = installation;
  const { id, key } = await license('editor', ['export'], { maxActivations: 1 });
  await installation.activate(key, 'another computer', 'Office computer');
  const { app, refreshed, quit } = await open();
  /** Enters the key, chooses a button of the dialog, and returns the buttons and the state afterwards. */
  const enterAndChoose = async (name: string, response: number) => {
    const from = app.output.length;
    app.write(JSON.stringify({ id: name, call: 'editor.enterKey', argument: key }));
    const [asked = ''] = await app.printed(/.*"heard":"dialog".*/, from);
    app.write(JSON.stringify({ response }));
    await app.printed(new RegExp(`^{"id":"${name}",.*$`, 'm'));
    return { state: await refreshed(), buttons: JSON.parse(asked).content.buttons };
  };
  const cancelled = await enterAndChoose('first', 1);
  expect(cancelled.buttons).toEqual([expect.stringMatching(/^Offi…, last used 20\d\d-\d\d-\d\d$/), 'Cancel']);
  expect(cancelled.state).toMatchObject({ status: 'unlicensed', reason: 'ACTIVATION.LIMIT_REACHED' });
  const { state } = await enterAndChoose('second', 0);
  expect(state).toMatchObject({ status: 'licensed', entitlements: [{ code: 'export' }] });
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await quit()).toMatchObject({ code: 0 });
});

/** Stands for the preload scripts in a real page; `hear` plays a change. */
const bridge = `
  let state = null;
  const listeners = [];
  window.hear = (next) => { state = next; for (const listener of listeners) listener(); };
  window.licensing = { state: () => state, onChange: (listener) => listeners.push(listener), refresh: async () => state };
  window.editor = {
    enterKey: async (key) => key === 'WRONG' ? { code: 'LICENSE.NOT_FOUND', message: '' } : null,
    exportDocument: async () => ({ error: 'Your license does not include export.' }),
  };`;

test('the page shows every state in words, in a real browser', async () => {
  const browser = await launchChromium();
  const page = await (await browser.newContext({})).newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.addInitScript(bridge);
  await page.goto(pathToFileURL(join(inject('examples').folder, 'desktop/index.html')).href);
  const message = () => page.textContent('#message');
  expect(await message()).toBe('Checking your license …');
  await page.evaluate("hear({ status: 'unlicensed', reason: 'LICENSE.KEY_MISSING', message: '', entitlements: [] })");
  expect(await message()).toBe('Enter your license key.');
  await page.fill('#key', 'WRONG');
  await page.click('#form button');
  await page.waitForSelector('#message:text("No license has this key.")');
  await page.evaluate(
    "hear({ status: 'licensed', reason: 'LICENSE.VALID', message: '', entitlements: [{ code: 'export' }] })",
  );
  expect(await message()).toBe('Your license is valid.');
  expect(await page.isVisible('#form')).toBe(false);
  await page.click('#export');
  await page.waitForSelector('#message:text("does not include export")');
  await page.evaluate("hear({ status: 'offline', reason: '', message: '', until: new Date(0), entitlements: [] })");
  expect(await message()).toContain('You can work until 1/1/1970');
  expect(await page.isEnabled('#export')).toBe(false);
  expect(errors).toEqual([]);
  await browser.close();
});
