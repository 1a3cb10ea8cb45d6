import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './public-addresses.ts';

const policy = createAddressPolicy([]);

const refused: [kind: string, ...addresses: string[]][] = [
  ['this host', '0.0.0.0', '0.1.2.3', '::'],
  ['private', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ['shared (CGNAT)', '100.64.0.1', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['link-local and metadata', '169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  ['assignments and documentation', '192.0.0.8', '192.0.2.1', '198.51.100.1', '203.0.113.9', '2001:db8::1', '3fff::1'],
  [
    'relays, AS112, benchmarks',
    '192.88.99.1',
    '192.175.48.1',
    '192.31.196.1',
    '192.52.193.1',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ['multicast and reserved', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  ['mapped IPv4', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:a00:1'],
  ['compatible and translated IPv4', '::127.0.0.1', '::ffff:0:127.0.0.1', '::808:808'],
  ['NAT64', '64:ff9b::a00:1', '64:ff9b::808:808', '64:ff9b:1::1', '64:ff9b:1:ffff::1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['unique and site local', 'fc00::1', 'fd00:ec2::254', 'fec0::1'],
  [
    'discard, ORCHID, segment routing, unassigned',
    '100::1',
    '2001:10::1',
    '2001:20::1',
    '5f00::1',
    '4000::1',
    'e000::1',
  ],
  ['a zone', '2606:4700::1111%eth0'],
  ['no address', '', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '[::1]', '8.8.8.8/32'],
];

describe('without exceptions', () => {
  test.each(refused)('addresses of the kind "%s" are refused', (_kind, ...addresses) => {
    for (const address of addresses) expect(policy.allows(address), address).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
  ])('the public address %s is allowed', (address) => expect(policy.allows(address)).toBe(true));

  test.each([
    '192.0.3.1',
    '198.17.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '2001:200::1',
  ])('the public address %s next to a special network is allowed', (address) =>
    expect(policy.allows(address)).toBe(true),
  );
});

test('exceptions of the operator are allowed in every spelling of the same address', () => {
  const withExceptions = createAddressPolicy(['10.1.0.0/16', 'fd00::/8', '::1']);
  const allowed = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', 'fd00:ec2::254', '0:0:0:0:0:0:0:1', '8.8.8.8'];
  expect(allowed.filter((address) => !withExceptions.allows(address))).toEqual([]);
  expect(['10.2.0.1', 'fc00::1', '127.0.0.1', '::ffff:10.2.0.1'].filter((one) => withExceptions.allows(one))).toEqual(
    [],
  );
});
