import { describe, expect, test } from 'vitest';
import { createAddressFilter } from './public-address.ts';

const isPublic = createAddressFilter([]);

describe('"Only … public unicast addresses"', () => {
  const PUBLIC = [
    ...['8.8.8.8', '1.1.1.1', '93.184.215.14', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1'],
    ...['2606:4700::6810:85e5', '2a00:1450:4001::200e', '2400:cb00::1', '2001:4860:4860::8888'],
  ];
  const REFUSED: [string, ...string[]][] = [
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['unique local', 'fc00::1', 'fd12:3456::1'],
    ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['broadcast and reserved', '255.255.255.255', '240.0.0.1'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['protocol assignments', '192.0.0.1', '192.0.0.192', '2001:1::1', '2001:20::1'],
    ['AS112, AMT, 6to4 relays', '192.31.196.1', '192.175.48.1', '192.52.193.1', '192.88.99.1', '2620:4f:8000::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0a00:0001', '0:0:0:0:0:ffff:7f00:1'],
    ['IPv4-compatible', '::127.0.0.1', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::1', '2002:808:808::1'],
    ['Teredo', '2001:0:7f00:1::1'],
    ['discard only, segment routing', '100::1', '5f00::1'],
    ['unspecified', '::'],
    ['not assigned', '4000::1', '8000::1', 'e000::1'],
    ['cloud metadata', '169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16'],
    ['no address', '', 'localhost', '1.2.3', '1.2.3.4.5', '1.2.3.4/8', ' 8.8.8.8', '8.8.8.8\n'],
  ];
  test('all others are refused', () => {
    for (const address of PUBLIC) expect.soft(isPublic(address), address).toBe(true);
    for (const [kind, ...addresses] of REFUSED)
      for (const address of addresses) expect.soft(isPublic(address), `${kind} ${address}`).toBe(false);
  });
});

test('only the networks of AUTO_META_ALLOW are permitted in addition', () => {
  const isAllowed = createAddressFilter(['127.0.0.0/8', 'fd00:1::/32']);
  expect(['127.0.0.1', '127.9.9.9', 'fd00:1::5', '8.8.8.8'].map(isAllowed)).toEqual([true, true, true, true]);
  expect(['10.0.0.1', '::1', '::ffff:127.0.0.1', 'fd00:2::5'].map(isAllowed)).toEqual([false, false, false, false]);
});

const NETWORKS = [
  ['10.1.2.3', ['10.1.2.3'], ['10.1.2.4', '::ffff:10.1.2.3']],
  ['fd00::5', ['fd00::5'], ['fd00::6']],
  ['0.0.0.0/0', ['10.1.2.3', '127.0.0.1'], ['::1']],
  ['::/0', ['::1', 'fd00::5'], ['127.0.0.1']],
] as const;
test('AUTO_META_ALLOW may have addresses and networks of both families', () => {
  for (const [network, allowed, refused] of NETWORKS) {
    const isAllowed = createAddressFilter([network]);
    expect([network, ...allowed.filter((address) => !isAllowed(address)), ...refused.filter(isAllowed)]).toEqual([
      network,
    ]);
  }
});
