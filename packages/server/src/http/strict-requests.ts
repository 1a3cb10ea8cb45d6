import type { FastifyInstance } from 'fastify';
import { AppError, validationError } from '../lib/error.ts';
import { strictObject } from './schema.ts';

const nothing = strictObject({});
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** True for the schema that `refuseUnknownFields` adds; the OpenAPI document leaves it out. */
export function takesNothing(schema: unknown): boolean {
  return schema === nothing;
}

/**
 * A route of the API that declares no query string or no body takes none: unknown fields are refused there too.
 * Pages beside the API (health checks, documents) take any query, as monitors and caches like to add one.
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
 * The error of a URL with a control character in it (they can only come percent-encoded), or undefined. No id, key
 * or filter has one, and PostgreSQL refuses NUL in text. In the path it is an unknown path, in the query a bad field.
 */
export function controlCharacterError(url: string): AppError | undefined {
  if (!url.includes('%') || !escapedControl.test(url)) return undefined;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (escapedControl.test(path)) {
    return new AppError('RESOURCE.NOT_FOUND', 'Nothing has a control character in its path. Check the URL.');
  }
  const parameters = url.slice(queryStart + 1).split('&');
  const bad = parameters
    .filter((parameter) => escapedControl.test(parameter))
    .map((text) => text.split('=', 1)[0] ?? '');
  const fields = [...new Set(bad.map(decodeName))];
  return validationError(...fields.map((field) => ({ field, message: 'must not contain control characters' })));
}
