import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { UnknownPage } from './unknown-paths.ts';

/** The application that `scripts/dashboard.mjs` builds. */
const builtApplication = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url));

/** The build writes it in place of the nonce. */
const noncePlaceholder = '__CSP_NONCE__';

/**
 * Allows only files of this origin, and style elements with the nonce of the page, which the component library writes. No
 * script can turn text into HTML or code, except through the application's default policy, which refuses both.
 */
const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

/** The headers of the page, besides those of every response and its policy. */
const pageHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

/** The names of these files contain a hash of their content. */
const assets = 'assets';
const immutable = 'public, max-age=31536000, immutable';
/** Browsers revalidate each time, and get a 304 while the file is unchanged. */
const revalidated = 'no-cache';

/** Paths that only programs and the guides use: unknown paths there get the error envelope, also in browsers. */
const outsideThePages =
  /^\/(?:api|ofrep|webhooks|docs|health|metrics|openapi(?:-integration)?\.json|sandbox|assets)(?:[/?]|$)/;

/** The built application. */
export interface Dashboard {
  readonly folder: string;
  readonly page: string;
  /** The routes of the application's URL tree, as Fastify writes them: `/licenses/:id`. */
  readonly routes: readonly string[];
  /** The names of the files beside the page, such as its icon. */
  readonly files: readonly string[];
}

/** Reads the built application. Returns null and logs a warning if it is not built. `folder` replaces it, for tests. */
export function openDashboard(logger: Pick<Logger, 'warn'>, folder: string = builtApplication): Dashboard | null {
  if (!existsSync(join(folder, 'routes.json'))) {
    logger.warn('The dashboard is not built, so / is not served. Build it with `node scripts/dashboard.mjs`.');
    return null;
  }
  const notServed = /^index\.html$|^routes\.json$|^\.|\.(?:br|gz)$/;
  return {
    folder,
    page: readFileSync(join(folder, 'index.html'), 'utf8'),
    routes: JSON.parse(readFileSync(join(folder, 'routes.json'), 'utf8')),
    files: readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !notServed.test(entry.name))
      .map(({ name }) => name),
  };
}

function sendPage({ page }: Dashboard, reply: FastifyReply): FastifyReply {
  const nonce = randomBytes(18).toString('base64url');
  // `no-store`, as every response has: a nonce is for one response, and a cached page would load deleted files.
  return reply
    .headers(pageHeaders)
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(noncePlaceholder, nonce));
}

/**
 * Returns a function that sends the page to a browser that opens an unknown path. The page then shows that there is no
 * such page. No other request gets it.
 */
export function unknownPageOf(dashboard: Dashboard): UnknownPage {
  return (request, reply) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const wantsPage = request.headers.accept?.includes('text/html') ?? false;
    if (!isReading || !wantsPage || outsideThePages.test(request.url)) return undefined;
    return sendPage(dashboard, reply.status(404));
  };
}

/**
 * Registers the page of the application at each path of its URL tree, and its files, which were compressed when they
 * were built. Files are read from disk for each request and take no memory.
 */
export async function registerDashboard(app: FastifyInstance, dashboard: Dashboard): Promise<void> {
  const application: FastifyPluginAsync = async (scope) => {
    for (const url of dashboard.routes) {
      scope.get(url, { schema: { hide: true }, handler: (_request, reply) => sendPage(dashboard, reply) });
    }
    await scope.register(files, {
      root: join(dashboard.folder, assets),
      prefix: `/${assets}/`,
      preCompressed: true,
      dotfiles: 'ignore',
      acceptRanges: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const isHashed = path.replaceAll('\\', '/').includes(`/${assets}/`);
        reply.headers({ 'cache-control': isHashed ? immutable : revalidated });
      },
    });
    for (const name of dashboard.files) {
      const handler = (_request: FastifyRequest, reply: FastifyReply) => reply.sendFile(name, dashboard.folder);
      scope.get(`/${name}`, { schema: { hide: true }, handler });
    }
  };
  await app.register(application);
}
