import { readFileSync } from 'node:fs';
import type { RouteOptions } from 'fastify';

/** The only page that a mail links to before anybody can log in. Own files, no script or style from elsewhere. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const files = [
  { url: '/accept-invitation', file: 'accept-invitation.html', type: 'text/html; charset=utf-8' },
  { url: '/accept-invitation/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { url: '/accept-invitation/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** The page behind the link of an invitation. */
export function invitationPage(): RouteOptions[] {
  return files.map(({ url, file, type }) => {
    const content = readFileSync(new URL(`./page/${file}`, import.meta.url));
    return {
      method: 'GET',
      url,
      schema: { hide: true },
      handler: (_request, reply) => {
        reply.header('content-security-policy', contentSecurityPolicy).type(type).send(content);
      },
    };
  });
}
