import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createUser, joinTenant } from '../../server/test/support/accounts.ts';
import { expectAccessible, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

/** Returns a tenant that has nothing yet, not even an API key. */
async function emptyTenant(name: string) {
  const tenant = await dashboard.newTenant(name);
  await tenant.asOwner('DELETE', `/api-keys/${tenant.apiKeyId}`);
  return tenant;
}

test('a newcomer gets from an empty tenant to a validated license by clicking alone, and the key stays nowhere', async () => {
  const tenant = await emptyTenant('Newcomer');
  const page = await dashboard.open(tenant.owner, '/overview');
  const guide = page.getByRole('region', { name: /^Your first license/ });
  const progress = guide.getByRole('status').first();
  await guide.getByRole('button', { name: 'Create product' }).waitFor();
  await expectAccessible(page);
  await guide.getByRole('button', { name: 'Create product' }).click();
  const model = guide.getByRole('radio', { name: /^One year: Valid for 1 year, on up to 3 devices/ });
  expect(await model.getAttribute('aria-label')).toMatch(/Each device must be activated\.$/);
  await guide.getByRole('button', { name: 'Create policy' }).click();
  await guide.getByRole('button', { name: 'Issue license' }).click();
  await guide.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New API key' });
  const key = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? '';
  expect(key).toMatch(/^vx_[0-9a-f]{64}$/);
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await guide.getByRole('button', { name: 'Activate and validate' }).click();
  await guide.getByText('LICENSE.VALID', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Your first license works' }).waitFor();
  expect(await progress.textContent()).toBe('5 of 5 steps done');
  const next = guide.getByRole('region', { name: 'What next' }).getByRole('link');
  expect(await next.evaluateAll((links) => links.map((each) => each.getAttribute('href')))).toEqual([
    '/portal-settings',
    '/settings/mails',
    '/connections',
    '/members',
  ]);
  expect(await page.content()).not.toContain(key);
  expect(page.url()).not.toContain(key);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(key);
  const snippet = await guide.getByRole('region', { name: 'curl command' }).textContent();
  const { body } = await tenant.asOwner('GET', '/licenses');
  expect(snippet).toContain(`/licenses/${body.data[0].key}/validate`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await guide.getByRole('button', { name: 'Copy curl command' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  // The command runs as it was copied.
  const verdict = await promisify(execFile)('bash', ['--norc', '-c', copied]);
  expect(JSON.parse(verdict.stdout).data.code).toBe('LICENSE.VALID');
  for (const language of ['TypeScript', 'Python']) {
    await guide.getByRole('tab', { name: language }).click();
    const commands = await guide.getByRole('region', { name: `${language} commands` }).textContent();
    const [sdk = ''] = /http\S+\/docs\/downloads\/\S+/.exec(commands ?? '') ?? [];
    expect([sdk, (await fetch(sdk)).status]).toEqual([sdk, 200]);
  }
  await page
    .getByRole('table', { name: 'Validations by verdict' })
    .getByRole('columnheader', { name: 'Valid', exact: true })
    .waitFor({ state: 'attached' });
  await expectAccessible(page);
  await guide.getByRole('link', { name: 'Open the guides' }).click();
  await page.waitForURL(/\/docs\/quickstart\/#i-have-an-account$/);
  const setup = page.locator('[data-setup] code');
  await setup.getByText(`export LICENSING_API_KEY=${key}`).waitFor();
  expect(await setup.textContent()).toContain(
    `export LICENSE_KEY=${body.data[0].key}\nexport LICENSING_API_KEY=${key}\nexport LICENSING_TENANT_ID=${tenant.id}\n`,
  );
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(key);
  await page.goto('/overview?start=true');
  await guide.getByRole('button', { name: 'Close the guide' }).click();
  await guide.waitFor({ state: 'detached' });
});

test('the steps tick by themselves when something happens elsewhere, and a viewer is offered no step', async () => {
  const tenant = await emptyTenant('Elsewhere');
  const viewer = await createUser(dashboard.app);
  await joinTenant(dashboard.app, viewer, tenant.id, 'viewer');
  const page = await dashboard.open(viewer, '/overview', narrow);
  const guide = page.getByRole('region', { name: /^Your first license/ });
  await guide.getByText('0 of 5 steps done').waitFor();
  await expect.poll(() => guide.getByRole('button').count()).toBe(0);
  await expectAccessible(page);
  const { body: product } = await tenant.asOwner('POST', '/products', { code: 'editor', name: 'Editor' });
  await guide.getByText('1 of 5 steps done').waitFor();
  await guide.getByRole('link', { name: 'Editor' }).waitFor();
  const policy = await tenant.asOwner('POST', '/policies', { product_id: product.data.id, code: 'p', name: 'Plan' });
  const license = await tenant.asOwner('POST', '/licenses', { policy_id: policy.body.data.id });
  const { body: made } = await tenant.asOwner('POST', '/api-keys', { name: 'Editor' });
  await guide.getByText('4 of 5 steps done').waitFor();
  const answer = await dashboard.app.request({
    method: 'POST',
    url: `/api/v1/integration/licenses/${license.body.data.key}/validate`,
    headers: { 'x-api-key': made.data.key },
  });
  expect(answer.body.data.valid).toBe(true);
  await page.getByRole('region', { name: 'Your first license works' }).waitFor();
  await page
    .getByRole('group', { name: 'Validations' })
    .getByText(/100% valid/)
    .waitFor();
  await expectAccessible(page);
});
