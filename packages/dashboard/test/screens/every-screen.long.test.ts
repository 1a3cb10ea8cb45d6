import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../../tools/browser/chromium.ts';
import { eventually } from '../../../../tools/eventually.ts';
import { type DemoService, publicRoutes, routes, settled, startDemo } from '../support/demo.ts';
import { expectAccessible, expectAccessibleLook, useWindows } from '../support/screen.ts';

let demo: DemoService | undefined;
// A browser that has loaded the application shows the next screen in a third less time.
const windows = useWindows(() => theDemo().url, { areKept: true });
const opened = new Map<boolean, Promise<Page>>();

function theDemo(): DemoService {
  if (demo === undefined) throw new Error('The service exists only inside tests and hooks.');
  return demo;
}

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.stop());

/** Returns the window that shows a route: one without a session for public routes, and one with a session for the others. */
function windowOf(route: string): Promise<Page> {
  const isPublic = publicRoutes.has(route);
  const open = async () => {
    const page = await windows.openWindow();
    if (!isPublic) await theDemo().signIn(page);
    return page;
  };
  const page = opened.get(isPublic) ?? open();
  opened.set(isPublic, page);
  return page;
}

/** Expects that a reader scrolls a window of this width only up and down. Wide tables scroll in their own region. */
async function expectToFit(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  // A chart follows the size of the window a moment later.
  await eventually(async () =>
    expect(await widestOutside(page), `elements outside a window of ${width} px at ${page.url()}`).toEqual([]),
  );
}

function widestOutside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isOutside = (element: Element) => element.getBoundingClientRect().right > clientWidth + 1;
    const widest = [...document.querySelectorAll('body *')].filter(isOutside).slice(0, 5);
    return widest.map((element) => element.outerHTML.slice(0, 200));
  });
}

describe('every screen has a title and one heading, fits small windows, and passes axe in both schemes:', () => {
  test.each(routes.filter((route) => route !== '/'))('%s', async (route) => {
    const page = await windowOf(route);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(await theDemo().urlOf(route));
    await settled(page);
    expect(await page.getByRole('heading', { level: 1 }).count(), 'headings of level 1').toBe(1);
    expect(await page.title()).toMatch(/^\S.* · Licensing$/);
    await expectAccessible(page);
    // 1440 px at 200 % zoom.
    await expectToFit(page, 720, 450);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectToFit(page, 360, 740);
    await expectAccessibleLook(page);
  });
});
