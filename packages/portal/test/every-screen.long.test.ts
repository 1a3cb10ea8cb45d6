import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { eventually } from '../../../tools/eventually.ts';
import { expectAccessible, expectAccessibleLook, expectAccessibleTexts } from '../../dashboard/test/support/screen.ts';
import { connectShop, offerItems } from '../../server/test/sales/custom-shop.ts';
import { activateDevices, type Holder, settled, usePortal, type Vendor } from './support/portal.ts';
import { publishVersion } from './support/versions.ts';

const suite = usePortal();
const days = (number: number) => new Date(Date.now() + number * 86_400_000).toISOString();

let vendor: Vendor;
let full: Holder;
let empty: Holder;
const standings: Record<string, Holder> = {};

beforeAll(async () => {
  vendor = await suite.newVendor();
  await vendor.tenant.asOwner('POST', '/entitlements', { code: 'studio', name: 'Studio', type: 'boolean' });
  await vendor.tenant.asOwner('POST', '/entitlements', { code: 'renders', name: 'Renders', type: 'metered' });
  const entitlements = [{ code: 'renders', limit: 1_000, reset: 'month' }];
  const product = { renewal_url: 'https://acme.example/renew' };
  full = await suite.newHolder(vendor, {
    product,
    policy: { entitlements, maintenance_days: 90, grace_days: 14 },
    license: { order_number: 'ORDER-2026-1042' },
  });
  await activateDevices(vendor, full, [
    'Laptop',
    'A device with a very long name without any spaces-0123456789',
    '工作室',
  ]);
  await publishVersion(vendor, full, '1.0.0', { notes: '- **Faster** exports' });
  await publishVersion(vendor, full, '2.0.0', { minimum_entitlements: ['studio'] });
  const { email } = full;
  const withTerm = (license: object, policy: object = {}) =>
    suite.newHolder(vendor, { email, policy, product, license });
  standings['expiring'] = await withTerm({ expires_at: days(10) });
  standings['grace'] = await withTerm({ starts_at: days(-30), expires_at: days(-3) }, { grace_days: 14 });
  standings['expired'] = await withTerm({ starts_at: days(-30), expires_at: days(-3) });
  standings['pending'] = await withTerm({ starts_at: days(10) });
  standings['suspended'] = await withTerm({});
  await vendor.tenant.asOwner('POST', `/licenses/${standings['suspended'].licenseId}/suspend`, {});
  standings['perpetual'] = await withTerm({}, { duration_days: null, max_activations: null, lease_seconds: null });
  empty = await suite.newHolder(vendor);
});

