import type { RouteOptions } from 'fastify';
import { hostedPage } from '../../../http/hosted-page.ts';

/** Registers the hosted pages that the links in mails open: verifying an address and choosing a password. */
export function identityPages(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [...hostedPage(folder, 'verify-email'), ...hostedPage(folder, 'reset-password')];
}
