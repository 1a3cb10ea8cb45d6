import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryStore, type Store, webStore } from '../../src/index.ts';
import { fileStore } from '../../src/node/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'licensing-sdk-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('fileStore', () => {
  test('only its owner can read the file and the new folder', async () => {
    const path = join(folder, 'a', 'b', 'state.json');
    await fileStore(path).write('text');
    expect(await readFile(path, 'utf8')).toBe('text');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'a', 'b'))).mode & 0o777).toBe(0o700);
  });

  test('a file that others could read is private after the next write', async () => {
    const path = join(folder, 'state.json');
    await writeFile(path, 'old', { mode: 0o644 });
    await fileStore(path).write('new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('a half-written temporary file changes nothing, and is removed when it is old', async () => {
    const path = join(folder, 'state.json');
    await fileStore(path).write('good');
    await writeFile(`${path}.1.abc.tmp`, 'go');
    await writeFile(`${path}.2.abc.tmp`, 'go');
    await utimes(`${path}.1.abc.tmp`, 0, 0);
    const store = fileStore(path);
    expect(await store.read()).toBe('good');
    await store.write('better');
    expect(await store.read()).toBe('better');
    expect(await readdir(folder), 'another process may be writing the young one').toEqual([
      'state.json',
      'state.json.2.abc.tmp',
    ]);
  });

  test('a failed write keeps the old text and leaves no file', async () => {
    const path = join(folder, 'state.json');
    await mkdir(path);
    await expect(fileStore(path).write('text')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('writers at the same time leave one complete text', async () => {
    const path = join(folder, 'state.json');
    const texts = Array.from({ length: 40 }, (_, index) => String(index).repeat(5000));
    await Promise.all(texts.map((text) => fileStore(path).write(text)));
    expect(texts).toContain(await readFile(path, 'utf8'));
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('writes of one store keep their order', async () => {
    const store = fileStore(join(folder, 'state.json'));
    await Promise.all(['1', '2', '3'].map((text) => store.write(text)));
    expect(await store.read()).toBe('3');
  });

  test('of owners that take the lock of a dead process at once, one gets it', async () => {
    const path = join(folder, 'state.json');
    const dead = { token: 'x', pid: 2 ** 22 + 1, host: (await import('node:os')).hostname(), startedAt: '1' };
    await writeFile(`${path}.lock`, JSON.stringify(dead));
    const takers = Array.from({ length: 10 }, () => fileStore(path).lock?.());
    const got = (await Promise.allSettled(takers)).filter(({ status }) => status === 'fulfilled');
    expect(got).toHaveLength(1);
  });

  test('the lock of a process on another host is not taken', async () => {
    const path = join(folder, 'state.json');
    await writeFile(`${path}.lock`, JSON.stringify({ token: 'x', pid: 1, host: 'another-host', startedAt: null }));
    await expect(fileStore(path).lock?.()).rejects.toMatchObject({ code: 'STORE.IN_USE' });
  });
});

const items = new Map<string, string>();
const storage = {
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
};

describe.each<[string, () => Store]>([
  ['memoryStore', () => memoryStore()],
  ['webStore', () => webStore('key', storage)],
  ['fileStore', () => fileStore(join(folder, 'state.json'))],
])('%s', (_name, create) => {
  test('is empty first, and returns the last text', async () => {
    items.clear();
    const store = create();
    expect(await store.read()).toBeNull();
    await store.write('one');
    await store.write('two');
    expect(await store.read()).toBe('two');
  });

  test('has one owner at a time', async () => {
    const store = create();
    const unlock = await store.lock?.();
    await expect(store.lock?.()).rejects.toMatchObject({ code: 'STORE.IN_USE' });
    await unlock?.();
    await (await store.lock?.())?.();
  });

  test('tells the last holder that it is the last', async () => {
    const store = create();
    const first = await store.hold?.();
    const second = await store.hold?.();
    expect(await first?.()).toBe(false);
    expect(await second?.()).toBe(true);
    expect(await (await store.hold?.())?.(), 'a later one').toBe(true);
  });
});

test('webStore without Web Locks counts no tabs, so each guard frees the seat', async () => {
  vi.stubGlobal('navigator', {});
  const store = webStore('key', storage);
  await store.hold?.();
  expect(await (await store.hold?.())?.()).toBe(true);
  vi.unstubAllGlobals();
});

test.each<[string, Partial<Record<'pid' | 'host' | 'startedAt', unknown>>, boolean]>([
  ['a process that runs', {}, true],
  ['a process that ended', { pid: 2 ** 22 + 1 }, false],
  ['an ended process whose id another one has', { startedAt: '1' }, false],
  ['a process that started when nobody knows', { startedAt: null }, true],
])('fileStore counts the holder file of %s', async (_whose, difference, isCounted) => {
  const path = join(folder, 'held.json');
  const other = `${path}.5f0c.holder`;
  const release = await fileStore(path).hold?.();
  const [mine = ''] = (await readdir(folder)).filter((name) => /^held\.json\.[^.]+\.holder$/.test(name));
  const owner = JSON.parse(await readFile(join(folder, mine), 'utf8'));
  await writeFile(other, JSON.stringify({ ...owner, token: '5f0c', ...difference }));
  expect(await release?.()).toBe(!isCounted);
  expect(await readdir(folder), 'the file of an ended process is removed').toHaveLength(isCounted ? 1 : 0);
  await rm(other, { force: true });
});

test.each([
  [
    'of another machine',
    'held.json.5f0c.holder',
    JSON.stringify({ token: '5f0c', pid: 1, host: 'elsewhere', startedAt: null }),
  ],
  [
    'of another store',
    'held.json.backup.5f0c.holder',
    JSON.stringify({ token: '5f0c', pid: 1, host: hostname(), startedAt: null }),
  ],
  ['of somebody else', 'held.json.5f0c.holder', 'x'],
])('fileStore neither counts nor removes a holder file %s', async (_whose, name, text) => {
  await writeFile(join(folder, name), text);
  expect(await (await fileStore(join(folder, 'held.json')).hold?.())?.()).toBe(true);
  expect(await readdir(folder)).toEqual([name]);
});

test('webStore without localStorage says so', async () => {
  await expect(webStore('key', undefined).read()).rejects.toMatchObject({ code: 'CONFIGURATION.INVALID' });
});
