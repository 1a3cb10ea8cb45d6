import type { FastifyInstance } from 'fastify';
import { AppError, validationError } from '../lib/error.ts';
import { strictObject } from './schema.ts';

const nothing = strictObject({});
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** Returns true for the schema that `refuseUnknownFields` adds; the OpenAPI document omits it. */
export function takesNothing(schema: unknown): boolean {
  return schema === nothing;
}

/**
 * Makes API routes without a declared query string or body refuse every field there. Routes outside `/api/` (health
 * checks, documents) accept any query string, because monitors and caches add parameters.
 */
export function refuseUnknownFields(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/')) return;
    const takesBody = [route.method].flat().some((method) => methodsWithBody.includes(method));
    route.schema = { querystring: nothing, ...(takesBody ? { body: nothing } : {}), ...route.schema };
  });
}

const escapedControl = /%(?:[01][0-9a-f]|7f)/i;

function decodeName(name: string): string {
  try {
    return (
      decodeURIComponent(name)
        .replace(/\p{Cc}/gu, '')
        .slice(0, 100) || 'query'
    );
  } catch {
    return 'query';
  }
}

/**
 * Returns the error for a URL that contains a (percent-encoded) control character, else undefined: 404 if it is in the
 * path, 422 naming the parameters if it is in the query string. No id, key or filter contains one, and PostgreSQL
 * refuses NUL in text.
 */
export function controlCharacterError(url: string): AppError | undefined {
  if (!url.includes('%') || !escapedControl.test(url)) return undefined;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (escapedControl.test(path)) {
    return new AppError('RESOURCE.NOT_FOUND', 'No path contains control characters. Check the URL.');
  }
  const parameters = url.slice(queryStart + 1).split('&');
  const bad = parameters
    .filter((parameter) => escapedControl.test(parameter))
    .map((text) => text.split('=', 1)[0] ?? '');
  const fields = [...new Set(bad.map(decodeName))];
  return validationError(...fields.map((field) => ({ field, message: 'must not contain control characters' })));
}
