import type { RouteOptions } from 'fastify';
import { pageFile } from '../../../http/hosted-page.ts';
import type { SandboxContext } from '../context.ts';
import { checkoutRoutes } from './checkout.ts';
import { invoiceRoutes, portalRoutes } from './portal.ts';

const ownFile = (name: string) => new URL(`./${name}`, import.meta.url);

/** Registers the pages of the sandbox. They need no login, because their URLs cannot be guessed. */
export function sandboxPageRoutes(context: SandboxContext): RouteOptions[] {
  return [
    pageFile('/sandbox/page.css', ownFile('page.css'), 'css'),
    pageFile('/sandbox/page.js', ownFile('page.js'), 'js'),
    ...checkoutRoutes(context),
    ...invoiceRoutes(context),
    ...portalRoutes(context),
  ];
}
