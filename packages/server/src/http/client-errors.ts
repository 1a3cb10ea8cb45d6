import type { Socket } from 'node:net';
import { AppError } from '../lib/error.ts';
import { newId } from '../lib/ids.ts';
import { failure } from './error-handler.ts';
import type { StaticHeaders } from './headers.ts';
import { isReceiving } from './streamed-body.ts';

function toAppError(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('REQUEST.HEADERS_TOO_LARGE', 'The URL and headers are too large. Send at most 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('REQUEST.TOO_LARGE', 'The chunk extensions are too large. Leave them out.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('REQUEST.TIMEOUT', 'The request took too long to arrive. Send it again without pauses.');
    default:
      return new AppError('REQUEST.MALFORMED', 'This is not a valid HTTP/1.1 request. Correct it and send it again.');
  }
}

/**
 * Returns the handler for input that Node's HTTP parser refuses before a request exists (malformed, too large or too
 * slow). It responds with the envelope and headers of every other failure and closes the connection.
 */
export function clientErrorHandler(headers: StaticHeaders) {
  return (thrown: NodeJS.ErrnoException, socket: Socket): void => {
    // https://nodejs.org/api/http.html#event-clienterror: the caller disconnected, or a response was already sent.
    if (thrown.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // `receiveBody` limits streamed uploads by their rate instead of their total time.
    if (thrown.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceiving(socket)) return;
    const error = toAppError(thrown.code);
    const requestId = newId();
    const body = JSON.stringify(failure(requestId, error));
    const head = [
      `HTTP/1.1 ${error.status} ${nodeHttp.STATUS_CODES[error.status]}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  };
}

/**
 * `node:http`. An import statement would read every export of it, and one of them loads the library behind `fetch`,
 * which takes 70 ms and 16 MiB at each start.
 */
const nodeHttp = process.getBuiltinModule('node:http');
