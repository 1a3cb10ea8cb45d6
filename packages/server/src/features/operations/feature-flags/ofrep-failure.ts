import type { FastifyRequest } from 'fastify';
import type { ForeignFailure } from '../../../http/error-handler.ts';
import type { AppError } from '../../../lib/error.ts';

/** The error codes of OFREP that the service sends (https://openfeature.dev/specification/types#error-code). */
export const ofrepErrorCodes = ['FLAG_NOT_FOUND', 'PARSE_ERROR', 'INVALID_CONTEXT', 'GENERAL'] as const;
type OfrepErrorCode = (typeof ofrepErrorCodes)[number];

/** The service's error codes to OFREP's. All others are `GENERAL`. */
const ofrepCodes: Readonly<Partial<Record<AppError['code'], OfrepErrorCode>>> = {
  'FEATURE_FLAG.NOT_FOUND': 'FLAG_NOT_FOUND',
  'RESOURCE.NOT_FOUND': 'FLAG_NOT_FOUND',
  'FEATURE_FLAG.CONTEXT_INVALID': 'INVALID_CONTEXT',
  'VALIDATION.FAILED': 'INVALID_CONTEXT',
  'REQUEST.MALFORMED': 'PARSE_ERROR',
};

/** Clients append the protocol's path to a base URL, which may end with a slash. */
const protocolPath = /^\/+ofrep(?=[/?]|$)/;
const flagPath = /^\/+ofrep\/v1\/evaluate\/flags\/([^?]*)/;

/**
 * Returns a failure in the format of the OpenFeature Remote Evaluation Protocol (OFREP) for every path below `/ofrep`,
 * unknown ones included, because its clients cannot read another format. A failure of one flag has the flag's key.
 */
export function ofrepFailure(request: FastifyRequest, error: AppError): ForeignFailure | undefined {
  // A request may name the path with its origin (RFC 9112, section 3.2.2).
  const url = (request.raw.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const isRouted = request.routeOptions.url?.startsWith('/ofrep/') === true;
  if (!isRouted && !protocolPath.test(url)) return undefined;
  const key = isRouted ? (request.params as { readonly key?: string }).key : keyIn(url);
  // OFREP does not define 422.
  const status = error.status === 422 ? 400 : error.status;
  return { status, body: { ...(key !== undefined && { key }), ...explain(error, url, key) } };
}

/** Returns the key in a path that no route has; undefined if the path is not that of a flag. */
function keyIn(url: string): string | undefined {
  const key = flagPath.exec(url)?.[1];
  return key === undefined ? undefined : decodeKey(key);
}

function explain({ code, message, details = [] }: AppError, url: string, key: string | undefined) {
  if (code === 'ROUTE.NOT_FOUND' && url.startsWith('//')) {
    return { errorCode: 'GENERAL', errorDetails: `${code}: Remove the slash at the end of the client's base URL.` };
  }
  if (code === 'ROUTE.NOT_FOUND' && key !== undefined) {
    return {
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'There is no feature flag with this key. A key is not empty and has no slash.',
    };
  }
  const known = ofrepCodes[code];
  const sentences = [message, ...details.map((detail) => `${detail.field} ${detail.message}.`)].join(' ');
  if (known !== undefined) return { errorCode: known, errorDetails: sentences };
  return { errorCode: 'GENERAL', errorDetails: `${code}: ${sentences}` };
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
