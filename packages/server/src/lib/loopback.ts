import { isIP } from 'node:net';

/** Returns true for a host that only this machine can reach: `localhost`, `::1` and 127.0.0.0/8. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=\d)/i, '');
  return host === 'localhost' || host === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
