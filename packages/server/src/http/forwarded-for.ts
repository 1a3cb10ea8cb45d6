import type { IncomingHttpHeaders } from 'node:http';
import { normalizeAddress } from '../lib/cidr.ts';

/** An address with a port, as the gateways of Azure write it, and an IPv6 address in brackets. */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * Rewrites `X-Forwarded-For` so that every entry is an address without port, brackets and zone. Drops an invalid entry and
 * everything to its left, because no trusted proxy reported what stands there. Fastify then takes the nearest proxy for the
 * caller. Otherwise limits and rules would follow a text that the caller chose.
 */
export function cleanForwardedFor(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for'];
  if (typeof header !== 'string') return;
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const text = entry.trim();
    const [, bracketed, plain] = withPort.exec(text) ?? [];
    const address = normalizeAddress(bracketed ?? plain ?? text);
    if (address === null) break;
    addresses.unshift(address);
  }
  if (addresses.length === 0) delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = addresses.join(', ');
}
