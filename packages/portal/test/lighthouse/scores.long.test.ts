import { afterAll, beforeAll, test } from 'vitest';
import { expectScores } from '../../../dashboard/test/support/lighthouse.ts';
import { type Service, startService } from '../../../guides/test/support/service.ts';

let service: Service | undefined;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

// The session of a holder is bound to its tab, and Lighthouse opens a tab of its own.
test('Lighthouse gives the portal at least 95 points for performance, and all for accessibility and best practices', async () => {
  await expectScores(`${service?.url}/portal/demo`, { performance: 95, prepare: async () => undefined });
});
