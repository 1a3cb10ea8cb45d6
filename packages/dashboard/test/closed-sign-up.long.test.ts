import { describe, expect, test } from 'vitest';
import { expectAccessible, heading, useDashboard } from './support/screen.ts';

describe.each([
  ['invite', 'You need an invitation to create an account.'],
  ['off', 'This service does not accept new accounts.'],
])('with SIGN_UP=%s', (mode, explanation) => {
  const dashboard = useDashboard({ SIGN_UP: mode });

  test('the login page offers no registration, and the page of the registration says why', async () => {
    const page = await dashboard.openWindow();
    await page.goto('/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
    await page.goto('/register');
    await heading(page, 'Sign-up is closed').waitFor();
    await page.getByText(explanation).waitFor();
    expect(await page.getByRole('button', { name: 'Create account' }).count()).toBe(0);
    await expectAccessible(page);
  });
});
