import type { RouteOptions } from 'fastify';
import { pageFile } from '../../../http/hosted-page.ts';

const fileOf = (name: string) => new URL(`./page/${name}.html`, import.meta.url);

/** Registers the pages to which the payment provider redirects. They are static: a visitor need not be logged in. */
export function onboardingPages(): RouteOptions[] {
  return [
    pageFile('/onboarding/:id', fileOf('paid'), 'html'),
    pageFile('/onboarding/:id/canceled', fileOf('canceled'), 'html'),
  ];
}
