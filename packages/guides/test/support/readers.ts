import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest';
import type { Track } from '../../src/snippets/snippet.ts';
import { type GuidePage, guidePages } from './pages.ts';
import { Reader } from './reader.ts';
import { type Service, startService } from './service.ts';
import { createTools, type Tools } from './tools.ts';
import { createWorld } from './world.ts';

/**
 * Declares one test for each page and each of its chosen tracks, in which a reader follows the page. Without compilers,
 * the readers have stand-ins for their commands.
 */
export function describeReaders(
  chosen: (page: GuidePage) => readonly Track[],
  { hasCompilers }: { readonly hasCompilers: boolean },
): void {
  let service: Service;
  let tools: Tools;

  beforeAll(async () => {
    tools = createTools({ hasCompilers });
    service = await startService();
  });

  afterAll(async () => {
    await service?.stop();
    tools?.remove();
  });

  describe('a reader who follows the page succeeds', () => {
    const cases = guidePages()
      .filter(({ groups }) => groups.length > 0)
      .flatMap((page) => chosen(page).map((track) => ({ page, track, name: page.path })));

    test.for(cases)('$name in $track', async ({ page, track }) => {
      const startsOwn = page.groups.some(({ tabs }) =>
        tabs.some((tab) => tab.snippets.some(({ action }) => action === 'start')),
      );
      const hasDemoProduct = track === page.tracks[0];
      const world = startsOwn ? null : await createWorld(service, `${page.path} ${track}`, { hasDemoProduct });
      const reader = new Reader(page, track, { tools, world });
      onTestFinished(() => reader.close());
      await reader.follow();
    });
  });
}
