import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../lib/error.ts';
import { isNestedTooDeeply, maxDepth, unstorableFields } from './json-text.ts';

function malformed(message: string): AppError {
  return new AppError('REQUEST.MALFORMED', message);
}

function assertSupported(request: FastifyRequest): void {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.raw.headers;
  const charset =
    contentType === 'application/json' ? undefined : /;\s*charset=\s*"?([^";\s]*)/i.exec(contentType ?? '');
  if (charset && !/^utf-?8$/i.test(charset[1] ?? '')) {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send the JSON body in UTF-8.');
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without a Content-Encoding.');
  }
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8. Send JSON encoded in UTF-8.');
  const text = body.toString('utf8');
  if (isNestedTooDeeply(text)) {
    throw malformed(`The body is nested too deeply. Send JSON with at most ${maxDepth} levels.`);
  }
  return text;
}

function assertStorable(value: unknown, text: string): void {
  if (value === null) throw validationError({ field: 'body', message: 'Send an object.' });
  const details = unstorableFields(value, text);
  if (details.length > 0) throw validationError(...details);
}

/**
 * Replaces Fastify's body parsers. It accepts only JSON in UTF-8, at most 32 levels deep, without keys that modify a
 * prototype, without text that a database cannot store and without numbers that would change. An empty body counts as
 * absent. The last of several equal keys wins, as in `JSON.parse` (RFC 8259, section 4 leaves this open). Every failure is an `AppError` with a 4xx
 * status. `onBody` is called with each request whose body arrived.
 */
export function useJsonBodies(app: FastifyInstance, onBody: (request: FastifyRequest) => void = () => {}): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    onBody(request);
    // An unknown path is a 404 regardless of the body.
    if (body.length === 0 || request.is404) return done(null, undefined);
    try {
      assertSupported(request);
      const text = decode(body as Buffer);
      let invalid = false;
      let value: unknown;
      // Calls back synchronously. The callback must not throw: the parser would report it as invalid JSON.
      void parseJson(request, text, (error, parsed) => {
        invalid = error !== null;
        value = parsed;
      });
      if (invalid) throw malformed('The body is not valid JSON. Send a JSON object.');
      assertStorable(value, text);
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
}
