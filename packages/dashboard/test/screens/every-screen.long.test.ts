import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../../tools/browser/chromium.ts';
import { eventually } from '../../../../tools/eventually.ts';
import { type DemoService, publicRoutes, routes, startDemo } from '../support/demo.ts';
import { openAddress, type Viewer, watchRequests } from '../support/navigation.ts';
import { expectAccessible, expectAccessibleLook, useWindows } from '../support/screen.ts';

type Look = 'wide' | 'small';

const wide = { width: 1440, height: 900 };
/** 1440 px at 200 % zoom. */
const zoomed = { width: 720, height: 450 };
const phone = { width: 360, height: 740 };

let demo: DemoService | undefined;
const windows = useWindows(() => theDemo().url, { areKept: true });
const opened = new Map<boolean, Promise<Record<Look, Viewer>>>();

function theDemo(): DemoService {
  if (demo === undefined) throw new Error('The service exists only inside tests and hooks.');
  return demo;
}

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.stop());

/**
 * Returns the tabs that show a route: without a session for public routes, and with one for the others; a wide one in light
 * colours, and a small one in dark colours. One that changes its look costs more, because it renders the whole screen again.
 */
function tabsOf(route: string): Promise<Record<Look, Viewer>> {
  const isPublic = publicRoutes.has(route);
  const open = async () => {
    const light = await windows.openWindow({ ...wide, colorScheme: 'light' });
    if (!isPublic) await theDemo().signIn(light);
    const dark = await light.context().newPage();
    await dark.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await dark.setViewportSize(zoomed);
    return { wide: watchRequests(light), small: watchRequests(dark) };
  };
  const tabs = opened.get(isPublic) ?? open();
  opened.set(isPublic, tabs);
  return tabs;
}

/** Shows a route in the tab of a look, and expects its title and one heading, whose text it returns. */
async function show(route: string, look: Look): Promise<{ page: Page; heading: string }> {
  const { [look]: viewer } = await tabsOf(route);
  const { page } = viewer;
  const path = await theDemo().urlOf(route);
  await openAddress(viewer, theDemo().url, path);
  const headings = await page.getByRole('heading', { level: 1 }).allTextContents();
  expect(headings, 'headings of level 1').toHaveLength(1);
  expect(await page.title()).toMatch(/^\S.* · Licensing$/);
  return { page, heading: headings[0] ?? '' };
}

/** Expects that a reader scrolls both small windows only up and down, and that the phone passes a check. */
async function expectToFit(page: Page, checkPhone: (page: Page) => Promise<void>): Promise<void> {
  // The size that the tab has comes first.
  const sizes = page.viewportSize()?.width === phone.width ? [phone, zoomed] : [zoomed, phone];
  for (const size of sizes) {
    await page.setViewportSize(size);
    // A chart follows the size of the window a moment later. Wide tables scroll in their own region.
    await eventually(async () =>
      expect(await widestOutside(page), `elements outside a window of ${size.width} px at ${page.url()}`).toEqual([]),
    );
    if (size === phone) await checkPhone(page);
  }
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

/** The route at which an admin sees a tenant's screen. */
const adminRouteOf = (route: string) => `/admin/tenants/:tenantId${route}`;
const isTested = (route: string) => route !== '/';
/** An admin's routes that have the screens of a tenant's routes. */
const repeated = new Set(
  routes
    .filter(isTested)
    .map(adminRouteOf)
    .filter((route) => routes.includes(route)),
);

describe('every screen has a title and one heading, fits small windows, and passes axe in both schemes:', () => {
  test.each(routes.filter((route) => isTested(route) && !repeated.has(route)))('%s', async (route) => {
    await expectAccessible((await show(route, 'wide')).page);
    const { page, heading } = await show(route, 'small');
    await expectToFit(page, expectAccessibleLook);

    if (!repeated.has(adminRouteOf(route))) return;
    // The same components in another area: what they need in light colours and in a wide window was seen above.
    const admin = await show(adminRouteOf(route), 'small');
    expect(admin.heading).toBe(heading);
    await expectToFit(admin.page, expectAccessible);
  });
});
