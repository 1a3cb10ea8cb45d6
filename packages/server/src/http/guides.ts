import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { once } from '../lib/memoize.ts';
import { precompressed } from './precompressed.ts';
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
/** The address of the service in the built pages. */
const builtAddress = 'http://127.0.0.1:3000';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
};

function cachingOf(path: string): string {
  // A revalidated 404 would be an empty page.
  if (path.includes(`/${notFoundPage}`)) return 'no-store';
  return path.includes(assets) ? immutable : revalidated;
}

/**
 * Sends the files that contain the address of the service with the `PUBLIC_URL` in its place. They are listed at the first
 * request, and have no routes of their own: a hundred routes would prolong each start.
 */
function servePagesOf(scope: FastifyInstance, folder: string, publicUrl: string): void {
  const pages = once(() => new Map(pagesOf(folder, publicUrl)));
  scope.addHook('preHandler', async (request, reply) => {
    const { '*': path } = request.params as { readonly '*'?: string };
    const send = request.is404 || path === undefined ? undefined : pages().get(path);
    return send?.(request, reply.header('content-security-policy', contentSecurityPolicy));
  });
}

/** The former addresses of pages, below `/docs`, and where the pages are. */
const moved: Readonly<Record<string, string>> = { '': '', '/models/air-gapped/': 'offline/' };

/** Returns the path of each page with the handler that sends it. */
function pagesOf(folder: string, publicUrl: string) {
  const names = globSync('**/*.{html,md,txt,json}', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
  return names
    .filter((name) => name !== notFoundPage)
    .map((name) => {
      const extension = extname(name);
      const address = extension === '.html' ? publicUrl.replaceAll('&', '&amp;') : publicUrl;
      const build = () => readFileSync(join(folder, name), 'utf8').replaceAll(builtAddress, address);
      return [
        name.replace(/(^|\/)index\.html$/, '$1'),
        precompressed(build, types[extension] ?? 'text/plain'),
      ] as const;
    });
}

/**
 * Registers the guides and the reference of the API under `/docs`: static files, compressed when they were built and read
 * from disk for each request. Pages name the `PUBLIC_URL` of the service; they are adapted and compressed once, for their
 * first reader. `folder` replaces the built site, for tests.
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
    if (publicUrl !== builtAddress) servePagesOf(scope, folder, publicUrl);
    for (const [from, to] of Object.entries(moved)) {
      scope.get(from, { schema: { hide: true }, handler: (_request, reply) => reply.redirect(`/docs/${to}`, 301) });
    }
    scope.setNotFoundHandler((request, reply) => {
      const isPage = ['', '.html'].includes(extname(request.url.split('?', 1)[0] ?? ''));
      const wantsPage = isPage && (request.headers.accept?.includes('text/html') ?? false);
      return wantsPage ? reply.status(404).sendFile(notFoundPage) : sendNotFound(request, reply);
    });
  };
  await app.register(site, { prefix: '/docs' });
}
