import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The names of this machine in URLs and Host headers. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Networks that are not part of the public internet, by the special-purpose registries of IANA. */
const blockedIPv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Parts of the global unicast addresses 2000::/3 that lead elsewhere: tunnels to IPv4, and documentation. */
const blockedIPv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [network, prefix] of blockedIPv4) blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of blockedIPv6) blocked.addSubnet(network, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Whether the address belongs to the public internet. False for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  if (isIPv6(address)) return global.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
  return false;
}

export function isLoopbackAddress(address: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(address) || address === '::1';
}
