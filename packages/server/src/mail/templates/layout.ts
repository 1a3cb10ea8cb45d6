import type { Mail } from '../transport.ts';

interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly action: { readonly label: string; readonly url: string };
  /** What to do when the mail was not expected. */
  readonly note: string;
}

const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes text safe between tags and inside quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEntities[character] ?? character);
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** A letter with one button, as text and as HTML with inline styles only (mail programs drop style sheets). */
export function writeLetter({ subject, paragraphs, action, note }: Letter): Omit<Mail, 'to'> {
  return {
    subject,
    text: [...paragraphs, `${action.label}: ${action.url}`, note, ''].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
      `<body style="margin:0;padding:32px 16px;background:#f4f5f7;${font};color:#1f2933">`,
      '<div style="max-width:520px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">',
      `<h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${escapeHtml(subject)}</h1>`,
      ...paragraphs.map((text) => `<p style="margin:0 0 16px;font-size:15px;line-height:24px">${escapeHtml(text)}</p>`),
      `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;` +
        `border-radius:8px;background:#1d4ed8;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`,
      `<p style="margin:0 0 8px;font-size:13px;line-height:20px;color:#52606d">If the button does not work, open this address:<br>` +
        `<span style="word-break:break-all">${escapeHtml(action.url)}</span></p>`,
      `<p style="margin:0;font-size:13px;line-height:20px;color:#52606d">${escapeHtml(note)}</p>`,
      '</div></body></html>',
      '',
    ].join('\n'),
  };
}
