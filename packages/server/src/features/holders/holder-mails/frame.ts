import { escapeHtml } from '../../../lib/escape-html.ts';
import { schemeStyles } from '../../../mail/templates/layout.ts';

/** What a mail shows of the tenant. */
export interface MailBrand {
  readonly name: string;
  readonly supportEmail: string | null;
  /** A colour as `#rrggbb`; null: the service's. */
  readonly accentColor: string | null;
  readonly logo: { readonly content: Buffer; readonly contentType: string } | null;
}

/** The address of the logo within the mail. */
export const logoAddress = 'cid:logo';

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const standardColor = '#3346b0';

/** Returns the styles of a button in the tenant's colour, on which white text is readable (`assertReadable` of the brand). */
export function buttonStyleOf({ accentColor }: Pick<MailBrand, 'accentColor'>): string {
  const background = accentColor ?? standardColor;
  return (
    `display:inline-block;padding:12px 20px;border-radius:8px;background:${background};` +
    'color:#ffffff;text-decoration:none;font-weight:600;font-size:15px;line-height:20px'
  );
}

interface Content {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The language of one of the service's own texts; null for a text that the tenant wrote. */
  readonly language: string | null;
}

/** Puts the body of a mail between the tenant's logo or name and its support address. */
export function frameHtml({ subject, html, language }: Content, brand: MailBrand): string {
  const name = escapeHtml(brand.name);
  const title =
    brand.logo === null
      ? `<p style="margin:0 0 24px;font-size:17px;line-height:24px;font-weight:600">${name}</p>`
      : `<p style="margin:0 0 24px"><img class="logo" src="${logoAddress}" alt="${name}" height="40" style="height:40px;max-width:240px;width:auto;border:0"></p>`;
  return [
    '<!doctype html>',
    `<html${language === null ? '' : ` lang="${language}"`}><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title><style>${schemeStyles}</style></head>`,
    `<body style="margin:0;padding:0;${font}">`,
    `<div class="page" style="padding:32px 16px;background:#f1f3f5;${font}">`,
    '<div class="card" style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;color:#1f2933;border-radius:12px;' +
      `border-top:4px solid ${brand.accentColor ?? standardColor}">`,
    title,
    html.trimEnd(),
    `<p class="soft" style="margin:32px 0 0;font-size:13px;line-height:20px;color:#52606d">${footerHtml(brand)}</p>`,
    '</div></div></body></html>',
    '',
  ].join('\n');
}

function footerHtml({ name, supportEmail }: MailBrand): string {
  if (supportEmail === null) return escapeHtml(name);
  const address = escapeHtml(supportEmail);
  return `${escapeHtml(name)} · <a class="soft" href="mailto:${address}" style="color:#52606d;display:inline-block;max-width:100%;word-break:break-word">${address}</a>`;
}

/** Adds the tenant's name and support address below the plain text. */
export function frameText(text: string, { name, supportEmail }: MailBrand): string {
  return `${text}\n\n-- \n${name}${supportEmail === null ? '' : `\n${supportEmail}`}\n`;
}