/** The screens, each with a way to it, and whose session it needs. */
const screens: Readonly<Record<string, () => Promise<Page>>> = {
  login: () => open(''),
  code: async () => {
    const page = await open('');
    await page.locator('input').fill(empty.email);
    await page.keyboard.press('Enter');
    await page.locator('.code').waitFor();
    return page;
  },
  link: async () => open('#token=abc'),
  'unknown portal': () => open('-unknown'),
  licenses: () => suite.openAs(vendor, full),
  'no licenses': async () => {
    const holder = await suite.newHolder(vendor);
    const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}`);
    await vendor.tenant.asOwner('DELETE', `/licenses/${holder.licenseId}`);
    await page.goto(`/portal/${vendor.handle}`);
    return page;
  },
  license: () => suite.openAs(vendor, full, `/licenses/${full.licenseId}`),
  'license, with all its downloads': async () => {
    const page = await suite.openAs(vendor, full, `/licenses/${full.licenseId}`);
    for (const summary of await page.locator('#downloads summary').all())
      if (await summary.isVisible()) await summary.click();
    return page;
  },
  'license without devices': () => suite.openAs(vendor, empty, `/licenses/${empty.licenseId}`),
  ...Object.fromEntries(
    ['expiring', 'grace', 'expired', 'pending', 'suspended', 'perpetual'].map((name) => [
      `license, ${name}`,
      () => suite.openAs(vendor, full, `/licenses/${standings[name]?.licenseId}`),
    ]),
  ),
  release: async () => {
    const page = await suite.openAs(vendor, full, `/licenses/${full.licenseId}`);
    await page.locator('.devices button').first().click();
    return page;
  },
  offline: () => suite.openAs(vendor, full, `/licenses/${full.licenseId}/offline`),
  purchase: async () => {
    const shop = await connectShop(suite.app, vendor.tenant);
    await offerItems(shop, { pro: { quantity: 'licenses' } });
    const buyer = { email: 'a.buyer.with.a.very.long.address.without.any.spaces-0123456789@example.com' };
    const sale = { id: 'order', checkout_id: 'checkout', buyer, items: [{ id: 'pro', quantity: 3 }] };
    await shop.tell('sale.completed', sale);
    return open(`/purchase?connection=${shop.id}&id=checkout`);
  },
  'purchase that is not paid': () => open(`/purchase?connection=${vendor.tenant.id}&id=unknown`),
  'purchase without a checkout': () => open('/purchase'),
  'unknown license': () => suite.openAs(vendor, full, '/licenses/0199'),
};

async function open(rest: string): Promise<Page> {
  const page = await suite.openWindow();
  await page.goto(`/portal/${vendor.handle}${rest}`);
  return page;
}

async function expectToFit(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const width = page.viewportSize()?.width;
  await eventually(async () => expect(await overflow(), `too wide for ${width} px: ${page.url()}`).toBe(0));
}

async function readIn(page: Page, language: string): Promise<void> {
  // By force, because a dialog covers it.
  await page.locator('footer select').selectOption(language, { force: true });
  await page.waitForFunction((code) => document.documentElement.lang === code, language);
}

describe('every screen has a title and one heading, fits small windows, and passes axe in both schemes and three languages:', () => {
  test.each(Object.keys(screens))('%s', async (name) => {
    suite.expectFailure(/^4(04|22) /);
    const page = (await screens[name]?.()) as Page;
    await settled(page);
    // 1440 px at 200 % zoom.
    await page.setViewportSize({ width: 720, height: 450 });
    for (const language of ['en', 'de', 'fr']) {
      await readIn(page, language);
      expect(await page.getByRole('heading', { level: 1 }).count(), 'headings of level 1').toBe(1);
      expect(await page.title()).toMatch(/^\S.* · \S/);
      await expectToFit(page);
      if (language === 'en') await expectAccessible(page);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    for (const language of ['fr', 'de', 'en']) {
      await readIn(page, language);
      await expectToFit(page);
      // Only the texts differ from the page in English, and they have the least room here.
      await (language === 'en' ? expectAccessibleLook(page) : expectAccessibleTexts(page));
    }
  });
});

test('a holder with more licenses than a page has reads on with the keyboard', async () => {
  const holder = await suite.newHolder(vendor);
  const { body } = await vendor.tenant.asOwner('GET', `/licenses/${holder.licenseId}`);
  for (let index = 0; index < 60; index += 1) {
    const fields = { policy_id: body.data.policy_id, holder: { email: holder.email } };
    await vendor.tenant.asOwner('POST', '/licenses', fields);
  }
  const page = await suite.openAs(vendor, holder);
  const rows = page.getByRole('main').getByRole('listitem');
  const shown = await rows.count();
  expect(shown).toBeLessThan(61);
  while ((await page.getByRole('button', { name: 'Show more' }).count()) > 0) {
    const before = await rows.count();
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await eventually(async () => expect(await rows.count()).toBeGreaterThan(before));
    await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('A'));
  }
  expect(await rows.count()).toBe(61);
});

test('too many attempts to log in are refused with the time to wait', async () => {
  suite.expectFailure(/^429 /);
  const page = await open('');
  await page.getByLabel('Email address').fill('too.many@example.com');
  for (let attempt = 0; attempt < 7; attempt += 1) {
    await page.getByRole('button', { name: attempt === 0 ? 'Send the code' : 'Send a new code' }).click();
    await page.getByText(attempt === 0 ? 'Check your email' : /We have sent a new email|too many attempts/).waitFor();
    await page.waitForLoadState('networkidle');
  }
  await page
    .getByRole('alert')
    .getByText(/There were too many attempts\. Wait \d+ seconds?/)
    .waitFor();
});
