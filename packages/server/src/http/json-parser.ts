import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, type ErrorDetail, validationError } from '../lib/error.ts';

const maxDepth = 32;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

function malformed(message: string): AppError {
  return new AppError('REQUEST.MALFORMED', message);
}

/** True when `text` has more than `limit` opening brackets, those inside strings included: the cheap first look. */
function hasManyBrackets(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

/** The deepest nesting of a JSON text, brackets inside strings not counted. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let insideString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) insideString = !insideString;
    else if (insideString) at += character === backslash ? 1 : 0;
    else if (character === openBrace || character === openBracket) deepest = Math.max(deepest, ++depth);
    else if (character === closeBrace || character === closeBracket) depth -= 1;
  }
  return deepest;
}

const isUnstorable = (text: string) => text.includes('\u0000') || !text.isWellFormed();

/**
 * Fields whose name or text no UTF-8 database can hold: NUL (PostgreSQL refuses it) and lone surrogates (they would
 * turn into replacement characters). The name of a bad field is not repeated: only its parent's path is.
 */
function unstorableFields(value: unknown, path: string): ErrorDetail[] {
  if (typeof value === 'string') {
    return isUnstorable(value) ? [{ field: path, message: 'must not contain NUL or half a surrogate pair' }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if (!isUnstorable(name)) return unstorableFields(item, path === '' ? name : `${path}.${name}`);
    return [{ field: path === '' ? 'body' : path, message: 'must not have a name with NUL or half a surrogate pair' }];
  });
}

/** In valid UTF-8 and valid JSON, NUL and lone surrogates can only come as escapes; most bodies have none. */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

function assertSupported(request: FastifyRequest): void {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.raw.headers;
  const charset =
    contentType === 'application/json' ? undefined : /;\s*charset=\s*"?([^";\s]*)/i.exec(contentType ?? '');
  if (charset && !/^utf-?8$/i.test(charset[1] ?? '')) {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send the JSON body in UTF-8.');
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without a Content-Encoding.');
  }
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8. Send JSON encoded in UTF-8.');
  const text = body.toString('utf8');
  if (hasManyBrackets(text, maxDepth) && nestingDepth(text) > maxDepth) {
    throw malformed(`The body is nested too deeply. Send JSON with at most ${maxDepth} levels.`);
  }
  return text;
}

function assertStorable(value: unknown, text: string): void {
  if (value === null) throw validationError({ field: 'body', message: 'must be an object' });
  if (!suspiciousEscape.test(text)) return;
  const details = unstorableFields(value, '').slice(0, 100);
  if (details.length > 0) throw validationError(...details);
}

/**
 * Replaces Fastify's body parsers: JSON in UTF-8 only, at most 32 levels deep, without keys that reach a prototype,
 * and without text that a database cannot hold. An empty body is no body. Of a repeated key the last one counts, as
 * in `JSON.parse` (RFC 8259, section 4 leaves it open). Every failure is an `AppError` of the 4xx kind.
 */
export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // A path that does not exist is a 404 whatever its body is.
    if (body.length === 0 || request.is404) return done(null, undefined);
    try {
      assertSupported(request);
      const text = decode(body as Buffer);
      let invalid = false;
      let value: unknown;
      // Calls back at once. Nothing may throw in the callback: the parser would take it for invalid JSON.
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
