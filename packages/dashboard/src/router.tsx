import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { routeTree } from './routes.ts';
import { NotFoundPage } from './shell/NotFoundPage.tsx';

/** The URL tree of the application. `routes.ts` defines it. */
export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // A screen shows its own skeleton, so that the navigation stays in place.
  defaultPendingMs: 300,
  scrollRestoration: true,
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: lazyRouteComponent(() => import('./shell/RouteError.tsx'), 'RouteError'),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
