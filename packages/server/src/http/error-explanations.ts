import { type ErrorExplanations, explain } from '../lib/error-explanation.ts';

export const httpErrors = {
  'REQUEST.MALFORMED': explain(
    'The request is not valid HTTP or JSON, or a header is malformed.',
    'Correct the request; the message names the part.',
  ),
  'ROUTE.NOT_FOUND': explain('There is no route at this path.', 'Compare the URL with the reference.'),
  'RESOURCE.NOT_FOUND': explain(
    'There is no such resource, or it belongs to another tenant.',
    'Check the id: list the resources to find it.',
  ),
  'ROUTE.METHOD_NOT_ALLOWED': explain(
    'The path does not support this method.',
    'Use a method that the header `Allow` lists.',
  ),
  'REQUEST.TIMEOUT': explain('The request took too long to arrive.', 'Send it again without pauses.'),
  'REQUEST.TOO_LARGE': explain('The body is too large, or the file has too many rows.', 'Send less at once.'),
  'REQUEST.URI_TOO_LONG': explain('A segment of the path is too long.', 'Send at most 512 characters in each segment.'),
  'REQUEST.UNSUPPORTED_MEDIA_TYPE': explain(
    'The body has another type, character set or encoding than the route takes.',
    'Send uncompressed UTF-8 with a `Content-Type` of the route, mostly `application/json`.',
  ),
  'VALIDATION.FAILED': explain(
    'Fields of the request are missing, unknown or not valid; `details` names each.',
    'Correct the fields.',
  ),
  'REQUEST.HEADERS_TOO_LARGE': explain('The URL and the headers are too large.', 'Send at most 16 KiB.'),
  'INTERNAL.ERROR': explain(
    'The service failed unexpectedly.',
    'Send the request again; if the error persists, send the request id to support.',
  ),
  'SERVICE.UNAVAILABLE': explain(
    'The service is temporarily unavailable.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
} satisfies ErrorExplanations;
