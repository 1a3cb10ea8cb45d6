import type { RouteOptions } from 'fastify';
import { hostedPage, hostedScript } from '../../../http/hosted-page.ts';

/** Registers the hosted page that confirms a subscription, and the script of the page that ends one. */
export function marketingPages(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [...hostedPage(folder, 'confirm-subscription'), hostedScript(folder, 'unsubscribe')];
}
