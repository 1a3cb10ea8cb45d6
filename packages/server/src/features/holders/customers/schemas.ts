import { type Static, Type } from 'typebox';
import {
  annotated,
  described,
  Email,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { Activation, deviceFields, exampleActivation } from '../../licensing/activations/schemas.ts';
import { LicenseCheck } from '../../licensing/device-history/schemas.ts';
import { holderFields } from '../../licensing/licenses/columns.ts';
import { LicenseDetails } from '../../licensing/licenses/details-schemas.ts';
import { exampleLicense, License } from '../../licensing/licenses/schemas.ts';
import { HolderMail } from '../holder-mails/schemas.ts';

/** At most this many mails are part of a customer. */
export const mailsShown = 25;
/** At most this many devices are part of a customer. */
export const devicesShown = 25;
/** At most this many licenses are part of a customer. */
export const licensesShown = 100;

const fields = {
  email: Type.String({
    description: 'The address, in the spelling of the newest license.',
    examples: ['ada@example.com'],
  }),
  name: Nullable(Type.String(), { description: 'The name in the newest license; null: it has none.' }),
  licenses_count: Type.Integer({ description: 'The licenses of the address that are not deleted.' }),
  active_licenses_count: Type.Integer({ description: 'Those of them that are active now.' }),
  active_activations_count: Type.Integer({ description: 'The devices that hold a seat of these licenses now.' }),
  last_validated_at: Nullable(TimestampOut, {
    description: 'The newest validation of any of these licenses, at most a second old; null: there was none.',
  }),
  last_mail_at: Nullable(TimestampOut, {
    description: 'When the newest mail to the address was queued; null: none is kept.',
  }),
};

const exampleCustomer = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  licenses_count: 2,
  active_licenses_count: 1,
  active_activations_count: 3,
  last_validated_at: '2026-11-21T08:15:30.000000Z',
  last_mail_at: '2026-11-20T17:42:01.000000Z',
};

/** Everything with one holder address, compared without case. */
export const Customer = Type.Object(fields, {
  title: 'Customer',
  description: 'The holder of one or several licenses: everything with one email address, compared without case.',
  examples: [exampleCustomer],
});
export type Customer = Static<typeof Customer>;

export const CustomerDetails = Type.Object(
  {
    ...fields,
    licenses: Type.Array(LicenseDetails, {
      description: `The newest ${licensesShown} licenses, with the names of product and policy.`,
    }),
    activations: Type.Array(Activation, {
      description: `The newest ${devicesShown} devices that hold a seat of these licenses.`,
    }),
    mails: Type.Array(HolderMail, { description: `The newest ${mailsShown} mails to the address.` }),
  },
  {
    title: 'CustomerDetails',
    description: 'A customer with its licenses.',
    examples: [
      {
        ...exampleCustomer,
        activations: [exampleActivation],
        mails: [],
        licenses: [{ ...exampleLicense, product_name: 'Editor', policy_name: 'Pro, one year', activations_limit: 3 }],
      },
    ],
  },
);
export type CustomerDetails = Static<typeof CustomerDetails>;

const exampleNote = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f722',
  text: 'Wants to move to the yearly plan in spring.',
  author_type: 'user',
  author_id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
  author_name: 'Ada Lovelace',
  created_at: '2026-11-21T08:15:30.000000Z',
};

/** What somebody of the vendor wrote about a customer. */
export const CustomerNote = Type.Object(
  {
    id: Uuid,
    text: Type.String({ description: 'The note.' }),
    author_type: Type.Union([Type.Literal('user'), Type.Literal('admin')], {
      title: 'NoteAuthorType',
      description: 'Whether a user of the tenant or an admin of the platform wrote it.',
    }),
    author_id: Type.String({ description: 'The id of the user, access token or admin.' }),
    author_name: Nullable(Type.String(), {
      description: "The author's present name; null if it was removed, and for admins on the tenant surface.",
    }),
    created_at: described(TimestampOut, 'When the note was written.'),
  },
  {
    title: 'CustomerNote',
    description: 'A note about a customer, for the people of the tenant.',
    examples: [exampleNote],
  },
);
export type CustomerNote = Static<typeof CustomerNote>;

export const CreateCustomerNote = strictObject(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '\\S',
      description: 'The note. The customer never sees it, but an export of their personal data contains it.',
    }),
  },
  { title: 'CreateCustomerNote', description: 'A new note about a customer.', examples: [{ text: exampleNote.text }] },
);
export type CreateCustomerNote = Static<typeof CreateCustomerNote>;

export const CustomerNotesQuery = PageQuery({});
export type CustomerNotesQuery = Static<typeof CustomerNotesQuery>;

export const UpdateCustomer = strictObject(
  {
    name: holderFields.name.input,
    email: Type.Optional(
      annotated(Email, {
        description: 'The new address. If other licenses have it, they become licenses of one customer.',
        examples: ['ada@example.org'],
      }),
    ),
  },
  {
    title: 'UpdateCustomer',
    description: 'The fields of the holder to change in all licenses of a customer. Null removes the name.',
    examples: [{ name: 'Ada King', email: 'ada@example.org' }],
  },
);
export type UpdateCustomer = Static<typeof UpdateCustomer>;

