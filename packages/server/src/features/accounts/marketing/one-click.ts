import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../lib/error.ts';

/** The body of an unsubscription in one click (RFC 8058, section 3.1), once it was read. */
export const oneClick = { 'List-Unsubscribe': 'One-Click' } as const;

const bodyLimitBytes = 4096;

/**
 * Lets the routes of `app` take the forms in which a mail program posts `List-Unsubscribe=One-Click`, besides JSON: it
 * should be `multipart/form-data` and may be URL-encoded. Any other form is a malformed request.
 */
export function acceptOneClick(app: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  app.addContentTypeParser(types, { parseAs: 'string', bodyLimit: bodyLimitBytes }, (request, body, done) => {
    const text = String(body);
    const isForm = request.headers['content-type']?.startsWith('multipart/') ?? false;
    if (isForm ? isOneClickPart(text) : isOneClickPair(text)) return done(null, { ...oneClick });
    done(new AppError('REQUEST.MALFORMED', 'A form must say List-Unsubscribe=One-Click and nothing else.'));
  });
}

function isOneClickPair(text: string): boolean {
  return text.trim() === 'List-Unsubscribe=One-Click';
}

/** One part of that name whose whole content is the word; its boundary is whatever the first line says. */
function isOneClickPart(text: string): boolean {
  const part =
    /^--(\S+)\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*?content-disposition: *form-data; *name="?List-Unsubscribe"?\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*\r?\nOne-Click\r?\n--(\S+?)--\s*$/i;
  const match = part.exec(text);
  return match !== null && match[1] === match[2];
}
