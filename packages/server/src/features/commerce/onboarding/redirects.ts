import type { RouteOptions } from 'fastify';
import type { Config } from '../../../config/config.ts';

/** Returns the page of the dashboard that shows a checkout. */
export function checkoutPage({ publicUrl }: Pick<Config, 'publicUrl'>, id: string): string {
  return `${publicUrl}/welcome?onboarding=${encodeURIComponent(id)}`;
}

/** Returns the page of the dashboard that shows a checkout which its customer left without paying. */
export function leftCheckoutPage(config: Pick<Config, 'publicUrl'>, id: string): string {
  return `${checkoutPage(config, id)}&canceled=true`;
}

/** Returns the id in `/onboarding/ID`, with or without a longer path and a query. */
function idIn(url: string): string {
  return decodeURIComponent(/^\/onboarding\/([^/?]*)/.exec(url)?.[1] ?? '');
}

/** Redirects from the paths of checkouts that were started before the dashboard existed. */
export function onboardingRedirects(config: Pick<Config, 'publicUrl'>): RouteOptions[] {
  const redirect = (url: string, target: typeof checkoutPage): RouteOptions => ({
    method: 'GET',
    url,
    schema: { hide: true },
    handler: (request, reply) => reply.redirect(target(config, idIn(request.url)), 302),
  });
  return [redirect('/onboarding/:id', checkoutPage), redirect('/onboarding/:id/canceled', leftCheckoutPage)];
}
