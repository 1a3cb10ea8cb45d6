import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/error.ts';

const bodyLimitBytes = 16_384;

/** Makes the routes of `app` accept forms, besides JSON. The last of several equal fields wins. */
export function acceptForms(app: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  app.addContentTypeParser(type, { parseAs: 'string', bodyLimit: bodyLimitBytes }, (_request, body, done) => {
    const fields = [...new URLSearchParams(String(body))];
    if (fields.some(([, value]) => value.includes('\u0000'))) {
      return done(
        new AppError('REQUEST.MALFORMED', 'The form contains a NUL character, which cannot be stored. Remove it.'),
      );
    }
    done(null, Object.fromEntries(fields));
  });
}

/** Tells whether a request was sent by a form rather than by a program. */
export function isFormRequest({
  headers,
}: {
  readonly headers: { readonly 'content-type'?: string | undefined };
}): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
