import type { RouteOptions } from 'fastify';
import { pageFile } from '../../../http/hosted-page.ts';

const fileOf = (name: string) => new URL(`./page/${name}.html`, import.meta.url);

/** Where the payment provider leads back to. They say the same to everybody: whose checkout it is they do not know. */
export function onboardingPages(): RouteOptions[] {
  return [
    pageFile('/onboarding/:id', fileOf('paid'), 'html'),
    pageFile('/onboarding/:id/canceled', fileOf('canceled'), 'html'),
  ];
}
