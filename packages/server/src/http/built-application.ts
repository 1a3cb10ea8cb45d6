import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { UnknownPage } from './unknown-paths.ts';

const folderOf = (name: string) => fileURLToPath(new URL(`../../../${name}/dist/`, import.meta.url));

/** The applications, each in a folder that a script builds. `assets` is the folder of files with hashed names. */
const applications = {
  dashboard: { folder: folderOf('dashboard'), assets: 'assets', script: 'scripts/dashboard.mjs', path: '/' },
  portal: { folder: folderOf('portal'), assets: 'portal-assets', script: 'scripts/portal.mjs', path: '/portal' },
} as const;

/** The build writes it in place of the nonce. */
const noncePlaceholder = '__CSP_NONCE__';

/** Which pages may show a page in a frame. */
type Ancestors = "'none'" | "'self'";

/**
 * Allows only files of this origin, the page's own inline scripts by their hashes, and style elements with the nonce of the
 * page, which the component library writes. No script can turn text into HTML or code, except through the application's
 * default policy, which refuses both.
 */
const contentSecurityPolicy = (nonce: string, scriptHashes: readonly string[], ancestors: Ancestors) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes.map((hash) => `'${hash}'`)].join(' '),
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    // The previews of mails and of the portal are pages of their own.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

/** The headers of the page, besides those of every response and its policy. */
const pageHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

const immutable = 'public, max-age=31536000, immutable';
/** Browsers revalidate each time, and get a 304 while the file is unchanged. */
const revalidated = 'no-cache';

/** A built application. */
export interface Application {
  readonly folder: string;
  /** The name of the folder with the files that caches keep for ever. */
  readonly assets: string;
  readonly page: string;
  /** The hashes of the page's inline scripts. */
  readonly scriptHashes: readonly string[];
  /**
   * The routes of the application's URL tree, as Fastify writes them (`/licenses/:id`), and the files that the page needs
   * there besides those that it names.
   */
  readonly routes: Readonly<Record<string, readonly string[]>>;
  /** The names of the files beside the page, such as its icon. */
  readonly files: readonly string[];
}

/** Returns the hashes of the inline scripts of a page, as a Content Security Policy names them. */
function hashesOfScripts(page: string): string[] {
  const scripts = page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g);
  return [...scripts].map(([, text = '']) => `sha256-${createHash('sha256').update(text).digest('base64')}`);
}

/** Reads a built application. Returns null and logs a warning if it is not built. `folder` replaces it, for tests. */
export function openApplication(
  name: keyof typeof applications,
  logger: Pick<Logger, 'warn'>,
  folder: string = applications[name].folder,
): Application | null {
  const { assets, script, path } = applications[name];
  if (!existsSync(join(folder, 'routes.json'))) {
    logger.warn(`The ${name} is not built, so ${path} is not served. Build it with \`node ${script}\`.`);
    return null;
  }
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const notServed = /^index\.html$|^routes\.json$|^\.|\.(?:br|gz)$/;
  return {
    folder,
    assets,
    page,
    scriptHashes: hashesOfScripts(page),
    routes: JSON.parse(readFileSync(join(folder, 'routes.json'), 'utf8')),
    files: readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !notServed.test(entry.name))
      .map(({ name: file }) => file),
  };
}

/** Returns the page with elements that load the files at once, and not when the application asks for them. */
function pageWith(page: string, files: readonly string[]): string {
  const links = files.map((name) =>
    name.endsWith('.css')
      ? `<link rel="stylesheet" crossorigin href="/${name}">`
      : `<link rel="modulepreload" crossorigin href="/${name}">`,
  );
  return page.replace('</head>', `${links.join('')}</head>`);
}

function sendPage(
  page: string,
  scriptHashes: readonly string[],
  reply: FastifyReply,
  ancestors: Ancestors = "'none'",
): FastifyReply {
  const nonce = randomBytes(18).toString('base64url');
  // `no-store`, as every response has: a nonce is for one response, and a cached page would load deleted files.
  return reply
    .headers(pageHeaders)
    .header('content-security-policy', contentSecurityPolicy(nonce, scriptHashes, ancestors))
    .header('x-frame-options', ancestors === "'none'" ? 'DENY' : 'SAMEORIGIN')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(noncePlaceholder, nonce));
}

/**
 * Returns a function that sends the page to a browser that opens an unknown path. The page then shows that there is no
 * such page. No other request gets it, and no path whose first segment is one of `segmentsWithoutPages`.
 */
export function unknownPageOf(dashboard: Application, segmentsWithoutPages: ReadonlySet<string>): UnknownPage {
  return (request, reply) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const wantsPage = request.headers.accept?.includes('text/html') ?? false;
    const [, firstSegment = ''] = /^\/([^/?]*)/.exec(request.url) ?? [];
    if (!isReading || !wantsPage || segmentsWithoutPages.has(firstSegment)) return undefined;
    return sendPage(dashboard.page, dashboard.scriptHashes, reply.status(404));
  };
}

/** What the pages of an application need besides its files. */
interface PageOptions {
  /** Tells whether the page that a request names exists; it is sent with the status 404 if not. */
  readonly exists?: (request: FastifyRequest) => Promise<boolean>;
  /** The route whose page other pages of this origin may show in a frame. */
  readonly framedUrl?: string;
}

/**
 * Registers the page of an application at each path of its URL tree, and its files, which were compressed when they
 * were built. Files are read from disk for each request and take no memory.
 */
export async function registerApplication(
  app: FastifyInstance,
  application: Application,
  { exists = async () => true, framedUrl }: PageOptions = {},
): Promise<void> {
  const { assets, folder, scriptHashes } = application;
  const plugin: FastifyPluginAsync = async (scope) => {
    for (const [url, needed] of Object.entries(application.routes)) {
      const page = pageWith(application.page, needed);
      scope.get(url, {
        schema: { hide: true },
        handler: async (request, reply) =>
          url === framedUrl
            ? sendPage(page, scriptHashes, reply, "'self'")
            : sendPage(page, scriptHashes, reply.status((await exists(request)) ? 200 : 404)),
      });
    }
    await scope.register(files, {
      root: join(folder, assets),
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
    for (const name of application.files) {
      const handler = (_request: FastifyRequest, reply: FastifyReply) => reply.sendFile(name, folder);
      scope.get(`/${name}`, { schema: { hide: true }, handler });
    }
  };
  await app.register(plugin);
}
