import { afterAll, beforeAll, test } from 'vitest';
import { type DemoService, settled, startDemo } from '../support/demo.ts';
import { expectScores } from '../support/lighthouse.ts';

let demo: DemoService | undefined;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.stop());

/**
 * The points for performance that a page must reach. The time in which a table is laid out varies by a half between two
 * measurements on one machine, so its bound only catches a page that becomes much slower. The caches are empty.
 */
const pages = [
  { path: '/login', profile: 'desktop', performance: 95 },
  { path: '/login', profile: 'mobile', performance: 85 },
  { path: '/licenses', profile: 'desktop', performance: 45 },
] as const;

test.each(pages)(
  'Lighthouse gives $path ($profile) at least $performance points for performance, and all for accessibility and best practices',
  async ({ path, profile, performance }) => {
    if (demo === undefined) throw new Error('The demo did not start.');
    const service = demo;
    await expectScores(service.url + path, {
      performance,
      profile,
      async prepare(page) {
        if (path === '/login') return;
        await service.signIn(page);
        await page.goto(service.url + path);
        await settled(page);
      },
    });
  },
);
