import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { sendNotFound } from './unknown-paths.ts';

/** The site that `scripts/guides.mjs` builds. */
const builtSite = fileURLToPath(new URL('../../../guides/dist/', import.meta.url));

/** Allows only scripts, styles, fonts and data of this origin; nothing inline. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The names of these files contain a hash of their content. */
const assets = '/assets/';
const immutable = 'public, max-age=31536000, immutable';
/** Browsers revalidate each time, and get a 304 while the page is unchanged. */
const revalidated = 'no-cache';

const notFoundPage = '404.html';

function cachingOf(path: string): string {
  // A revalidated 404 would be an empty page.
  if (path.includes(`/${notFoundPage}`)) return 'no-store';
  return path.includes(assets) ? immutable : revalidated;
}

/**
 * Registers the guides and the reference of the API under `/docs`: static files, compressed when they were built. They
 * are read from disk for each request and take no memory. `/docs/service.json` tells the pages the `PUBLIC_URL`, which their
 * snippets show. `folder` replaces the built site, for tests.
 */
export async function registerGuides(
  app: FastifyInstance,
  { publicUrl, folder = builtSite }: { readonly publicUrl: string; readonly folder?: string },
): Promise<void> {
  if (!existsSync(join(folder, notFoundPage))) {
    app.log.warn('The guides are not built, so /docs is not served. Build them with `node scripts/guides.mjs`.');
    return;
  }
  const site: FastifyPluginAsync = async (scope) => {
    await scope.register(files, {
      root: folder,
      preCompressed: true,
      redirect: true,
      dotfiles: 'ignore',
      acceptRanges: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        reply.headers({
          'cache-control': cachingOf(path.replaceAll('\\', '/')),
          'content-security-policy': contentSecurityPolicy,
          ...(path.endsWith('.tgz') && { 'content-type': 'application/gzip' }),
        });
      },
    });
    scope.get('/service.json', {
      schema: { hide: true },
      handler: (_request, reply) => reply.header('cache-control', revalidated).send({ public_url: publicUrl }),
    });
    scope.get('', { schema: { hide: true }, handler: (_request, reply) => reply.redirect('/docs/', 301) });
    scope.setNotFoundHandler((request, reply) => {
      const isPage = ['', '.html'].includes(extname(request.url.split('?', 1)[0] ?? ''));
      const wantsPage = isPage && (request.headers.accept?.includes('text/html') ?? false);
      return wantsPage ? reply.status(404).sendFile(notFoundPage) : sendNotFound(request, reply);
    });
  };
  await app.register(site, { prefix: '/docs' });
}
