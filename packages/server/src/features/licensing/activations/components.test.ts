import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Components,
  changedComponents,
  componentsFingerprint,
  componentsMax,
  matchingComponents,
  mergeComponents,
  mostSimilar,
  type StoredComponents,
  withFingerprint,
} from './components.ts';

const device = { board: 'b1', cpu: 'c1', disk: 'd1', mac: 'm1', os: 'o1' };
const sameSeries = { ...device, board: 'b2', disk: 'd2', mac: 'm2' };
const without = (components: Components, ...names: string[]): Components =>
  Object.fromEntries(Object.entries(components).filter(([name]) => !names.includes(name)));
const stored = (present: Components, missing: Components = {}): StoredComponents => ({ present, missing });
/** A device that sent only these in the end. */
const worn = stored(without(device, 'board', 'disk', 'mac'), { board: 'b1', disk: 'd1', mac: 'm1' });

describe('which device is the same', () => {
  test.for<[string, StoredComponents, Components, most: number, any: number]>([
    ['nothing changed', stored(device), device, 5, 5],
    ['the disk changed', stored(device), { ...device, disk: 'd2' }, 4, 4],
    ['disk and network card changed', stored(device), { ...device, disk: 'd2', mac: 'm2' }, 3, 3],
    ['another computer of the series', stored(device), sameSeries, 0, 2],
    ['another computer', stored(device), { board: 'x', cpu: 'x', disk: 'x', mac: 'x', os: 'x' }, 0, 0],
    ['half of the components are equal', stored({ cpu: 'c1', disk: 'd1' }), { cpu: 'c1', disk: 'd2' }, 0, 1],
    ['one of one is equal', stored({ disk: 'd1' }), { disk: 'd1', mac: 'm1' }, 1, 1],
    ['the request has only common components', stored(device), { cpu: 'c1', os: 'o1' }, 0, 2],
    ['the request leaves out two', stored(device), without(device, 'disk', 'mac'), 3, 3],
    ['the request adds many', stored(device), { ...device, gpu: 'g', ram: 'r', tpm: 't', usb: 'u', bios: 'b' }, 5, 5],
    ['the request has other names', stored(device), { gpu: 'g1' }, 0, 0],
    ['a worn device comes again', worn, { cpu: 'c1', os: 'o1' }, 2, 2],
    ['a worn device changes one of two', worn, { cpu: 'c2', os: 'o1' }, 0, 1],
    ['a worn device gets a part back', worn, { cpu: 'c1', os: 'o1', mac: 'm1' }, 3, 3],
    ['a worn device gets another part', worn, { cpu: 'c1', os: 'o1', mac: 'm2' }, 2, 2],
    ['a new computer of the series of a worn device', worn, sameSeries, 0, 2],
    ['a name that objects have', stored({ disk: 'd1', constructor: 'x' }), { disk: 'd1' }, 0, 1],
  ])('%s', ([, known, sent, most, any]) => {
    expect(matchingComponents('most', known, sent)).toBe(most);
    expect(matchingComponents('any', known, sent)).toBe(any);
    expect(matchingComponents('exact', known, sent)).toBe(0);
  });

  test('a value is equal in every Unicode spelling', () => {
    const known = mergeComponents(null, { name: 'Bu\u0308ro' });
    expect(known.present).toEqual({ name: 'B\u00fcro' });
    const devices = [{ id: 'a', components: known, lastSeenAt: '2026-11-01' }];
    expect(mostSimilar(devices, 'most', { name: 'Bu\u0308ro' })?.id).toBe('a');
  });

  test('of several devices it is the one with the most equal components, then the one that was seen last', () => {
    const known = (id: string, components: Components, lastSeenAt: string) => ({
      id,
      components: stored(components),
      lastSeenAt,
    });
    const devices = [
      known('three', { ...device, disk: 'x', mac: 'x' }, '2026-11-03'),
      known('older', { ...device, disk: 'x' }, '2026-11-01'),
      known('newer', { ...device, mac: 'x' }, '2026-11-02'),
      known('other', sameSeries, '2026-11-04'),
    ];
    expect(mostSimilar(devices, 'most', device)?.id).toBe('newer');
    expect(mostSimilar(devices.slice(3), 'most', device)).toBeUndefined();
    expect(mostSimilar(devices.slice(3), 'any', device)?.id).toBe('other');
    expect(mostSimilar([], 'any', device)).toBeUndefined();
  });
});

test('a device that changes or loses one component at a time stays the same, and no other of its series becomes it', () => {
  let known = mergeComponents(null, device);
  const parts: Record<string, string> = { ...device };
  for (const name of Object.keys(device)) {
    parts[name] = `${name} of next year`;
    expect(matchingComponents('most', known, parts)).toBe(4);
    known = mergeComponents(known, parts);
  }
  for (const name of ['board', 'disk', 'mac']) {
    delete parts[name];
    expect(matchingComponents('most', known, parts)).toBe(Object.keys(parts).length);
    known = mergeComponents(known, parts);
  }
  expect(matchingComponents('most', known, { ...sameSeries, ...parts })).toBe(0);
  expect(known.missing).toEqual({
    board: 'board of next year',
    disk: 'disk of next year',
    mac: 'mac of next year',
  });
});

test('an activation stores at most 16 components, and forgets those that were missing for longest', () => {
  const named = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
  const afterTwo = mergeComponents(mergeComponents(null, named('a', componentsMax)), named('b', 10));
  expect(Object.keys(afterTwo.present)).toHaveLength(10);
  expect(Object.keys(afterTwo.missing)).toHaveLength(6);
  const { present, missing } = mergeComponents(afterTwo, named('c', 4));
  expect(Object.keys(present)).toHaveLength(4);
  expect(Object.keys(missing)).toEqual([...Object.keys(named('b', 10)), 'a0', 'a1']);
});

test('the changes of a device name its components, without their values', () => {
  const before = stored({ cpu: 'c1', disk: 'd1', mac: 'm1' }, { tpm: 't1' });
  const after = mergeComponents(before, { cpu: 'c1', disk: 'd2', tpm: 't1', gpu: 'g1' });
  expect(changedComponents(before, after)).toEqual([
    { field: 'components.disk', old: 'known', new: 'changed' },
    { field: 'components.gpu', old: null, new: 'known' },
    { field: 'components.mac', old: 'known', new: 'missing' },
    { field: 'components.tpm', old: 'missing', new: 'known' },
  ]);
  expect(changedComponents(after, mergeComponents(after, { ...after.present }))).toEqual([]);
});

test('the fingerprint of components is the SHA-256 of their sorted lines', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(componentsFingerprint({ disk: 'd', board: 'b' })).toBe(sha256('board=b\ndisk=d'));
  // The bytes of the lines are sorted, not the names: `=` is after digits.
  expect(componentsFingerprint({ disk: 'd', disk2: 'e', disk_a: 'f' })).toBe(sha256('disk2=e\ndisk=d\ndisk_a=f'));
  const components = { os: 'Bu\u0308ro' };
  expect(withFingerprint({ components })).toEqual({ components, fingerprint: sha256('os=Bu\u0308ro') });
  expect(withFingerprint({ components, fingerprint: 'own' })).toEqual({ components, fingerprint: 'own' });
  expect(withFingerprint({})).toEqual({});
});
