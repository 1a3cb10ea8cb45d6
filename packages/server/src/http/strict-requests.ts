import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../lib/error.ts';
import { countHeader } from './headers.ts';
import { strictObject } from './schema.ts';

const nothing = strictObject({});
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** Returns true for the schema that `refuseUnknownFields` adds; the OpenAPI document omits it. */
export function takesNothing(schema: unknown): boolean {
  return schema === nothing;
}

/**
 * Makes the routes that a scope registers after this call refuse every field of an undeclared query string or body. The
 * routes of the API do; health checks, documents and pages accept any query string, because monitors, caches and mail
 * programs add parameters.
 */
export function refuseUnknownFields(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const takesBody = [route.method].flat().some((method) => methodsWithBody.includes(method));
    route.schema = { querystring: nothing, ...(takesBody ? { body: nothing } : {}), ...route.schema };
  });
}

const escapedControl = /%(?:[01][0-9a-f]|7f)/i;

function decodeName(name: string): string {
  const printable = decodeURIComponent(name).replace(/\p{Cc}/gu, '');
  return printable.slice(0, 100) || 'query';
}

/** A route with a license key in its path. */
const keyRoute = /\/:key\//;

/**
 * Returns the error for a URL that no route accepts, else undefined. No id or filter contains a control character, and
 * PostgreSQL refuses NUL in text: a (percent-encoded) one is a 404 in the path, and a 422 that names the parameters in
 * the query string. A license key is an exception: a person may paste a line end with it, and gets a verdict. A query string that is not percent-encoded UTF-8 is a 400, as such a path is for the router.
 */
export function urlError(request: FastifyRequest): AppError | undefined {
  const { url } = request;
  if (!url.includes('%')) return undefined;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (escapedControl.test(path) && !keyRoute.test(request.routeOptions.url ?? '')) {
    return new AppError('RESOURCE.NOT_FOUND', 'No path contains control characters. Check the URL.');
  }
  return queryStart === -1 ? undefined : queryError(url.slice(queryStart + 1));
}

function queryError(query: string): AppError | undefined {
  try {
    decodeURIComponent(query);
  } catch {
    return new AppError(
      'REQUEST.MALFORMED',
      'The query string is not valid. Percent-encode it as UTF-8 (RFC 3986); a percent sign is %25.',
    );
  }
  const bad = query
    .split('&')
    .filter((parameter) => escapedControl.test(parameter))
    .map((text) => text.split('=', 1)[0] ?? '');
  if (bad.length === 0) return undefined;
  const fields = [...new Set(bad.map(decodeName))];
  return validationError(...fields.map((field) => ({ field, message: 'Remove control characters.' })));
}

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
