import { expect, test } from 'vitest';
import { mailedLinks, postAs } from '../../server/test/accounts/people.ts';
import { createUser, testPassword } from '../../server/test/support/accounts.ts';
import { oneTimeCode } from '../../server/test/support/one-time-code.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

test('a person who did not turn two-factor authentication on undoes it with the mailed link, once', async () => {
  const { app } = dashboard;
  const { auth, email } = await createUser(app);
  const setup = await postAs(app, auth, '/two-factor/setup', { password: testPassword });
  await postAs(app, auth, '/two-factor/confirm', { code: oneTimeCode(setup.body.data.secret) });
  const { '/undo-two-factor': token } = await mailedLinks(app, email);
  expect(token).toEqual(expect.any(String));
  const page = await dashboard.openWindow();
  await page.goto(`/undo-two-factor#token=${token}`);
  await expectAccessible(page);
  await button(page, 'Turn off two-factor authentication').click();
  await heading(page, 'Two-factor authentication is off').waitFor();
  await page.getByText(email).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to login' }).click();
  await heading(page, 'Log in').waitFor();
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/undo-two-factor$/);
  await page.goto(`/undo-two-factor#token=${token}`);
  await button(page, 'Turn off two-factor authentication').click();
  await page.getByRole('alert').getByText('Nothing has changed').waitFor();
});
