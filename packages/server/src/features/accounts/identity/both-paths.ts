import type { RouteOptions } from 'fastify';

const versioned = '/api/v1/auth/';
const unversioned = '/api/auth/';

/**
 * Returns a route of `/api/v1/auth/` twice: there, and below `/api/auth/`, the path that existing clients know. Both run
 * the same handler and the same throttle, so that the second path grants no further attempts.
 */
export function atBothPaths(route: RouteOptions): RouteOptions[] {
  const { url, schema } = route;
  if (!url.startsWith(versioned)) throw new Error(`${url} must begin with ${versioned}.`);
  const description = `The same as \`${schema?.operationId}\`, at the path of earlier versions, which stays.`;
  const second = { ...schema, operationId: `${schema?.operationId}Unversioned`, description };
  return [route, { ...route, url: url.replace(versioned, unversioned), schema: second }];
}
