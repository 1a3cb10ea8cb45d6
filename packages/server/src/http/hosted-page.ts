import { readFileSync } from 'node:fs';
import type { FastifyReply, RouteOptions } from 'fastify';

/** Own files, no script or style from elsewhere, nothing that another page can embed or send forms through. */
const contentSecurityPolicy = [
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
  return reply.header('content-security-policy', contentSecurityPolicy).type(types[type]).send(content);
}

function sendsFile(file: URL, type: keyof typeof types) {
  const content = readFileSync(file);
  return (reply: FastifyReply): void => {
    send(reply, content, type);
  };
}

/** Answers a page that was written for this very request; its forms are sent by its script alone. */
export function sendHtml(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return send(reply.status(status), page, 'html');
}

/** One file of a page. */
export function pageFile(url: string, file: URL, type: keyof typeof types): RouteOptions {
  const sendFile = sendsFile(file, type);
  return { method: 'GET', url, schema: { hide: true }, handler: (_request, reply) => sendFile(reply) };
}

/** A handler that answers a page, for a route of the API. */
export function hostedHtml(file: URL) {
  const sendFile = sendsFile(file, 'html');
  return ({ reply }: { readonly reply: FastifyReply }): void => sendFile(reply);
}

/** The script `<folder>/<name>.js` of a page that a route of the API answers, at `/<name>/page.js`. */
export function hostedScript(folder: URL, name: string): RouteOptions {
  return pageFile(`/${name}/page.js`, new URL(`${name}.js`, folder), 'js');
}

/**
 * A small page that a mail links to: `<folder>/<name>.html` at `/<name>` and its script `<folder>/<name>.js` at
 * `/<name>/page.js`. The look and what the scripts share come from `sharedPageFiles`.
 */
export function hostedPage(folder: URL, name: string): RouteOptions[] {
  return [pageFile(`/${name}`, new URL(`${name}.html`, folder), 'html'), hostedScript(folder, name)];
}

/** What every hosted page loads. */
export function sharedPageFiles(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [
    pageFile('/pages/page.css', new URL('page.css', folder), 'css'),
    pageFile('/pages/form.js', new URL('form.js', folder), 'js'),
  ];
}
