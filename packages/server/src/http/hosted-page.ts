import { readFileSync } from 'node:fs';
import type { FastifyReply, RouteOptions } from 'fastify';

/** Allows only scripts and styles of this origin, no embedding in other pages, and no forms that a browser sends. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

function send(reply: FastifyReply, content: string | Buffer, type: keyof typeof types): FastifyReply {
  return reply.header('content-security-policy', policy).type(types[type]).send(content);
}

function sendsFile(file: URL, type: keyof typeof types) {
  const content = readFileSync(file);
  return (reply: FastifyReply): void => {
    send(reply, content, type);
  };
}

/** Sends a page that was generated for this request. */
export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return send(reply.status(status), page, 'html');
}

/** Defines the route of one file of a page. The file is read once, at startup. */
export function pageFile(url: string, file: URL, type: keyof typeof types): RouteOptions {
  const sendFile = sendsFile(file, type);
  return { method: 'GET', url, schema: { hide: true }, handler: (_request, reply) => sendFile(reply) };
}

/** Returns a handler that sends a page, for a route of the API. */
export function hostedHtml(file: URL) {
  const sendFile = sendsFile(file, 'html');
  return ({ reply }: { readonly reply: FastifyReply }): void => sendFile(reply);
}

/** Defines the route `/<name>/page.js` of the script `<folder>/<name>.js`, for a page that a route of the API sends. */
export function hostedScript(folder: URL, name: string): RouteOptions {
  return pageFile(`/${name}/page.js`, new URL(`${name}.js`, folder), 'js');
}

/**
 * Defines the routes of a page that mails link to: `<folder>/<name>.html` at `/<name>` and its script
 * `<folder>/<name>.js` at `/<name>/page.js`. `sharedPageFiles` provides the stylesheet and the shared script.
 */
export function hostedPage(folder: URL, name: string): RouteOptions[] {
  return [pageFile(`/${name}`, new URL(`${name}.html`, folder), 'html'), hostedScript(folder, name)];
}

/** Defines the routes of the files that every hosted page loads. */
export function sharedPageFiles(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [
    pageFile('/pages/page.css', new URL('page.css', folder), 'css'),
    pageFile('/pages/form.js', new URL('form.js', folder), 'js'),
  ];
}
