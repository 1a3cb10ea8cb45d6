import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, launchChromium, type Page } from '../../../../tools/browser/chromium.ts';

/** Bundles the page of the tests with the React of a folder, of which the path of `package.json` is given. */
async function bundled(folder: string): Promise<string> {
  const load = createRequire(folder);
  const names = ['react-dom/client', 'react-dom/server.browser', 'react-dom', 'react'];
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./react-page.ts', import.meta.url)),
    platform: 'browser',
    resolve: { alias: Object.fromEntries(names.map((name) => [name, load.resolve(name)])) },
    // The build of development, whose strict mode mounts every component twice.
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

/** Opens a page with a guard of its own. */
async function open(browser: Browser, script: string): Promise<Page> {
  const page = await (await browser.newContext({})).newPage();
  await page.setContent('<!doctype html><div id="root"></div>');
  await page.addScriptTag({ content: script });
  return page;
}

const shows = (page: Page, texts: readonly string[]) =>
  expect.poll(() => page.evaluate<string[]>('page.texts()')).toEqual(texts);

const licensed = 'LICENSE.VALID true';

/** Declares the tests of `useLicense` with the React that is installed beside the `package.json` at a path. */
export function describeHook(version: string, folder: string): void {
  describe(`with React ${version}`, () => {
    let browser: Browser;
    let script: string;

    beforeAll(async () => {
      script = await bundled(folder);
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    test('the page has that version', async () => {
      expect(await (await open(browser, script)).evaluate('page.version')).toMatch(new RegExp(`^${version}\\.`));
    });

    test('strict mode and two components start the guard once, and the last one that leaves stops it', async () => {
      const page = await open(browser, script);
      await page.evaluate("page.show('one', 'two')");
      await shows(page, [licensed, licensed]);
      await page.evaluate("page.show('one')");
      await shows(page, [licensed]);
      expect(await page.evaluate('page.calls')).toEqual(['start']);
      await page.evaluate('page.show()');
      await expect.poll(() => page.evaluate('page.calls')).toEqual(['start', 'stop']);
    });

    test('a component that replaces another one in the same moment takes over the running guard', async () => {
      const page = await open(browser, script);
      await page.evaluate("page.show('one')");
      await shows(page, [licensed]);
      await page.evaluate("page.show('two')");
      await shows(page, [licensed]);
      await page.evaluate('page.settle()');
      expect(await page.evaluate('page.calls')).toEqual(['start']);
    });

    test('a change of the license reaches every component', async () => {
      const page = await open(browser, script);
      await page.evaluate("page.show('one', 'two')");
      await shows(page, [licensed, licensed]);
      await page.evaluate("page.answerWith('LICENSE.REVOKED'); page.guard.refresh()");
      await shows(page, ['LICENSE.REVOKED false', 'LICENSE.REVOKED false']);
    });

    test('a component that comes later shows the same state as the others, although the guard has checked since', async () => {
      const page = await open(browser, script);
      await page.evaluate("page.show('one')");
      await shows(page, [licensed]);
      await page.evaluate('page.pass(1000); page.guard.refresh()');
      expect(await page.evaluate("page.guard.state.checkedAt.getTime() > page.checkedAt('one')")).toBe(true);
      await page.evaluate("page.show('one', 'two')");
      await shows(page, [licensed, licensed]);
      expect(await page.evaluate("page.haveOneView('one', 'two')")).toBe(true);
    });

    test('a component that returns after the guard has stopped waits for its next check', async () => {
      const page = await open(browser, script);
      await page.evaluate("page.show('one')");
      await shows(page, [licensed]);
      await page.evaluate('page.show()');
      await expect.poll(() => page.evaluate('page.calls')).toEqual(['start', 'stop']);
      await page.evaluate("page.answerWith('LICENSE.REVOKED'); page.show('one')");
      await shows(page, ['LICENSE.REVOKED false']);
      expect(await page.evaluate('page.calls')).toEqual(['start', 'stop', 'start']);
    });

    test('a server renders a license that is still checked, and hydration finds the same text', async () => {
      const page = await open(browser, script);
      await page.evaluate('page.guard.start()');
      expect(await page.evaluate("page.serverText('one')")).toBe('<p id="one">checking</p>');
      await page.evaluate("page.hydrate('one')");
      await shows(page, [licensed]);
      expect(await page.evaluate('page.recovered')).toEqual([]);
    });

    test('the license of a page of Electron, whose state is a copy each time, works like a guard', async () => {
      const page = await open(browser, script);
      await page.evaluate('page.guard.start()');
      await page.evaluate("page.useBridge(); page.show('one', 'two')");
      await shows(page, [licensed, licensed]);
      await page.evaluate("page.answerWith('LICENSE.REVOKED'); page.guard.refresh()");
      await shows(page, ['LICENSE.REVOKED false', 'LICENSE.REVOKED false']);
      expect(await page.evaluate("page.haveOneView('one', 'two')")).toBe(true);
      await page.evaluate('page.show()');
      await page.evaluate('page.settle()');
      expect(await page.evaluate('page.calls'), 'the main process starts and stops the guard').toEqual(['start']);
    });
  });
}
