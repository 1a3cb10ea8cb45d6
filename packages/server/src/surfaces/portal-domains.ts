import { Type } from 'typebox';
import { normalizeDomain } from '../features/holders/portal/domain.ts';
import { domainHandle } from '../features/holders/portal/settings-service.ts';
import { Envelope, success } from '../http/envelope.ts';
import { publicRoute } from '../http/routes/public-route.ts';
import { strictObject } from '../http/schema.ts';
import type { RewriteUrl } from '../http/server.ts';
import { AppError } from '../lib/error.ts';
import type { Services } from '../services.ts';

/** The pages of a portal, which stand at the root of a domain of its own. */
const page = /^\/(?:purchase|licenses\/[^/?#]+(?:\/offline)?)?(?:\?|$)/;
/** What the pages load. */
const loaded = new RegExp(`^/(?:portal-assets/|api/v1/portal/${domainHandle}(?:[/?]|$))`);
/** A path without a route and without a page. */
const nothing = '/api/none';

/**
 * Returns a function that leads a request to a tenant's own domain to its portal, and every other path there to nothing: no
 * other surface exists at that host. Requests to other hosts stay as they are.
 */
export function leadDomainsToPortals({ servedDomains }: Services): RewriteUrl {
  return ({ headers: { host }, url = '/' }) => {
    if (servedDomains.domainOf(host) === null || loaded.test(url)) return url;
    return page.test(url) ? `/portal/${domainHandle}${url}` : nothing;
  };
}

/**
 * The route by which a proxy asks whether it may get a certificate for a domain, before it asks the certificate authority.
 * All its questions come from the proxy's address, so there is no limit per address.
 */
export function domainQuestionRoute({ servedDomains }: Services) {
  return publicRoute('GET', '/portal-domains/allowed', {
    hide: true,
    summary: 'Ask whether a domain is proved',
    tags: ['Operations'],
    errors: ['RESOURCE.NOT_FOUND'],
    querystring: strictObject({ domain: Type.String({ maxLength: 253 }) }),
    response: { 200: Envelope(Type.Object({ allowed: Type.Literal(true) })) },
    async handler({ request }) {
      const domain = normalizeDomain(request.query.domain);
      if (domain === null || servedDomains.isOwn(domain) || !(await servedDomains.isProved(domain))) {
        throw new AppError(
          'RESOURCE.NOT_FOUND',
          'No tenant has proved this domain. Create the record that the settings of the portal show.',
        );
      }
      return success(request, { allowed: true } as const);
    },
  });
}
