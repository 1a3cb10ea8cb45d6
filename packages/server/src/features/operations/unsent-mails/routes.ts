import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { MailsQuery, MailView } from './schemas.ts';
import { listMails, readMail, retryMail } from './service.ts';

const tags = ['Mails'] as const;
const params = IdParams;
const oneMail = { 200: Envelope(MailView) };

/** Registers the routes with which admins see and retry the mails that the service gave up on. */
export function mailsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/mails', {
      operationId: 'adminListMails',
      summary: 'List the mails that the service gave up on',
      tags,
      description: 'Mails that the mail server refused, or that failed for seven days. They are kept for 30 days.',
      querystring: MailsQuery,
      response: { 200: PageEnvelope(MailView) },
      handler: async ({ request }) => successPage(request, await listMails(services, request.query)),
    }),
    adminRoute('GET', '/mails/:id', {
      operationId: 'adminGetMail',
      summary: 'Read a mail',
      tags,
      params,
      response: oneMail,
      handler: async ({ request }) => success(request, await readMail(services, request.params.id)),
    }),
    adminRoute('POST', '/mails/:id/retry', {
      operationId: 'adminRetryMail',
      summary: 'Retry a mail',
      tags,
      errors: ['MAIL.EXPIRED'],
      description: 'Queues a `dead` mail again. A mail that waits already does not change.',
      params,
      response: oneMail,
      handler: async ({ request, actor }) => success(request, await retryMail(services, actor, request.params.id)),
    }),
  ];
}
