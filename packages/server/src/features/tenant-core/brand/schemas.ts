import { type Static, Type } from 'typebox';
import { described, Nullable, PublicName, strictObject } from '../../../http/schema.ts';
import { logoMaxBytes } from './logo.ts';

const text = {
  display_name: 'The name that holders of licenses see in mails and in the portal; null: the name of the tenant.',
  logo: 'The logo as a `data:` URL with a PNG or WebP image of at most 64 KiB and 2048 × 2048 pixels; null: none.',
  accent_color:
    'The color of buttons and links, `#rrggbb`. White text on it must be readable: a contrast of 4.5 to 1. Null: the default.',
  support_url: 'The page on which holders get help; null: none.',
};

/** The address of a web page, for people to open. */
const WebAddress = Type.Refine(
  Type.String({ maxLength: 500 }),
  isWebAddress,
  () => 'Enter a complete address such as https://example.com/help.',
);

/** Returns true for the address of a web page without a login in it. */
function isWebAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

export const Brand = Type.Object(
  {
    display_name: Nullable(Type.String(), { description: text.display_name }),
    logo: Nullable(Type.String(), { description: text.logo }),
    accent_color: Nullable(Type.String(), { description: text.accent_color }),
    support_url: Nullable(Type.String(), { description: text.support_url }),
  },
  {
    title: 'Brand',
    description: 'How the tenant presents itself to the holders of its licenses, in mails and in the portal.',
    examples: [
      {
        display_name: 'Acme Software',
        logo: null,
        accent_color: '#2f6fd0',
        support_url: 'https://example.com/help',
      },
    ],
  },
);
export type Brand = Static<typeof Brand>;

/** The longest `data:` URL of an image that is not too large. */
const logoMaxLength = 40 + Math.ceil(logoMaxBytes / 3) * 4;

export const UpdateBrand = strictObject(
  {
    display_name: Type.Optional(Nullable(described(PublicName, text.display_name), { description: text.display_name })),
    // Longer than the largest logo, so that a larger one gets a message that says by how much.
    logo: Type.Optional(Nullable(Type.String({ maxLength: 10 * logoMaxLength }), { description: text.logo })),
    accent_color: Type.Optional(
      Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), {
        description: text.accent_color,
        examples: ['#2f6fd0'],
      }),
    ),
    support_url: Type.Optional(
      Nullable(WebAddress, { description: text.support_url, examples: ['https://example.com/help'] }),
    ),
  },
  {
    title: 'UpdateBrand',
    description: 'The parts of the brand to change. A part that is left out keeps its value; null removes it.',
    examples: [{ display_name: 'Acme Software', accent_color: '#2f6fd0' }],
  },
);
export type UpdateBrand = Static<typeof UpdateBrand>;
