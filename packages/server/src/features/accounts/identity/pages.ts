import type { RouteOptions } from 'fastify';
import { hostedPage } from '../../../http/hosted-page.ts';

/** The pages behind the links that prove a mailbox. */
export function identityPages(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [...hostedPage(folder, 'verify-email'), ...hostedPage(folder, 'reset-password')];
}
