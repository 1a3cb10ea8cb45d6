import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { guidePages } from './support/pages.ts';
import { Reader } from './support/reader.ts';
import { type Service, startService } from './support/service.ts';
import { createTools, type Tools } from './support/tools.ts';
import { TypeScriptOfReaders } from './support/types.ts';
import { createWorld } from './support/world.ts';

let service: Service;
let tools: Tools;
const types = new TypeScriptOfReaders();

beforeAll(async () => {
  tools = createTools();
  service = await startService();
});

afterAll(async () => {
  await service?.stop();
  tools?.remove();
  types.remove();
});

describe('a reader who follows the page succeeds', () => {
  const cases = guidePages()
    .filter(({ groups }) => groups.length > 0)
    .flatMap((page) => page.tracks.map((track) => ({ page, track, name: page.path })));

  test.for(cases)('$name in $track', async ({ page, track }) => {
    const startsOwn = page.groups.some(({ tabs }) =>
      tabs.some((tab) => tab.snippets.some(({ action }) => action === 'start')),
    );
    const hasDemoProduct = track === page.tracks[0];
    const world = startsOwn ? null : await createWorld(service, `${page.path} ${track}`, { hasDemoProduct });
    const reader = new Reader(page, track, { tools, types, world });
    onTestFinished(() => reader.close());
    await reader.follow();
  });

  test('and the strict compiler accepts the TypeScript of every page', () => {
    expect(types.errors()).toBe('');
  });
});
