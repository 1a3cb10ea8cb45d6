import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, launchChromium, type Page } from '../../tools/browser/chromium.ts';
import { freePort } from './support/global-setup.ts';
import { type Installation, install, type Running } from './support/running.ts';

let installation: Installation;
let server: Running;
let browser: Browser;
let url: string;

beforeAll(async () => {
  installation = await install('react');
  server = await installation.start({ env: { PORT: String(await freePort()) } });
  [, url = ''] = await server.printed(/(http:\/\/127\.0\.0\.1:\d+)/);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await installation.remove();
});

async function open() {
  const page = await (await browser.newContext({})).newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(url);
  return { page, errors };
}

const shown = (page: Page, text: string) => page.waitForSelector(`p:text(${JSON.stringify(text)})`);

async function enter(page: Page, key: string) {
  await page.fill('#key', key);
  await page.click('form button');
}

test('a wrong key is explained, a license opens the toolbar, and an outage and a revocation reach every component', async () => {
  const { gate, management, license } = installation;
  const { page, errors } = await open();
  await shown(page, 'Enter your license key.');
  await enter(page, 'WRONG');
  await shown(page, 'No license has this key.');
  const { id, key } = await license('editor', ['export']);
  await enter(page, key);
  await shown(page, 'Your license is valid.');
  await page.waitForSelector('button:text("Export"):enabled');
  await gate.close();
  await page.goto(url);
  await shown(page, 'Offline. You can work until');
  await page.waitForSelector('button:text("Export"):enabled');
  await gate.open();
  await management.licenses.revoke(id);
  // The check of the start may still run, with an answer from before the revocation.
  const checkAgain = async () => {
    await page.click('button:text("Check again")');
    return await page.textContent('p[role=status]');
  };
  await expect.poll(checkAgain).toContain('Your license was revoked.');
  expect(await page.isVisible('#key')).toBe(true);
  expect(errors).toEqual([]);
});

test('without the entitlement the button is disabled, and the page takes one seat and asks once', async () => {
  const { management, license } = installation;
  const { id, key } = await license('editor', [], { maxActivations: 1 });
  const { page, errors } = await open();
  await shown(page, 'Enter your license key.');
  await enter(page, key);
  await page.waitForSelector('button:text("Export"):disabled');
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  const calls: string[] = [];
  page.on('request', (request) => calls.push(request.url().split('/').at(-1) ?? ''));
  await page.reload();
  await shown(page, 'Your license is valid.');
  expect(calls.filter((name) => name === 'validate')).toHaveLength(1);
  expect(errors).toEqual([]);
});
