import { expect, test } from 'vitest';
import { initialKib, largeFileKib, PageCaches } from './page-caches.ts';

/** Opens the page cache of a file of this size. `sizes` lists the sizes that were set. */
function openFile(caches: PageCaches, sizeKib: number) {
  const sizes: number[] = [];
  const cache = caches.open({ sizeKib: () => sizeKib, resize: (kib) => sizes.push(kib) });
  const use = (times: number) => {
    for (let count = 0; count < times; count += 1) cache.countUse();
  };
  return { cache, sizes, use };
}

test('the page cache of a busy file grows until it holds the file', () => {
  const { cache, sizes, use } = openFile(new PageCaches(), 1000);
  expect(cache.kib).toBe(initialKib);
  use(1000);
  expect(cache.kib).toBe(1000);
  expect(sizes).toEqual([96, 192, 384, 768, 1000]);
});

test.each([
  { mib: 17, kib: largeFileKib },
  { mib: 500, kib: 2000 },
  { mib: 50_000, kib: 8192 },
])('the page cache of a large file of $mib MiB grows to $kib KiB, however busy it is', ({ mib, kib }) => {
  const { cache, use } = openFile(new PageCaches(), mib * 1024);
  use(100_000);
  expect(cache.kib).toBe(kib);
});

test('the page cache of a file that grows later grows with it', () => {
  let sizeKib = 10;
  const cache = new PageCaches().open({ sizeKib: () => sizeKib, resize: () => undefined });
  for (let count = 0; count < 1000; count += 1) cache.countUse();
  sizeKib = 300;
  for (let count = 0; count < 10_000; count += 1) cache.countUse();
  expect(cache.kib).toBe(300);
});

test('the sum of all page caches stays within the limit, and the busiest files have the most', () => {
  const caches = new PageCaches(12_000);
  const files = Array.from({ length: 50 }, () => openFile(caches, 4000));
  for (let round = 0; round < 20; round += 1) {
    for (const [index, { use }] of files.entries()) {
      use(index < 2 ? 2000 : 20);
      expect(caches.totalKib).toBeLessThanOrEqual(12_000);
    }
  }
  expect(files.slice(0, 2).map(({ cache }) => cache.kib)).toEqual([4000, 4000]);
});

test('an idle file gives its memory to a busy one', () => {
  const caches = new PageCaches(5000);
  const [former, present] = [openFile(caches, 4000), openFile(caches, 4000)];
  former.use(1000);
  present.use(1000);
  expect([former.cache.kib, present.cache.kib]).toEqual([initialKib, 4000]);
  expect(former.sizes.at(-1)).toBe(initialKib);
});

test('a closed file gives its memory back', () => {
  const caches = new PageCaches();
  const { cache, use } = openFile(caches, 4000);
  use(1000);
  cache.close();
  cache.close();
  expect(caches.totalKib).toBe(0);
});
