import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTag, namesTag } from './headers.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Variant {
  readonly body: Buffer;
  readonly tag: string;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Returns the best encoding that an `Accept-Encoding` header allows (RFC 9110, section 12.5.3). */
function chooseEncoding(header: string | undefined): Encoding {
  const accepted = (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return isRefused ? [] : [name];
  });
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : 'identity';
}

async function compress(content: Buffer, quality: number): Promise<Readonly<Record<Encoding, Variant>>> {
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length, [constants.BROTLI_PARAM_QUALITY]: quality };
  const [br, gz] = await Promise.all([brotli(content, { params }), deflate(content, { level: 9 })]);
  const hash = entityTag(content.toString('utf8')).slice(1, -1);
  // A strong tag names the bytes, so each encoding has its own (RFC 9110, section 8.8.3.3).
  return {
    br: { body: br, tag: `"${hash}-br"` },
    gzip: { body: gz, tag: `"${hash}-gzip"` },
    identity: { body: content, tag: `"${hash}"` },
  };
}

/**
 * Returns a handler that sends a text that never changes while the process runs. The text is built and compressed once,
 * for the first request, in a thread of its own. `quality` is that of Brotli. Caches keep it and ask with its `ETag` whether it is current; then the response is a 304.
 */
export function precompressed(build: () => string, type: string, quality = 9) {
  let variants: ReturnType<typeof compress> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    variants ??= compress(Buffer.from(build()), quality);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const { body, tag } = (await variants)[encoding];
    const vary = [reply.getHeader('vary'), 'Accept-Encoding'].flat().filter(Boolean).join(', ');
    reply.headers({ etag: tag, 'cache-control': 'public, no-cache', vary });
    if (namesTag(request.headers['if-none-match'], tag)) return reply.status(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type(`${type}; charset=utf-8`).send(body);
  };
}
