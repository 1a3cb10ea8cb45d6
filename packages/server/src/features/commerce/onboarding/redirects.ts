import type { RouteOptions } from 'fastify';
import type { Config } from '../../../config/config.ts';

/** Returns the page of the dashboard that shows a checkout. */
export function checkoutPage({ publicUrl }: Pick<Config, 'publicUrl'>, id: string): string {
  return `${publicUrl}/welcome?onboarding=${encodeURIComponent(id)}`;
}

/** Returns the page of the dashboard that shows an abandoned checkout. */
export function leftCheckoutPage(config: Pick<Config, 'publicUrl'>, id: string): string {
  return `${checkoutPage(config, id)}&canceled=true`;
}

/** Redirects from the paths of checkouts that were started before the dashboard existed. */
export function onboardingRedirects(config: Pick<Config, 'publicUrl'>): RouteOptions[] {
  const redirect = (url: string, target: typeof checkoutPage): RouteOptions => ({
    method: 'GET',
    url,
    schema: { hide: true },
    handler(request, reply) {
      const { id = '' } = request.params as Record<string, string>;
      return reply.redirect(target(config, id), 302);
    },
  });
  return [redirect('/onboarding/:id', checkoutPage), redirect('/onboarding/:id/canceled', leftCheckoutPage)];
}
