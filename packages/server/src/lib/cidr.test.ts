import { describe, expect, test } from 'vitest';
import { clientNetwork, invalidCidrs, isCidr, normalizeAddress, parseCidrs } from './cidr.ts';

describe('isCidr', () => {
  test.each([
    '10.0.0.0/8',
    '0.0.0.0/0',
    '192.0.2.7',
    '192.0.2.7/32',
    '2001:db8::/32',
    '::1',
    '::/0',
    '::ffff:10.0.0.0/104',
  ])('isCidr accepts %s', (text) => expect(isCidr(text)).toBe(true));

  test.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '010.0.0.1',
    '::/129',
  ])('isCidr rejects %j', (text) => expect(isCidr(text)).toBe(false));

  test.each(['::ffff:10.0.0.0/95', 'fe80::1%eth0', 'localhost', ' 10.0.0.1', '10.0.0.1 ', '2001:db8::/3x'])(
    'isCidr rejects %j',
    (text) => expect(isCidr(text)).toBe(false),
  );
});

test('invalidCidrs returns the index of every invalid entry', () => {
  expect(invalidCidrs(['10.0.0.0/8', 'x', '::1', '10.0.0.0/99'])).toEqual([1, 3]);
});

describe('parseCidrs', () => {
  test.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8'], false],
    ['10.1.2.3', ['10.9.9.9/8'], true],
    ['192.0.2.7', ['192.0.2.7'], true],
    ['192.0.2.8', ['192.0.2.7'], false],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:a01:203', ['10.0.0.0/8'], true],
    ['10.1.2.3', ['::ffff:10.0.0.0/104'], true],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['fe80::1%eth0', ['fe80::/10'], true],
    ['10.1.2.3', ['::/0'], false],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['2001:db8::1', ['10.0.0.0/8', '2001:db8::1'], true],
    ['10.1.2.3', [], false],
    ['nonsense', ['0.0.0.0/0', '::/0'], false],
    ['10.1.2.3', ['nonsense'], false],
  ])('matching %s against %j returns %s', (address, cidrs, expected) =>
    expect(parseCidrs(cidrs).matches(address)).toBe(expected),
  );
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:0201', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%lo', 'fe80::1'],
  ['x', null],
])('the canonical spelling of %s is %s', (address, expected) => expect(normalizeAddress(address)).toBe(expected));

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::99', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
])('a throttle counts %s as %s', (address, expected) => expect(clientNetwork(address)).toBe(expected));
