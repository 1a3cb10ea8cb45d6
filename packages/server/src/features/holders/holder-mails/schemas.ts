import { type Static, Type } from 'typebox';
import {
  annotated,
  described,
  Email,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { holderMailStates, holderMailTypes } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { mailLanguages } from '../../tenant-core/holder-mail-queue/language.ts';
import { mailPorts } from './mail-server.ts';

const MailType = Type.Enum([...holderMailTypes], {
  title: 'HolderMailType',
  description: 'The type of the mail: the event that it reports.',
  examples: ['license.issued'],
});

const Language = Type.Enum([...mailLanguages], { title: 'HolderMailLanguage', description: 'A language of mails.' });

const MailState = Type.Enum([...holderMailStates], {
  title: 'HolderMailState',
  description: '`sent`: a mail server accepted it. `refused`: it was refused for good. `cancelled`: it became useless.',
});

const exampleMail = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71e',
  type: 'license.issued',
  recipient: 'ada@example.com',
  license_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a0',
  state: 'sent',
  reason: null,
  subject: 'Your license for Acme Editor',
  server: 'service',
  attempts: 1,
  next_attempt_at: null,
  resent_from: null,
  created_at: '2026-11-20T17:42:00.123456Z',
  ended_at: '2026-11-20T17:42:00.723456Z',
} as const;

export const HolderMail = Type.Object(
  {
    id: Uuid,
    type: MailType,
    recipient: Type.String({ description: 'The address that the mail is for.' }),
    license_id: Nullable(Uuid, { description: 'The license that the mail is about; null for a login.' }),
    state: MailState,
    reason: Nullable(Type.String(), {
      description: 'Why it was not sent; null after a success.',
    }),
    subject: Nullable(Type.String(), { description: 'The subject as it was sent; null before.' }),
    server: Nullable(Type.Union([Type.Literal('service'), Type.Literal('own')]), {
      description: 'The mail server of the last attempt; null before the first.',
    }),
    attempts: Type.Integer({ description: 'The number of attempts to send it.' }),
    next_attempt_at: Nullable(TimestampOut, { description: 'When the next attempt is due; null if none follows.' }),
    resent_from: Nullable(Uuid, { description: 'The mail that a person sent again with this one; null otherwise.' }),
    created_at: TimestampOut,
    ended_at: Nullable(TimestampOut, { description: 'When it ended; null while it waits.' }),
  },
  { title: 'HolderMail', description: 'A mail to the holder of a license.', examples: [exampleMail] },
);
export type HolderMail = Static<typeof HolderMail>;

export const HolderMailsQuery = PageQuery({
  type: Type.Optional(described(MailType, 'Return only mails of this type.')),
  state: Type.Optional(described(MailState, 'Return only mails in this state.')),
  license_id: Type.Optional(described(Uuid, 'Return only mails about this license.')),
  recipient: Type.Optional(described(Email, 'Return only mails to this address. Case is ignored.')),
});
export type HolderMailsQuery = Static<typeof HolderMailsQuery>;

export const SendMail = strictObject(
  { license_id: described(Uuid, 'The license whose key is sent to its holder.') },
  {
    title: 'SendHolderMail',
    description: 'Sends the license key to the holder, even if such mails are switched off.',
    examples: [{ license_id: exampleMail.license_id }],
  },
);
export type SendMail = Static<typeof SendMail>;

const ProductSwitch = Type.Object(
  {
    product_id: described(Uuid, 'The product with a decision of its own.'),
    is_on: Type.Boolean({ description: 'Whether mails about its licenses are sent.' }),
  },
  { title: 'HolderMailProductSwitch', description: 'The decision for one product.' },
);

const MailTypeSettings = Type.Object(
  {
    type: MailType,
    is_on: Type.Boolean({ description: 'Whether mails of this type are sent.' }),
    is_default: Type.Boolean({ description: 'True while the default decides.' }),
    products: Type.Array(ProductSwitch, { description: 'The products with a decision of their own.' }),
  },
  { title: 'HolderMailTypeSettings', description: 'Whether mails of a type are sent.' },
);

