import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Browser, launchChromium, type Page } from '../../tools/browser/chromium.ts';
import { type Installation, install, type Running } from './support/running.ts';

let installation: Installation;
let server: Running;
let browser: Browser;
let url: string;

beforeAll(async () => {
  installation = await install('browser');
  server = await installation.start({ env: { PORT: String(inject('examples').pagePort) } });
  [, url = ''] = await server.printed(/Listening on (http:\S+)/);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await installation.remove();
});

const shown = (page: Page, text: string) => page.waitForSelector(`#message:text(${JSON.stringify(text)})`);
const canExport = (page: Page) => page.evaluate<boolean>('!document.querySelector("#export").disabled');

async function enter(page: Page, key: string) {
  // The field appears on demand until there is a license.
  await page.evaluate("document.querySelector('#have-key').click()");
  await page.fill('#key', key);
  await page.click('#form button');
}

test('a wrong key, a license without the entitlement, an outage and a revocation are shown', async () => {
  const { gate, management, license } = installation;
  const context = await browser.newContext({});
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(url);
  await shown(page, 'Try Sketch for 14 days, or enter your license key.');
  await enter(page, 'WRONG');
  await shown(page, 'No license has this key.');
  await enter(page, (await license('editor', [])).key);
  await shown(page, 'Your license is valid.');
  expect(await canExport(page)).toBe(false);
  const { id, key } = await license('editor', ['export']);
  await enter(page, key);
  await page.waitForSelector('#export:enabled');
  await gate.close();
  await page.goto(url);
  await shown(page, 'Offline. You can work until');
  expect(await canExport(page), 'the certificate outlives the page').toBe(true);
  await gate.open();
  await management.licenses.revoke(id);
  await page.click('#refresh');
  await shown(page, 'Your license was revoked.');
  expect(await canExport(page)).toBe(false);
  expect(errors).toEqual([]);
  await context.close();
});

test('a browser that gets no seat lists the devices, releases the oldest one and takes its seat', async () => {
  const { activate, license, management } = installation;
  const { id, key } = await license('editor', ['export'], { maxActivations: 1 });
  await activate(key, 'another device', 'Office computer');
  const context = await browser.newContext({});
  const page = await context.newPage();
  await page.goto(url);
  await shown(page, 'Try Sketch for 14 days, or enter your license key.');
  const [refused] = await Promise.all([page.waitForEvent('dialog'), enter(page, key)]);
  expect(refused.message()).toMatch(/^Your license is in use on:\nOffi…, last used 20\d\d-\d\d-\d\d\n\nRelease Offi…/);
  await refused.dismiss();
  await shown(page, 'All devices of your license are in use.');
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  const [asked] = await Promise.all([page.waitForEvent('dialog'), enter(page, key)]);
  await asked.accept();
  await shown(page, 'Your license is valid.');
  expect(await canExport(page)).toBe(true);
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  await context.close();
});

test('the first screen starts a trial without a key, and a bought key replaces it in the same store', async () => {
  const { management, license, gate } = installation;
  const { id } = await license('editor', ['export']);
  const { productId } = await management.licenses.get(id);
  const code = `trial-${Date.now()}`;
  const trial = await management.policies.create({
    productId,
    code,
    name: 'Trial',
    durationDays: 14,
    maxActivations: 1,
  });
  await management.products.update(productId, { trialPolicyId: trial.id });
  const context = await browser.newContext({});
  const page = await context.newPage();
  await page.goto(url);
  await shown(page, 'Try Sketch for 14 days');
  await page.click('#try');
  await shown(page, 'Your license is valid.');
  const { data } = await management.licenses.list({ policyId: trial.id }).page();
  expect(data).toMatchObject([{ activationsCount: 1 }]);
  await gate.close();
  await page.goto(url);
  await shown(page, 'Offline. You can work until');
  await gate.open();
  // Ends the repetitions of the check that failed, which would replace the next message.
  await page.click('#refresh');
  await shown(page, 'Your license is valid.');
  await enter(page, 'WRONG');
  await shown(page, 'No license has this key.');
  await page.click('#refresh');
  await shown(page, 'Your license is valid.');
  await enter(page, (await license('editor', ['export'])).key);
  await page.waitForSelector('#export:enabled');
  await management.products.update(productId, { trialPolicyId: null });
  await context.close();
});

test('the server serves the page and the SDK, nothing else, and ends at SIGTERM', async () => {
  for (const path of [
    '/serve.js',
    '/build.js',
    '/package.json',
    '/sdk/..%2f..%2fpackage.json',
    '/sdk/x.js',
    '/other',
  ]) {
    expect((await fetch(url + path)).status, path).toBe(404);
  }
  expect((await fetch(`${url}/sdk/index.js`)).headers.get('content-type')).toBe('text/javascript');
  server.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0, signal: null });
});
