import { countryCodes, countryName } from '../../../lib/countries.ts';
import { markSvg } from '../../../lib/mark.ts';
import { once } from '../../../lib/memoize.ts';
import { formatMoney } from '../../../lib/money.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Formats an amount in minor units, such as `€10.00`. */
export function money(amount: number, currency: string): string {
  return formatMoney(amount, currency, 'narrowSymbol');
}

const dayFormat = once(() => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }));

/** Formats the day of a timestamp, such as `December 20, 2026`. */
export function dayOf(timestamp: string): string {
  return dayFormat().format(new Date(timestamp));
}

interface Page {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  /** A URL that the browser opens next. */
  readonly continueTo?: string;
}

/** Returns an HTML page. */
export function pageOf({ title, content, continueTo }: Page): string {
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

/** Values by field name. */
export type FormValues = Readonly<Record<string, string | undefined>>;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  /** Further attributes, as HTML. */
  readonly attributes?: string;
  /** The options of a choice: values with their texts. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

/** Returns a labelled field, at which the script of the page shows a problem. */
export function fieldOf({ name, label, value = '', attributes = '', options }: Field): string {
  const common = `id="${name}" name="${name}" aria-describedby="${name}-problem" ${attributes}`;
  const choices = (options ?? []).map(([code, text]) => {
    return `<option value="${code}"${code === value ? ' selected' : ''}>${escapeHtml(text)}</option>`;
  });
  const control =
    options === undefined
      ? `<input ${common} value="${escapeHtml(value)}">`
      : `<select ${common}>${choices.join('')}</select>`;
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label>${control}<p class="problem" id="${name}-problem"></p></div>`;
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

const countries = once(() =>
  countryCodes
    .map((code) => [code, countryName(code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, 'en')),
);

/** Returns the fields of a card. */
export function cardFields(): string {
  return `${fieldOf({ name: 'card_number', label: 'Card number', attributes: 'inputmode="numeric" autocomplete="off" maxlength="30" placeholder="4242 4242 4242 4242"' })}
        ${fieldOf({ name: 'expiry', label: 'Expiry', attributes: 'placeholder="MM / YY" autocomplete="off" maxlength="9"' })}
        ${fieldOf({ name: 'cvc', label: 'CVC', attributes: 'inputmode="numeric" placeholder="CVC" autocomplete="off" maxlength="4"' })}`;
}

/** Returns the fields of the recipient of the invoices. */
export function detailsFields(values: FormValues = {}): string {
  const text = (name: string, label: string, maxLength: number, autocomplete: string) =>
    fieldOf({
      name,
      label,
      value: values[name],
      attributes: `maxlength="${maxLength}" autocomplete="${autocomplete}"`,
    });
  return `${text('name', 'Company or full name', 200, 'organization')}
        ${fieldOf({ name: 'country', label: 'Country', value: values['country'], attributes: 'autocomplete="country"', options: [['', 'Choose a country'], ...countries()] })}
        ${text('line1', 'Address', 200, 'address-line1')}
        ${text('line2', 'Address, second line (optional)', 200, 'address-line2')}
        ${text('postal_code', 'Postal code', 20, 'postal-code')}
        ${text('city', 'City', 100, 'address-level2')}
        ${text('state', 'State or province (optional)', 100, 'address-level1')}
        ${text('tax_id', 'VAT ID (optional)', 50, 'off')}`;
}
