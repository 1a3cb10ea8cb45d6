import type { FastifyInstance, RouteOptions } from 'fastify';
import { hostedPage, hostedScript } from '../../../http/hosted-page.ts';
import { AppError } from '../../../lib/error.ts';

/** Registers the hosted page that confirms a subscription, and the script of the page that ends one. */
export function marketingPages(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [...hostedPage(folder, 'confirm-subscription'), hostedScript(folder, 'unsubscribe')];
}

/** The parsed body of a one-click unsubscription (RFC 8058, section 3.1). */
export const oneClick = { 'List-Unsubscribe': 'One-Click' } as const;

const bodyLimitBytes = 4096;

/**
 * Makes the routes of `app` accept `List-Unsubscribe=One-Click` as a form, besides JSON. Mail programs should post it
 * as `multipart/form-data` and may post it URL-encoded (RFC 8058). Any other form is rejected with 400
 * `REQUEST.MALFORMED`.
 */
export function acceptOneClick(app: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  app.addContentTypeParser(types, { parseAs: 'string', bodyLimit: bodyLimitBytes }, (request, body, done) => {
    const text = String(body);
    const isForm = request.headers['content-type']?.startsWith('multipart/') ?? false;
    if (isForm ? isOneClickPart(text) : isOneClickPair(text)) return done(null, { ...oneClick });
    done(new AppError('REQUEST.MALFORMED', 'Send exactly List-Unsubscribe=One-Click in the form, or send JSON.'));
  });
}

function isOneClickPair(text: string): boolean {
  return text.trim() === 'List-Unsubscribe=One-Click';
}

/**
 * Returns true for a multipart body with exactly one part, named `List-Unsubscribe`, with the content `One-Click`. The
 * boundary is taken from the first line of the body.
 */
function isOneClickPart(text: string): boolean {
  const part =
    /^--(\S+)\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*?content-disposition: *form-data; *name="?List-Unsubscribe"?\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*\r?\nOne-Click\r?\n--(\S+?)--\s*$/i;
  const match = part.exec(text);
  return match !== null && match[1] === match[2];
}
