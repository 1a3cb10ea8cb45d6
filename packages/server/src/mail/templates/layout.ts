import { escapeHtml } from '../../lib/escape-html.ts';
import type { Mail } from '../transport.ts';

interface Link {
  readonly label: string;
  readonly url: string;
}

/** A row of a table in a letter, such as a sum of an invoice. */
export interface LetterRow {
  readonly name: string;
  readonly value: string;
  /** True for a row that stands out. */
  readonly isTotal: boolean;
}

interface Letter extends Omit<Mail, 'text' | 'html'> {
  readonly paragraphs: readonly string[];
  /** A table below the paragraphs. */
  readonly rows?: readonly LetterRow[];
  readonly action: Link;
  /** A second action, as a plain link below the button. */
  readonly alternative?: Link;
  /** Why the recipient receives the mail, or what to do if they did not expect it. */
  readonly note: string;
}

/** The rules for the dark scheme and for phones. Mail programs that drop them show the light scheme. */
export const schemeStyles =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media (prefers-color-scheme:dark){' +
  '.page{background:#101418!important}.card{background:#1b2128!important;color:#e6e9ec!important}' +
  '.soft{color:#a3adb8!important}.box{background:#101418!important;border-color:#3a444f!important}.row{border-color:#3a444f!important}' +
  '.link{color:#8fb4ff!important}.logo{background:#ffffff!important;padding:8px!important;border-radius:8px!important}}' +
  '@media (max-width:480px){.page{padding:0!important}.card{padding:24px 20px!important;border-radius:0!important}}';

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** The mark and the name of the product. Mail programs drop pictures in the text, so the mark is a box with a letter. */
const masthead =
  '<p style="margin:0 0 24px;font-size:15px;line-height:24px;font-weight:600">' +
  '<span style="display:inline-block;width:24px;margin-right:8px;border-radius:6px;background:#3346b0;color:#fff;' +
  'text-align:center" aria-hidden="true">L</span>Licensing</p>';

/**
 * Creates a mail with one button, as text and as HTML. The styles of the light scheme are inline, because some mail
 * programs drop style sheets.
 */
export function writeLetter({ paragraphs, rows, action, alternative, note, ...mail }: Letter): Mail {
  const { subject } = mail;
  const links = alternative === undefined ? [action] : [action, alternative];
  const table = rows === undefined ? [] : [rows.map(({ name, value }) => `${name}: ${value}`).join('\n')];
  return {
    ...mail,
    text: [...paragraphs, ...table, ...links.map(({ label, url }) => `${label}: ${url}`), note, ''].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title>` +
        `<style>${schemeStyles}</style></head>`,
      `<body class="page" style="margin:0;padding:32px 16px;background:#f4f5f7;${font};color:#1f2933">`,
      '<div class="card" style="max-width:520px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">',
      masthead,
      `<h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${escapeHtml(subject)}</h1>`,
      ...paragraphs.map((text) => `<p style="margin:0 0 16px;font-size:15px;line-height:24px">${escapeHtml(text)}</p>`),
      ...(rows === undefined ? [] : [tableOf(rows)]),
      `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;` +
        `border-radius:8px;background:#3346b0;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`,
      `<p class="soft" style="margin:0 0 8px;font-size:13px;line-height:20px;color:#52606d">If the button does not work, open this address:<br>` +
        `<span style="word-break:break-all">${escapeHtml(action.url)}</span></p>`,
      ...(alternative === undefined ? [] : [plainLink(alternative)]),
      `<p class="soft" style="margin:0;font-size:13px;line-height:20px;color:#52606d">${escapeHtml(note)}</p>`,
      '</div></body></html>',
      '',
    ].join('\n'),
  };
}

function tableOf(rows: readonly LetterRow[]): string {
  const cells = rows.map(({ name, value, isTotal }) => {
    const weight = isTotal ? ';font-weight:600' : '';
    const style = `padding:8px 0;border-top:1px solid #e4e7eb;font-size:14px;line-height:20px;vertical-align:top${weight}`;
    return (
      `<tr><td class="row" style="${style}">${escapeHtml(name)}</td>` +
      `<td class="row" style="${style};padding-left:16px;text-align:right;white-space:nowrap">${escapeHtml(value)}</td></tr>`
    );
  });
  return `<table role="presentation" style="width:100%;margin:0 0 16px;border-collapse:collapse">${cells.join('')}</table>`;
}

function plainLink({ label, url }: Link): string {
  return (
    `<p class="soft" style="margin:0 0 8px;font-size:13px;line-height:20px;color:#52606d">${escapeHtml(label)}:<br>` +
    `<a class="link" href="${escapeHtml(url)}" style="word-break:break-all;color:#3346b0">${escapeHtml(url)}</a></p>`
  );
}

/** Returns the link to the start page of the dashboard. */
export function openService({ publicUrl }: { readonly publicUrl: string }): Link {
  return { label: 'Open dashboard', url: publicUrl };
}

/** How long the links of account mails work. `mail-link-service.ts` enforces it. */
export const linkMinutes = 60;
