import type { Static } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import {
  HolderMail,
  HolderMailsQuery,
  MailPreview,
  MailSettings,
  MailTemplate,
  MailTemplates,
  SendMail,
  SetMailServer,
  TestResult,
  TestTemplate,
  TextQuery,
  TypeParams,
  UpdateMailSettings,
  UpdateTemplate,
} from './schemas.ts';
import { presentMail, readMail, readMails, resendMail, sendLicense } from './service.ts';
import { changeMailSettings, readMailSettings, removeMailServer, setMailServer } from './settings-service.ts';
import {
  changeTemplate,
  previewTemplate,
  readTemplate,
  readTemplateList,
  resetTemplate,
  type TextId,
  testTemplate,
} from './template-service.ts';

const tags = ['Mails to holders'] as const;
const oneTemplate = { 200: Envelope(MailTemplate) } as const;

/** Routes that list the mails to license holders and send them again. */
export function holderMailRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listHolderMails',
      summary: 'List mails to license holders',
      tags,
      querystring: HolderMailsQuery,
      response: { 200: PageEnvelope(HolderMail) },
      async handler({ request, tenant }) {
        return successPage(request, await readMails(tenant, request.query));
      },
    }),
    creatingRoute(services, '', {
      operationId: 'sendHolderMail',
      summary: 'Send a license to its holder',
      tags,
      errors: ['LICENSE.NOT_FOUND', 'LICENSE.HOLDER_EMAIL_MISSING'],
      body: SendMail,
      response: { 201: Envelope(HolderMail) },
      create: ({ request, tenant, actor }) => sendLicense(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: presentMail(row) }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getHolderMail',
      summary: 'Read a mail to a license holder',
      tags,
      description: 'The text of a mail is not stored.',
      params: IdParams,
      response: { 200: Envelope(HolderMail) },
      async handler({ request, tenant }) {
        return success(request, await readMail(tenant.db, request.params.id));
      },
    }),
    creatingRoute(services, '/:id/resend', {
      operationId: 'resendHolderMail',
      summary: 'Send a mail again',
      tags,
      errors: ['LICENSE.NOT_FOUND', 'LICENSE.HOLDER_EMAIL_MISSING', 'MAIL.NOT_REPEATABLE'],
      description: 'Sends a new mail of the same type to the present address of the holder.',
      params: IdParams,
      response: { 201: Envelope(HolderMail) },
      create: ({ request, tenant, actor }) => resendMail(services, tenant, actor, request.params.id),
      answer: (row) => ({ status: 201, data: presentMail(row) }),
    }),
  ];
}

/** Routes of the switches, the days of reminders, and the tenant's own mail server. */
export function mailSettingsRoutes(services: Services): TenantRoute[] {
  const response = { 200: Envelope(MailSettings) } as const;
  return [
    tenantRoute('GET', '', {
      operationId: 'getHolderMailSettings',
      summary: 'Read the settings of mails to holders',
      tags,
      response,
      async handler({ request, tenant }) {
        return success(request, await readMailSettings(tenant));
      },
    }),
    tenantRoute('PUT', '', {
      operationId: 'updateHolderMailSettings',
      summary: 'Change the settings of mails to holders',
      tags,
      body: UpdateMailSettings,
      response,
      async handler({ request, tenant, actor }) {
        return success(request, await changeMailSettings(services, tenant, actor, request.body));
      },
    }),
    tenantRoute('PUT', '/server', {
      operationId: 'setHolderMailServer',
      summary: 'Use a mail server of your own',
      tags,
      errors: ['MAIL.NOT_ACCEPTED', 'MAIL.LIMIT_REACHED'],
      description:
        'The server is stored and used only if it accepts a test mail. Otherwise the response has its words.',
      body: SetMailServer,
      response,
      async handler({ request, tenant, actor }) {
        return success(request, await setMailServer(services, tenant, actor, request.body));
      },
    }),
    tenantRoute('DELETE', '/server', {
      operationId: 'removeHolderMailServer',
      summary: 'Use the mail server of the service again',
      tags,
      response,
      async handler({ request, tenant, actor }) {
        return success(request, await removeMailServer(services, tenant, actor));
      },
    }),
  ];
}

function textOf({ params, query }: { params: Static<typeof TypeParams>; query: Static<typeof TextQuery> }): TextId {
  return { type: params.type, language: query.language ?? 'en' };
}

/** Routes of the texts of mails to license holders. */
export function mailTemplateRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listHolderMailTemplates',
      summary: 'List the texts of mails to holders',
      tags,
      querystring: TextQuery,
      response: { 200: Envelope(MailTemplates) },
      async handler({ request, tenant }) {
        return success(request, await readTemplateList(tenant, request.query.language ?? 'en'));
      },
    }),
    tenantRoute('GET', '/:type', {
      operationId: 'getHolderMailTemplate',
      summary: 'Read the text of a mail to holders',
      tags,
      params: TypeParams,
      querystring: TextQuery,
      response: oneTemplate,
      async handler({ request, tenant }) {
        return success(request, await readTemplate(tenant, textOf(request)));
      },
    }),
    tenantRoute('PUT', '/:type', {
      operationId: 'updateHolderMailTemplate',
      summary: 'Change the text of a mail to holders',
      tags,
      description: 'Markdown with `{{variables}}`. Values are shown as they are, never as Markdown or HTML.',
      params: TypeParams,
      querystring: TextQuery,
      body: UpdateTemplate,
      response: oneTemplate,
      async handler({ request, tenant, actor }) {
        return success(request, await changeTemplate(services, tenant, actor, textOf(request), request.body));
      },
    }),
    tenantRoute('DELETE', '/:type', {
      operationId: 'resetHolderMailTemplate',
      summary: 'Return to the text of the service',
      tags,
      params: TypeParams,
      querystring: TextQuery,
      response: oneTemplate,
      async handler({ request, tenant, actor }) {
        return success(request, await resetTemplate(services, tenant, actor, textOf(request)));
      },
    }),
    ...trialRoutes(services),
  ];
}

/** Routes that try a text without storing it. */
function trialRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:type/preview', {
      readsOnly: true,
      operationId: 'previewHolderMailTemplate',
      summary: 'Preview a text with sample values',
      tags,
      params: TypeParams,
      querystring: TextQuery,
      body: UpdateTemplate,
      response: { 200: Envelope(MailPreview) },
      async handler({ request, tenant }) {
        return success(request, await previewTemplate(services, tenant, textOf(request), request.body));
      },
    }),
    tenantRoute('POST', '/:type/test', {
      readsOnly: true,
      operationId: 'testHolderMailTemplate',
      summary: 'Send a text as a test',
      tags,
      errors: ['MAIL.NOT_ACCEPTED', 'MAIL.LIMIT_REACHED'],
      params: TypeParams,
      querystring: TextQuery,
      body: TestTemplate,
      response: { 200: Envelope(TestResult) },
      async handler({ request, tenant }) {
        return success(request, await testTemplate(services, tenant, textOf(request), request.body));
      },
    }),
  ];
}
