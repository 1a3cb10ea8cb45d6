import { escapeHtml } from '../../../lib/escape-html.ts';
import { markSvg } from '../../../lib/mark.ts';
import { formatMoney } from '../../../lib/money.ts';

/** Formats an amount in minor units, such as `€10.00`. */
export function money(amount: number, currency: string): string {
  return formatMoney(amount, currency, 'narrowSymbol');
}

/** Returns an HTML page. `content` is HTML; `continueTo` is a URL that the browser opens next. */
export function pageOf(title: string, content: string, continueTo?: string): string {
  const refresh =
    continueTo === undefined ? '' : `<meta http-equiv="refresh" content="3; url=${escapeHtml(continueTo)}">`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">${refresh}
    <title>${escapeHtml(title)}</title>
    <link rel="stylesheet" href="/sandbox/page.css">
    <script type="module" src="/sandbox/page.js"></script>
  </head>
  <body>
    <header class="notice"><strong>Sandbox</strong> You are not charged. Use a test card such as 4242 4242 4242 4242, never a real card.</header>
    <p class="masthead">${markSvg}Licensing</p>
    <main>
      <noscript><p class="problem">This page needs JavaScript.</p></noscript>
      ${content}
    </main>
  </body>
</html>
`;
}

/** Returns a form that the script of the page sends to the path `action`. */
export function formOf(action: string, content: string, attributes = ''): string {
  return `<form method="post" data-action="${escapeHtml(action)}"${attributes} novalidate>
        ${content}
        <p class="outcome" role="status"></p>
      </form>`;
}

/** Returns the button that submits a form. */
export function submitButton(text: string, kind = 'main'): string {
  return `<button type="submit" class="${kind}">${escapeHtml(text)}</button>`;
}

/** Returns a link. */
export function linkTo(url: string, text: string, kind = ''): string {
  return `<a href="${escapeHtml(url)}"${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(text)}</a>`;
}

/** Returns a page that only says something and leads on. */
export function messagePage(title: string, text: string, link: string, continueTo?: string): string {
  return pageOf(title, `<h1>${title}</h1><p>${text}</p>${link}`, continueTo);
}
