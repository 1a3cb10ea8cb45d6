import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type HolderMail = components['schemas']['HolderMail'];
export type MailType = HolderMail['type'];
export type MailSettings = components['schemas']['HolderMailSettings'];
export type MailTemplate = components['schemas']['HolderMailTemplate'];
export type TemplateText = components['schemas']['UpdateHolderMailTemplate'];
export type SetMailServer = components['schemas']['SetHolderMailServer'];
type MailFilters = NonNullable<operations['listHolderMails']['parameters']['query']>;

/** How often the state of mails is read while somebody looks at it. */
const liveMs = 5_000;

/** Query-key prefix of mails to license holders. */
export const mailsKey = (surface: Surface) => keyOf(surface, 'mails');

const settingsKey = (surface: Surface) => keyOf(surface, 'mail-settings');

/** Query-key prefix of the texts of mails. */
export const templatesKey = (surface: Surface) => keyOf(surface, 'mail-templates');

/** Reads one page of mails to license holders. */
export function mailsQuery(surface: Surface, filters: MailFilters) {
  return queryOptions({
    queryKey: [...mailsKey(surface), 'list', filters],
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/mails', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  });
}

/** Sends the mail with the key of a license to its holder. */
export function sendLicenseMail(surface: Surface, licenseId: string, idempotencyKey: string) {
  const params = { header: { 'Idempotency-Key': idempotencyKey } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/mails', { params, body: { license_id: licenseId } }));
}

/** Sends a mail again. */
export function resendMail(surface: Surface, id: string, idempotencyKey: string) {
  const params = { path: { id }, header: { 'Idempotency-Key': idempotencyKey } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/mails/{id}/resend', { params }));
}

/** Reads which mails holders get, and which server sends them. */
export function mailSettingsQuery(surface: Surface) {
  return queryOptions({
    queryKey: settingsKey(surface),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/mail-settings')),
  });
}

/** Changes the settings that `body` contains. */
export function updateMailSettings(surface: Surface, body: components['schemas']['UpdateHolderMailSettings']) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/mail-settings', { body }));
}

/** Uses a mail server of the tenant, if it accepts a test mail. */
export function setMailServer(surface: Surface, body: SetMailServer) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/mail-settings/server', { body }));
}

/** Uses the mail server of the service again. */
export function removeMailServer(surface: Surface) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/mail-settings/server'));
}

/** Reads the text of every type of mail. */
export function templatesQuery(surface: Surface) {
  return queryOptions({
    queryKey: [...templatesKey(surface), 'list'],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/mail-templates')),
  });
}

/** Renders a text with sample values. */
export function previewQuery(surface: Surface, type: MailType, body: TemplateText) {
  return queryOptions({
    queryKey: [...templatesKey(surface), 'preview', type, body],
    queryFn: () =>
      dataOf(apiOf(surface).POST('/api/v1/tenant/mail-templates/{type}/preview', { params: { path: { type } }, body })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Changes the text of a type. */
export function updateTemplate(surface: Surface, type: MailType, body: TemplateText) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/mail-templates/{type}', { params: { path: { type } }, body }));
}

/** Returns a type to the text of the service. */
export function resetTemplate(surface: Surface, type: MailType) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/mail-templates/{type}', { params: { path: { type } } }));
}

/** Sends a text with sample values to an address. */
export function testTemplate(surface: Surface, type: MailType, body: components['schemas']['TestHolderMailTemplate']) {
  const params = { path: { type } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/mail-templates/{type}/test', { params, body }));
}
