import type { FastifyInstance, FastifyRequest } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { AppError } from '../lib/error.ts';

/** Why nothing answers this request: 404 when no route has its path, else 405 with the methods that have. */
export type NotFoundError = (request: FastifyRequest) => AppError;

/** How paths are matched, by the service's router and by this module's alike. */
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

/** The methods of the path that says most itself: of `/licenses/import` its own, and not those of `/licenses/:id`. */
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

/** Notes every route of `app` (call it before any is registered), so that a wrong method can be told from a wrong path. */
export function watchRoutes(app: FastifyInstance): NotFoundError {
  const router = findMyWay(routing);
  const methods = new Set<HTTPMethod>();
  app.addHook('onRoute', (route) => {
    // The preflight route of CORS fits every path, and would make a 405 of every 404.
    if (route.url === '*') return;
    for (const method of [route.method].flat()) {
      methods.add(method as HTTPMethod);
      router.on(method as HTTPMethod, route.url, () => undefined);
    }
  });
  return (request) => {
    const path = request.raw.url ?? '/';
    const allowed = mostLiteral([...methods].map((method) => ({ method, found: router.find(method, path) })));
    // A route that has the method too found nothing itself, such as a file of /docs.
    if (allowed.length === 0 || allowed.includes(request.method as HTTPMethod)) {
      return new AppError('ROUTE.NOT_FOUND', 'There is nothing at this path. Check the URL against /openapi.json.');
    }
    const allow = allowed.join(', ');
    return new AppError('ROUTE.METHOD_NOT_ALLOWED', `This path does not take ${request.method}. Use ${allow}.`, {
      headers: { allow },
    });
  };
}
