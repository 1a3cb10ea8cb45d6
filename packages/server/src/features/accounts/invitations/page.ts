import type { RouteOptions } from 'fastify';
import { hostedPage } from '../../../http/hosted-page.ts';

/** The page behind the link of an invitation. */
export function invitationPage(): RouteOptions[] {
  return hostedPage(new URL('./page/', import.meta.url), 'accept-invitation');
}
