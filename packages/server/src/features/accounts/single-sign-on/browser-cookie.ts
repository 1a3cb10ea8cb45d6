import type { FastifyReply, FastifyRequest } from 'fastify';
import { browserCookieSeconds, newSecret } from './attempt-service.ts';

const secretPattern = /^[\w-]{43}$/;

/** `__Host-` makes browsers refuse a cookie of this name from a subdomain; it exists with https only. */
function nameOf(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-licensing_sign_on' : 'licensing_sign_on';
}

/** Returns the secret by which a login belongs to the browser of a request; undefined if it has none. */
export function browserSecret(request: Pick<FastifyRequest, 'headers'>, publicUrl: string): string | undefined {
  const prefix = `${nameOf(publicUrl)}=`;
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
  const [secret] = values;
  return values.length === 1 && secret !== undefined && secretPattern.test(secret) ? secret : undefined;
}

/**
 * Returns the secret of the browser of a request and keeps it there for the duration of a login. A browser that has one
 * keeps it, so that logins in two tabs do not disturb each other. `Lax` sends the cookie when the provider returns the
 * browser, but not with requests that other sites make.
 */
export function keepBrowserSecret(request: FastifyRequest, reply: FastifyReply, publicUrl: string): string {
  const secret = browserSecret(request, publicUrl) ?? newSecret();
  const attributes = [`Path=/`, `Max-Age=${browserCookieSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (publicUrl.startsWith('https:')) attributes.push('Secure');
  reply.header('set-cookie', `${nameOf(publicUrl)}=${secret}; ${attributes.join('; ')}`);
  return secret;
}
