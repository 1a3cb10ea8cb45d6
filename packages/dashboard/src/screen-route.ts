import { type AnyRoute, createRoute, lazyRouteComponent, type ResolveParams, useParams } from '@tanstack/react-router';
import { createElement, type FunctionComponent } from 'react';

/** Loads the file of a screen. The screen's properties are parameters of its URL. */
type Load<Params> = () => Promise<{ readonly default: FunctionComponent<Params> }>;

/** Returns the function that makes the routes of screens below a route. A screen is loaded when it is first needed. */
export function screensOf<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  return <const Path extends string, Search = Record<never, string>>(
    path: Path,
    validateSearch: ((search: Record<string, unknown>) => Search) | undefined,
    load: Load<Parent['types']['allParams'] & ResolveParams<Path>>,
  ) =>
    createRoute({
      getParentRoute,
      path,
      ...(validateSearch && { validateSearch }),
      component: lazyRouteComponent(async () => {
        const { default: Screen } = await load();
        return { default: () => createElement(Screen, useParams({ strict: false })) };
      }),
    });
}