const exportedLicense = Type.Object(
  { ...Type.Omit(License, ['activations_count']).properties, deleted_at: Nullable(TimestampOut) },
  {
    title: 'ExportedLicense',
    description: 'A license of the person. A deleted license is kept as history, with the time of its deletion.',
  },
);

const exportedTrial = Type.Object(
  {
    product_id: Uuid,
    license_id: Uuid,
    fingerprint: Type.String({ description: 'The device that started the trial.' }),
    started_at: TimestampOut,
    converted_at: Nullable(TimestampOut),
  },
  { title: 'ExportedTrial', description: 'A trial without a key that the person started.' },
);

const CustomerPurchase = Type.Object(
  {
    connection_id: Uuid,
    external_id: Type.String({ description: "The shop's id of the subscription or of the order." }),
    kind: Nullable(Type.String(), { description: '`subscription` or `one_time`; null if the shop has not said it.' }),
    state: Nullable(Type.String(), { description: 'The state in the shop; null if the shop has not said it.' }),
    buyer: Type.Object(
      { reference: Nullable(Type.String()), name: Nullable(Type.String()), email: Nullable(Type.String()) },
      { title: 'CustomerPurchaseBuyer', description: 'The person, as the shop names it.' },
    ),
    items: Type.Array(
      Type.Object(
        { external_id: Type.String(), quantity: Type.Integer() },
        { title: 'CustomerPurchaseItem', description: 'What was bought.' },
      ),
      { description: "What was bought, by the shop's ids." },
    ),
    created_at: described(TimestampOut, 'When the shop reported it first.'),
  },
  { title: 'CustomerPurchase', description: 'A purchase of the person in a shop of the tenant.' },
);

const exportedCheck = Type.Object(
  { license_id: Uuid, ...LicenseCheck.properties },
  { title: 'ExportedLicenseCheck', description: 'What a device asked about a license of the person.' },
);

const exportedNote = Type.Object(Type.Pick(CustomerNote, ['text', 'created_at']).properties, {
  title: 'ExportedCustomerNote',
  description: 'A note about the person.',
});

const { activations_count: _uncounted, ...exampleExported } = exampleLicense;

const ExportedActivation = Type.Object(
  { ...Activation.properties, components: deviceFields.components },
  { title: 'ExportedActivation', description: 'A device with its components.', examples: [exampleActivation] },
);

/** Everything that is stored about a person who holds licenses. */
export const CustomerExport = Type.Object(
  {
    email: Type.String({ description: 'The address of the request.' }),
    exported_at: described(TimestampOut, 'When the data was read.'),
    licenses: Type.Array(exportedLicense, { description: 'Every license of the address, deleted ones included.' }),
    mails: Type.Array(HolderMail, { description: 'The mails to the address that are still kept, without their text.' }),
    trials: Type.Array(exportedTrial, { description: 'The trials without a key that these licenses began with.' }),
    activations: Type.Array(ExportedActivation, {
      description: 'Every device of these licenses, released ones included.',
    }),
    checks: Type.Array(exportedCheck, { description: 'What these devices asked recently, and what they were told.' }),
    notes: Type.Array(exportedNote, { description: 'The notes about the person.' }),
    purchases: Type.Array(CustomerPurchase, { description: 'What the person bought in the connected shops.' }),
  },
  {
    title: 'CustomerExport',
    description: 'The personal data of a customer.',
    examples: [
      {
        email: 'ada@example.com',
        exported_at: '2026-11-21T08:15:30.000000Z',
        licenses: [{ ...exampleExported, deleted_at: null }],
        mails: [],
        trials: [],
        activations: [exampleActivation],
        checks: [],
        notes: [],
        purchases: [],
      },
    ],
  },
);
export type CustomerExport = Static<typeof CustomerExport>;

/** The address in the path. It has no pattern: a malformed address is an unknown customer. */
export const EmailParams = Type.Object({
  email: Type.String({ description: "The customer's email address, in any case, encoded for a URL." }),
});

export const NoteParams = Type.Object({
  ...EmailParams.properties,
  note_id: described(Uuid, 'The id of the note.'),
});
export type NoteParams = Static<typeof NoteParams>;

export const CustomersQuery = strictObject({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Maximum number of rows per page.' }),
  ),
  // An address has up to 254 characters, which are longer in a cursor.
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 3200,
      description: 'The `meta.next_cursor` of the previous page.',
    }),
  ),
  q: Type.Optional(
    SearchText(
      "Words. Each must be a prefix of a word of the holder's name, email address or reference, or of the key of a " +
        'license. Case and accents are ignored.',
    ),
  ),
});
export type CustomersQuery = Static<typeof CustomersQuery>;
