import { createHash } from 'node:crypto';
import type { RouteOptions } from 'fastify';

/**
 * Shows the HTML that the page around its frame sends it. Mails have inline styles, which the policy of the dashboard
 * forbids; this page permits them, and nothing else: no request leaves it.
 */
const script =
  'addEventListener("message",(event)=>{' +
  'if(event.source===parent&&typeof event.data==="string")document.documentElement.innerHTML=event.data;' +
  '});parent.postMessage("ready","*");';

const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  // Scripts of the page have no access to the origin, wherever it is opened.
  'sandbox allow-scripts',
].join('; ');

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title></head><body><script>${script}</script></body></html>`;

/** The route of the page in which the dashboard shows the preview of a mail. */
export function mailPreviewRoute(): RouteOptions {
  return {
    method: 'GET',
    url: '/mail-preview',
    schema: { hide: true },
    handler: (_request, reply) =>
      reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page),
  };
}
