import { countryCodes, countryName } from '../../../lib/countries.ts';
import { once } from '../../../lib/once.ts';
import { type FormState, fieldOf } from './html.ts';

const countries = once(() =>
  countryCodes
    .map((code) => [code, countryName(code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, 'en')),
);

/** Returns the fields of a card. */
export function cardFields(state: FormState): string {
  return `${fieldOf({ name: 'card_number', label: 'Card number', attributes: 'inputmode="numeric" autocomplete="off" maxlength="30" placeholder="4242 4242 4242 4242"' }, state)}
        <div class="pair">
          ${fieldOf({ name: 'expiry', label: 'Expiry', attributes: 'placeholder="MM / YY" autocomplete="off" maxlength="9"' }, state)}
          ${fieldOf({ name: 'cvc', label: 'CVC', attributes: 'inputmode="numeric" placeholder="CVC" autocomplete="off" maxlength="4"' }, state)}
        </div>`;
}

/** Returns the fields of the recipient of the invoices. */
export function detailsFields(state: FormState): string {
  const text = (name: string, label: string, maxLength: number, autocomplete: string) =>
    fieldOf({ name, label, attributes: `maxlength="${maxLength}" autocomplete="${autocomplete}"` }, state);
  return `${text('name', 'Company or full name', 200, 'organization')}
        ${fieldOf({ name: 'country', label: 'Country', attributes: 'autocomplete="country"', options: [['', 'Choose a country'], ...countries()] }, state)}
        ${text('line1', 'Address', 200, 'address-line1')}
        ${text('line2', 'Address, second line (optional)', 200, 'address-line2')}
        <div class="pair">
          ${text('postal_code', 'Postal code', 20, 'postal-code')}
          ${text('city', 'City', 100, 'address-level2')}
        </div>
        ${text('state', 'State or province (optional)', 100, 'address-level1')}
        ${text('tax_id', 'VAT ID (optional)', 50, 'off')}`;
}
