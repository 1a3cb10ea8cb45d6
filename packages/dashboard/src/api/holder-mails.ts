import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type HolderMail = components['schemas']['HolderMail'];
export type MailType = HolderMail['type'];
export type MailLanguage = components['schemas']['HolderMailTemplate']['language'];
export type MailSettings = components['schemas']['HolderMailSettings'];
export type MailTemplate = components['schemas']['HolderMailTemplate'];
export type TemplateText = components['schemas']['UpdateHolderMailTemplate'];
export type SetMailServer = components['schemas']['SetHolderMailServer'];

/** How often the state of mails is read while somebody looks at it. */
const liveMs = 5_000;

/** Query-key prefix of mails to license holders. */
export const mailsKey = (surface: Surface) => keyOf(surface, 'mails');

/** Query-key prefix of the texts of mails. */
export const templatesKey = (surface: Surface) => keyOf(surface, 'mail-templates');

/** Reads one page of mails to license holders. */
export const mailsQuery = onSurface.list('/api/v1/tenant/mails', ['mails', 'list'], { refetchInterval: liveMs });

/** Sends the mail with the key of a license to its holder. */
export const sendLicenseMail = onSurface.POST('/api/v1/tenant/mails');

/** Sends a mail again. */
export const resendMail = onSurface.POST('/api/v1/tenant/mails/{id}/resend');

/** Reads which mails holders get, and which server sends them. */
export const mailSettingsQuery = onSurface.one('/api/v1/tenant/mail-settings', ['mail-settings']);

/** Changes the settings that `body` contains. */
export const updateMailSettings = onSurface.PUT('/api/v1/tenant/mail-settings');

/** Uses a mail server of the tenant, if it accepts a test mail. */
export const setMailServer = onSurface.PUT('/api/v1/tenant/mail-settings/server');

/** Uses the mail server of the service again. */
export const removeMailServer = onSurface.DELETE('/api/v1/tenant/mail-settings/server');

/** Which text: its type and its language. */
export type TextId = Pick<MailTemplate, 'type' | 'language'>;

const paramsOf = ({ type, language }: TextId) => ({ path: { type }, query: { language } });

/** Reads the text of every type of mail in a language. */
export const templatesQuery = onSurface.one('/api/v1/tenant/mail-templates', ['mail-templates', 'list']);

/** Renders a text with sample values. */
export function previewQuery(surface: Surface, text: TextId, body: TemplateText) {
  return queryOptions({
    queryKey: [...templatesKey(surface), 'preview', text, body],
    queryFn: () =>
      dataOf(apiOf(surface).POST('/api/v1/tenant/mail-templates/{type}/preview', { params: paramsOf(text), body })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Changes the text of a type in a language. */
export function updateTemplate(surface: Surface, text: TextId, body: TemplateText) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/mail-templates/{type}', { params: paramsOf(text), body }));
}

/** Returns a type to the text of the service in a language. */
export function resetTemplate(surface: Surface, text: TextId) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/mail-templates/{type}', { params: paramsOf(text) }));
}

/** Sends a text with sample values to an address. */
export function testTemplate(surface: Surface, text: TextId, body: components['schemas']['TestHolderMailTemplate']) {
  const params = paramsOf(text);
  return dataOf(apiOf(surface).POST('/api/v1/tenant/mail-templates/{type}/test', { params, body }));
}
