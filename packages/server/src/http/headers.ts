import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { newId } from '../lib/ids.ts';
import { apiVersion } from './envelope.ts';

/** The result for a header that a request contains more than once, so that its value is ambiguous. */
export const repeatedHeader = Symbol('repeated header');

/** Returns how often a request contains a header. `name` must be in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const rawName = rawHeaders[at];
    if (rawName?.length === name.length && rawName.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * Returns the value of a header that may occur once: its text, undefined if it is absent, or `repeatedHeader` if it
 * occurs more than once. `name` must be in lower case. Node joins repeated headers with a comma, but keeps only the
 * first `Authorization` without notice, so that header is counted in the raw headers.
 */
export function singleHeader(request: FastifyRequest, name: string): string | undefined | typeof repeatedHeader {
  const { headers, rawHeaders } = request.raw;
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return repeatedHeader;
  const maybeRepeated = name === 'authorization' || value.includes(',');
  return maybeRepeated && countHeader(rawHeaders, name) > 1 ? repeatedHeader : value;
}

const callerRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns the caller's `X-Request-ID` if it has the allowed form (a repeated one, joined by Node, has not), or a new
 * UUID.
 */
export function requestIdOf(message: Pick<IncomingMessage, 'headers'>): string {
  const given = message.headers['x-request-id'];
  return typeof given === 'string' && callerRequestId.test(given) ? given : newId();
}

/** Headers that are equal for all responses. */
export type StaticHeaders = Readonly<Record<string, string>>;

/**
 * Returns the headers of every response except the request id. `https`: the service is reached over TLS (`PUBLIC_URL`).
 */
export function staticHeaders({ https }: { readonly https: boolean }): StaticHeaders {
  return {
    'x-service-api-version': apiVersion,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/** Returns a strong entity tag (RFC 9110, section 8.8.3) for the given texts. */
export function entityTag(...texts: readonly string[]): string {
  return `"${hash('sha256', texts.join('\n'), 'base64url')}"`;
}

/** Returns true if an `If-None-Match` header (RFC 9110, section 13.1.2) contains the tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Tags of this service contain no comma. If-None-Match uses the weak comparison.
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
