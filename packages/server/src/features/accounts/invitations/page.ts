import type { RouteOptions } from 'fastify';
import { hostedPage } from '../../../http/hosted-page.ts';

/** Registers the hosted page that the link of an invitation opens. */
export function invitationPage(): RouteOptions[] {
  return hostedPage(new URL('./page/', import.meta.url), 'accept-invitation');
}
