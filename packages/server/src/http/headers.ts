import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { newId } from '../lib/ids.ts';
import { apiVersion } from './envelope.ts';

/** Stands for a header that a request carries more than once: nobody can say which one was meant. */
export const repeatedHeader = Symbol('repeated header');

function countInRaw(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const rawName = rawHeaders[at];
    if (rawName?.length === name.length && rawName.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * The value of a header that may come once: its text, undefined when it is absent, `repeatedHeader` when it came
 * more than once. `name` is in lower case. Node joins repeated headers with a comma, but silently keeps the first
 * `Authorization`, so that one is counted in the raw headers.
 */
export function singleHeader(request: FastifyRequest, name: string): string | undefined | typeof repeatedHeader {
  const { headers, rawHeaders } = request.raw;
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return repeatedHeader;
  const maybeRepeated = name === 'authorization' || value.includes(',');
  return maybeRepeated && countInRaw(rawHeaders, name) > 1 ? repeatedHeader : value;
}

const callerRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `X-Request-ID` when it has the allowed form (which a repeated one, joined by Node, never has). */
export function requestIdOf(message: Pick<IncomingMessage, 'headers'>): string {
  const given = message.headers['x-request-id'];
  return typeof given === 'string' && callerRequestId.test(given) ? given : newId();
}

export type StaticHeaders = Readonly<Record<string, string>>;

/** What every response carries besides its request id. `https`: callers reach the service over TLS (`PUBLIC_URL`). */
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
