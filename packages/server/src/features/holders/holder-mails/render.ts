import { isSafeTarget } from '../../../mail/safe-markdown.ts';
import { withoutLinks } from '../../../mail/templates/names.ts';
import type { AttachedFile } from '../../../mail/transport.ts';
import type { HolderMailType } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { defaultTemplates } from './default-templates.ts';
import { buttonStyleOf, frameHtml, frameText, logoAddress, type MailBrand } from './frame.ts';
import { fillLine, oneLine, renderBody } from './markdown.ts';
import type { Template } from './texts/shape.ts';
import { type VariableValues, variablesOf } from './variables.ts';

/** A mail with its values, ready to be sent. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The logo, if the HTML shows one. */
  readonly attachments: readonly AttachedFile[];
}

/** Mail programs and servers cut longer lines. */
const subjectMax = 250;

/** Renders a template of a language. The HTML and the plain text come from the same Markdown. */
export function renderMail(
  type: HolderMailType,
  language: MailLanguage,
  template: Template,
  values: VariableValues,
  brand: MailBrand,
): RenderedMail {
  const variables = new Map(variablesOf(type).map((variable) => [variable.name, variable]));
  const isUrl = (name: string) => variables.get(name)?.kind === 'url';
  const usable = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === '' || (isUrl(name) && !isSafeTarget(value))) return [];
      return [[name, variables.get(name)?.isForeign ? withoutLinks(oneLine(value)) : value]];
    }),
  );
  const subject = fillLine(template.subject, usable).slice(0, subjectMax);
  const body = renderBody(template.body, usable, { isUrl, buttonStyle: buttonStyleOf(brand) });
  // The language of a text that the tenant wrote is not certain.
  const isOurs = template.body === defaultTemplates[language][type].body;
  return {
    subject,
    html: frameHtml({ subject, ...body, language: isOurs ? language : null }, brand),
    text: frameText(body.text, brand),
    attachments: brand.logo === null ? [] : [logoFile(brand.logo)],
  };
}

function logoFile({ content, contentType }: NonNullable<MailBrand['logo']>): AttachedFile {
  return { filename: `logo.${contentType === 'image/webp' ? 'webp' : 'png'}`, contentType, content, cid: 'logo' };
}

/** Returns the HTML of a mail as a page that shows it without the mail around it. */
export function asPage({ html }: RenderedMail, { logo }: MailBrand): string {
  if (logo === null) return html;
  return html.replace(logoAddress, `data:${logo.contentType};base64,${logo.content.toString('base64')}`);
}