const serverText = {
  host: 'The host name of the server. It must lead to a public address.',
  port: `The port: ${mailPorts.join(', ')}.`,
  security:
    '`implicit`: TLS from the first byte, usual on port 465. `starttls`: TLS after a command. There is no plain text.',
  user: 'The user name; null for a server without a login.',
  from: 'The address of the sender. The name of the sender is yours.',
};
const Security = Type.Union([Type.Literal('implicit'), Type.Literal('starttls')], { description: serverText.security });
const exampleServer = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  user: 'licenses@example.com',
  from_address: 'licenses@example.com',
} as const;

const MailServer = Type.Object(
  {
    host: Type.String({ description: serverText.host }),
    port: Type.Integer({ description: serverText.port }),
    security: Security,
    user: Nullable(Type.String(), { description: serverText.user }),
    from_address: Type.String({ description: serverText.from }),
    proved_at: described(TimestampOut, 'When the server accepted the test mail.'),
  },
  { title: 'HolderMailServer', description: "A tenant's own mail server. Its password is not shown." },
);

export const MailSettings = Type.Object(
  {
    expiring_days: Type.Array(Type.Integer(), {
      description: 'How many days before its end holders are reminded of it.',
    }),
    default_language: described(Language, 'For holders whose language is unknown.'),
    types: Type.Array(MailTypeSettings, { description: 'The types that can be switched on and off.' }),
    server: Nullable(MailServer, { description: 'Your own mail server; null: the mail server of the service sends.' }),
  },
  {
    title: 'HolderMailSettings',
    description: 'Which mails license holders get, and which server sends them.',
    examples: [
      {
        expiring_days: [30, 7, 1],
        default_language: 'en',
        types: [{ type: 'license.issued', is_on: true, is_default: true, products: [] }],
        server: { ...exampleServer, proved_at: '2026-11-20T17:42:00.123456Z' },
      },
    ],
  },
);
export type MailSettings = Static<typeof MailSettings>;

const MailSwitch = strictObject(
  {
    type: MailType,
    product_id: Type.Optional(
      Nullable(Uuid, { description: 'A product; null or absent: all products without a decision of their own.' }),
    ),
    is_on: Nullable(Type.Boolean(), {
      description: 'Whether mails are sent. Null restores the default, or for a product your general decision.',
    }),
  },
  { title: 'HolderMailSwitch', description: 'A decision about mails of one type.' },
);

export const UpdateMailSettings = strictObject(
  {
    expiring_days: Type.Optional(
      Nullable(Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), { maxItems: 10, uniqueItems: true }), {
        description: 'How many days before its end holders are reminded of it. `null` sets 30, 7 and 1.',
      }),
    ),
    default_language: Type.Optional(described(Language, 'For holders whose language is unknown.')),
    switches: Type.Optional(
      Type.Array(MailSwitch, { maxItems: 500, description: 'The decisions to change. The others stay.' }),
    ),
  },
  {
    title: 'UpdateHolderMailSettings',
    description: 'The settings to change. A field that is left out keeps its value.',
    examples: [{ expiring_days: [14, 3], switches: [{ type: 'license.expired', is_on: true }] }],
  },
);
export type UpdateMailSettings = Static<typeof UpdateMailSettings>;

export const SetMailServer = strictObject(
  {
    host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:-]+$', description: serverText.host }),
    port: Type.Union(
      mailPorts.map((port) => Type.Literal(port)),
      { description: serverText.port },
    ),
    security: Security,
    user: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 254 }), { description: serverText.user })),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The password. It may be absent while host, port and user stay.',
      }),
    ),
    from_address: described(Email, serverText.from),
    test_recipient: described(Email, 'The address of the test mail.'),
  },
  {
    title: 'SetHolderMailServer',
    description: 'A mail server of your own, and the address of the mail that proves it.',
    examples: [{ ...exampleServer, password: 'correct horse battery staple', test_recipient: 'ada@example.com' }],
  },
);
export type SetMailServer = Static<typeof SetMailServer>;

