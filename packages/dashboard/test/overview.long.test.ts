import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { created, newLicense } from '../../server/test/support/licensing-catalog.ts';
import { expectAccessible, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Small');
  const license = await newLicense(tenant, {}, { expires_at: inDays(400) });
  const soon = { policy_id: license.policy_id, expires_at: inDays(3.2), holder: { name: 'Grace Hopper' } };
  created(await tenant.asOwner('POST', '/licenses', soon));
  for (const key of [license.key, license.key, license.key, 'UNKNOWN']) {
    await tenant.asApplication(`/licenses/${key}/validate`);
  }
  await tenant.asApplication(`/licenses/UNKNOWN/activations`, { fingerprint: 'a' });
  await dashboard.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${tenant.id}`,
    headers: dashboard.admin.auth,
    payload: { limits: { licenses: 2 } },
  });
});

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

/** Returns the names of the legend from left to right, and the colors of the stack from the bottom to the top. */
async function legendAndStack(page: Page) {
  await expect.poll(() => page.locator('figure path[fill^="var(--mantine-color-gray-6"]').count()).toBeGreaterThan(0);
  return await page.locator('figure').evaluate((figure) => {
    const legend = [...(figure.textContent ?? '').matchAll(/Valid(?!ations)|Unknown key/g)].slice(0, 2);
    const bars = ['teal-6', 'gray-6'].map((color) => {
      const paths = [...figure.querySelectorAll(`path[fill="var(--mantine-color-${color})"]`)];
      return { color, bottom: Math.max(...paths.map((path) => path.getBoundingClientRect().bottom)) };
    });
    const stack = bars.toSorted((left, right) => right.bottom - left.bottom).map(({ color }) => color);
    return { legend: legend.map(([name]) => name), stack };
  });
}

test.each(['tenant', 'admin'] as const)(
  'the overview and the developers page of a small tenant show its figures on the %s surface',
  async (area) => {
    const prefix = area === 'tenant' ? '' : `/admin/tenants/${tenant.id}`;
    const account = area === 'tenant' ? tenant.owner : dashboard.admin;
    const page = await dashboard.open(account, `${prefix}/overview`, {
      colorScheme: area === 'tenant' ? 'light' : 'dark',
    });
    await page.getByRole('group', { name: 'Active licenses' }).getByText('2', { exact: true }).waitFor();
    await page.getByRole('group', { name: 'Validations' }).getByText('in 30 days, 75% valid').waitFor();
    await page.getByRole('region', { name: 'Expiring next' }).getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await page.getByRole('progressbar', { name: 'Licenses: 2 of 2' }).waitFor();
    const months = page.getByRole('region', { name: 'By month' });
    await months.getByRole('row').nth(1).getByRole('cell', { name: '2', exact: true }).waitFor();
    expect(await months.getByRole('row').count()).toBe(13);
    await expect.poll(() => page.getByRole('region', { name: /^Your first license/ }).count()).toBe(0);
    await page.getByText('24 hours', { exact: true }).click();
    await page.getByRole('group', { name: 'Validations' }).getByText('in 24 hours, 75% valid').waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('24h');
    const figures = page.getByRole('table', { name: 'Validations by verdict' });
    await figures.getByRole('columnheader', { name: 'Unknown key' }).waitFor({ state: 'attached' });
    expect(await legendAndStack(page)).toEqual({
      legend: ['Valid', 'Unknown key'],
      stack: ['teal-6', 'gray-6'],
    });
    await page.reload();
    await page.getByRole('group', { name: 'Validations' }).getByText('in 24 hours, 75% valid').waitFor();
    await figures.waitFor({ state: 'attached' });
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('link', { name: 'Developer tools' }).click();
    await page.getByText(tenant.id, { exact: true }).waitFor();
    await page.getByRole('row', { name: /LICENSE\.NOT_FOUND 404 POST/ }).waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    const program = await page.getByRole('region', { name: 'Python program' }).textContent();
    expect(program).toContain(`base_url = "${dashboard.app.config.publicUrl}"`);
    expect(await page.title()).toMatch(/^Developer tools · .+ · Licensing$/);
    await expectAccessible(page);
  },
);

test('the owner of a suspended tenant sees what to do instead of the overview', async () => {
  const suspended = await dashboard.newTenant('Suspended');
  await dashboard.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${suspended.id}`,
    headers: dashboard.admin.auth,
    payload: { status: 'suspended' },
  });
  // The page asks for the link to the payment, which the refusal contains.
  dashboard.expectFailure(/^403 \/api\/v1\/billing\/overview$/);
  const page = await dashboard.open(suspended.owner, '/overview');
  await page.getByRole('heading', { name: /suspended/i }).waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Validations' }).count()).toBe(0);
});
