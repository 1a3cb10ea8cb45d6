import type { IncomingMessage } from 'node:http';
import { AppError } from '../lib/error.ts';
import { countHeader } from './headers.ts';

/** A host (RFC 3986, section 3.2.2), an IPv6 address in brackets included, with an optional port. */
const hostAndPort = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d{0,5})?$/;

/**
 * Returns the error for a request that does not name one valid host (RFC 9112, section 3.2), else undefined. A proxy
 * and the service could otherwise each believe another of two hosts. HTTP/1.0 does not require the header.
 */
export function hostError({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | undefined {
  const { host } = headers;
  if (host === undefined) {
    return httpVersion === '1.0' ? undefined : malformed('The Host header is missing. Send it with the request.');
  }
  // Node keeps only the first of several.
  if (countHeader(rawHeaders, 'host') > 1) return malformed('The Host header occurs more than once. Send it once.');
  if (!hostAndPort.test(host)) return malformed('The Host header is not valid. Send the host, with its port if any.');
  return undefined;
}

function malformed(message: string): AppError {
  return new AppError('REQUEST.MALFORMED', message);
}