const text = {
  subject: 'The subject, with variables.',
  body: 'The text in Markdown, with variables. HTML is shown as text, and images are not permitted.',
};

const TemplateVariable = Type.Object(
  {
    name: Type.String({ description: 'Write it as `{{name}}`.' }),
    description: Type.String({ description: 'What it stands for.' }),
    sample: Type.String({ description: 'The value in a preview.' }),
  },
  { title: 'HolderMailVariable', description: 'A variable of a template.' },
);

const exampleTemplate = {
  subject: 'Your license for {{product_name}}',
  body: 'Hello {{holder_name}},\n\nthis is your key:\n\n`{{license_key}}`',
};

export const MailTemplate = Type.Object(
  {
    type: MailType,
    language: Language,
    subject: Type.String({ description: text.subject }),
    body: Type.String({ description: text.body }),
    is_default: Type.Boolean({ description: 'True while the text is the one of the service.' }),
    updated_at: Nullable(TimestampOut, { description: 'When it was changed; null for the text of the service.' }),
    variables: Type.Array(TemplateVariable, {
      description: 'The variables of this type. A paragraph with a variable that has no value is left out.',
    }),
  },
  {
    title: 'HolderMailTemplate',
    description: 'The text of one type of mail.',
    examples: [
      {
        type: 'license.issued',
        language: 'en',
        ...exampleTemplate,
        is_default: false,
        updated_at: '2026-11-20T17:42:00.123456Z',
        variables: [{ name: 'license_key', description: 'The license key.', sample: 'ACME-7K2QX-M4T9V' }],
      },
    ],
  },
);
export type MailTemplate = Static<typeof MailTemplate>;

export const MailTemplates = Type.Array(MailTemplate, { description: 'The text of every type.' });

const templateFields = {
  subject: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\r\\n]*$', description: text.subject }),
  body: Type.String({ minLength: 1, maxLength: 20_000, description: text.body }),
};

export const UpdateTemplate = strictObject(templateFields, {
  title: 'UpdateHolderMailTemplate',
  description: 'A new text of a type of mail.',
  examples: [exampleTemplate],
});
export type UpdateTemplate = Static<typeof UpdateTemplate>;

export const TestTemplate = strictObject(
  { ...templateFields, to: described(Email, 'The address that the test mail goes to.') },
  {
    title: 'TestHolderMailTemplate',
    description: 'A text to send as a test, with sample values. It is not stored.',
    examples: [{ ...exampleTemplate, to: 'ada@example.com' }],
  },
);
export type TestTemplate = Static<typeof TestTemplate>;

export const MailPreview = Type.Object(
  {
    subject: Type.String({ description: 'The subject with sample values.' }),
    html: Type.String({ description: 'The HTML part as a page. Show it in a sandboxed frame.' }),
    text: Type.String({ description: 'The plain text part.' }),
  },
  {
    title: 'HolderMailPreview',
    description: 'A text with sample values, as it would be sent.',
    examples: [{ subject: 'Your license for Acme Editor', html: '<!doctype html>…', text: 'Hello Ada Lovelace,' }],
  },
);

export const TestResult = Type.Object(
  { to: Type.String({ description: 'The address that the test mail was sent to.' }) },
  {
    title: 'HolderMailTest',
    description: 'A test mail that a server accepted.',
    examples: [{ to: 'ada@example.com' }],
  },
);

/** The type in a path. Any other value is a 404, like an id that does not exist. */
export const TypeParams = Type.Object({ type: MailType });

export const TextQuery = Type.Object(
  { language: Type.Optional(annotated(Language, { default: 'en', description: 'The language of the text.' })) },
  { additionalProperties: false },
);
