import type { FastifyInstance, FastifyRequest } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { AppError } from '../lib/error.ts';

/** Returns the error for a request without a route: 404 if no route has its path, else 405 with the allowed methods. */
export type NotFoundError = (request: FastifyRequest) => AppError;

/** How both the service's router and the router of this module match paths. */
export const routing = {
  maxParamLength: 512,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
} as const;

interface Match {
  readonly method: HTTPMethod;
  readonly found: { readonly params: object } | null;
}

interface WatchedRoute {
  readonly method: HTTPMethod;
  readonly url: string;
}

/** Builds a second router of all routes. The first unknown path builds it, because it would prolong the start. */
function routerOf(routes: readonly WatchedRoute[]) {
  const router = findMyWay(routing);
  for (const { method, url } of routes) router.on(method, url, () => undefined);
  const find = (method: HTTPMethod, path: string) => router.find(method, path);
  return { find, methods: [...new Set(routes.map(({ method }) => method))] };
}

/**
 * Returns the methods of the route with the fewest parameters: `/licenses/import` takes precedence over
 * `/licenses/:id`.
 */
function mostLiteral(matches: readonly Match[]): HTTPMethod[] {
  const found = matches.flatMap(({ method, found }) =>
    found === null ? [] : [{ method, parameters: Object.keys(found.params).length }],
  );
  const fewest = Math.min(...found.map(({ parameters }) => parameters));
  return found
    .filter(({ parameters }) => parameters === fewest)
    .map(({ method }) => method)
    .sort();
}

/**
 * Collects the routes of `app`, to distinguish unknown methods from unknown paths. Call it before registering routes.
 */
export function watchRoutes(app: FastifyInstance): NotFoundError {
  const routes: WatchedRoute[] = [];
  let router: ReturnType<typeof routerOf> | undefined;
  app.addHook('onRoute', (route) => {
    // Only preflights have routes for OPTIONS, which answer nothing else. One of them matches every path.
    if (route.method === 'OPTIONS') return;
    for (const method of [route.method].flat()) routes.push({ method: method as HTTPMethod, url: route.url });
  });
  return (request) => {
    const path = request.raw.url ?? '/';
    router ??= routerOf(routes);
    const { find, methods } = router;
    const allowed = mostLiteral(methods.map((method) => ({ method, found: find(method, path) })));
    // A route that has the method found nothing itself, such as a missing file of /docs.
    if (allowed.length === 0 || allowed.includes(request.method as HTTPMethod)) {
      return new AppError('ROUTE.NOT_FOUND', 'There is no route at this path. Check the URL against /openapi.json.');
    }
    const allow = allowed.join(', ');
    return new AppError('ROUTE.METHOD_NOT_ALLOWED', `This path does not support ${request.method}. Use ${allow}.`, {
      headers: { allow },
    });
  };
}
