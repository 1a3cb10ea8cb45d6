import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoService, startDemo } from '../../../dashboard/test/support/demo.ts';
import { expectScores } from '../../../dashboard/test/support/lighthouse.ts';

const handle = 'lighthouse';

let demo: DemoService | undefined;
beforeAll(async () => {
  demo = await startDemo();
  const response = await fetch(`${demo.url}/api/v1/tenant/portal`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${demo.userToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ handle, is_enabled: true }),
  });
  expect(response.status).toBe(200);
});
afterAll(() => demo?.stop());

// The session of a holder is bound to its tab, and Lighthouse opens a tab of its own.
test('Lighthouse gives the portal at least 95 points for performance, and all for accessibility and best practices', async () => {
  await expectScores(`${demo?.url}/portal/${handle}`, { performance: 95, prepare: async () => undefined });
});
