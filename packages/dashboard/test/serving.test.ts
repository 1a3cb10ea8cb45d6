import { expect, test } from 'vitest';
import { useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

test('an inline style, an inline script and HTML as text are refused, and each is reported', async () => {
  for (const refused of [
    /policy: style-src/,
    /policy: script-src/,
    /policy: require-trusted-types-for/,
    /^console: /,
  ]) {
    dashboard.expectFailure(refused);
  }
  const page = await dashboard.openWindow();
  await page.goto('/login');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const outcome = await page.evaluate(() => {
    const style = document.createElement('style');
    style.textContent = 'h1 { visibility: hidden }';
    document.head.append(style);
    const script = document.createElement('script');
    const outcomes: Record<string, unknown> = {};
    const assignments: readonly (readonly [name: string, assign: () => void])[] = [
      ['markup', () => Object.assign(document.body, { innerHTML: '<img src=x>' })],
      ['code', () => Object.assign(script, { text: 'document.title = "run"' })],
      ['address', () => Object.assign(script, { src: '/docs/assets/site.js' })],
    ];
    for (const [name, assign] of assignments) {
      try {
        assign();
        outcomes[name] = 'accepted';
      } catch (error) {
        outcomes[name] = error instanceof TypeError ? 'refused' : String(error);
      }
    }
    const heading = document.querySelector('h1');
    return { ...outcomes, heading: heading && getComputedStyle(heading).visibility };
  });
  expect(outcome).toEqual({ markup: 'refused', code: 'refused', address: 'refused', heading: 'visible' });
});

test('an unknown path shows the page of the application that says so, with the status 404', async () => {
  dashboard.expectFailure(/^404 \/no\/such\/page$/);
  const page = await dashboard.openWindow();
  const response = await page.goto('/no/such/page');
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { level: 1, name: /not found|no such page/i }).waitFor();
});
