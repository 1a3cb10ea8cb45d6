import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mail-queue/holder-mail.ts';

/** How a variable is shown: a `url` becomes a link, a `secret` is not permitted in the subject, which is stored. */
type VariableKind = 'text' | 'url' | 'secret';

/** A variable of a template: `{{name}}`. */
export interface Variable {
  readonly name: string;
  readonly kind: VariableKind;
  /** True if a customer or an application chose the value, so that it may be an advertisement or a trap. */
  readonly isForeign?: true;
  /** A sentence for the person who edits the template. */
  readonly description: string;
  /** The value in a preview. */
  readonly sample: string;
}

/** The values of one mail. A variable without a value is absent. */
export type VariableValues = Readonly<Record<string, string>>;

const text = (name: string, description: string, sample: string): Variable => ({
  name,
  kind: 'text',
  description,
  sample,
});

const foreign = (name: string, description: string, sample: string): Variable => ({
  ...text(name, description, sample),
  isForeign: true,
});

const ofTenant: readonly Variable[] = [
  text('tenant_name', 'Your name, as mails and the portal show it.', 'Acme'),
  text('support_email', 'The support address of your settings.', 'support@example.com'),
  {
    name: 'portal_url',
    kind: 'url',
    description: 'The address of your portal, while it is switched on.',
    sample: 'https://licenses.example.com/portal/acme',
  },
];

const holderName = foreign('holder_name', "The customer's name.", 'Ada Lovelace');
const ofLicense: readonly Variable[] = [
  text('product_name', 'The name of the product.', 'Acme Editor'),
  text('policy_name', 'The name of the policy.', 'Professional'),
  text('license_hint', 'The end of the license key, by which the customer recognises it.', '…\u2060NPQR'),
  text('expires_on', 'The day on which the license ends, in words.', '27 November 2027'),
  text('term', 'How long the license lasts, if it starts with its first use.', '1 year from first activation'),
  text('expires_on_iso', 'The day on which the license ends, in digits.', '2027-11-27'),
  text('maintenance_until', 'The day until which updates are included, in words.', '27 November 2027'),
  text('devices', 'How many devices may use the license, in words.', '2 devices, and 1 more is tolerated'),
  text('seats', 'How many devices may use the license, as a number.', '2'),
  foreign('order_number', 'The number of the order.', 'A-1042'),
  {
    name: 'renewal_url',
    kind: 'url',
    description: 'The page of the product on which the customer renews the license.',
    sample: 'https://example.com/renew?license=019a9b2f',
  },
  {
    name: 'downloads_url',
    kind: 'url',
    description: 'Where the customer downloads the product in your portal, if a release is published.',
    sample: 'https://licenses.example.com/portal/acme/licenses/019a9b2f#downloads',
  },
];

const key: Variable = {
  name: 'license_key',
  kind: 'secret',
  description: 'The license key.',
  sample: 'ACME-7K2QX-M4T9V-B8NHR-3CJWE-MNPQR',
};
const daysLeft = text('days_left', 'The number of days until the license ends.', '7');
const deviceName = foreign('device_name', 'The name of the device, if the application reported one.', "Ada's laptop");
const devicePlatform = foreign('device_platform', 'The operating system of the device, if known.', 'macOS 26');
const happenedAt = text('happened_at', 'When it happened, in your time zone.', '27 November 2026, 17:42');
const code: Variable = { name: 'code', kind: 'secret', description: 'The code to enter.', sample: '481205' };
const link: Variable = {
  name: 'link',
  kind: 'url',
  description: 'The link that logs the customer in.',
  sample: 'https://licenses.example.com/portal/acme#login',
};

const own: Readonly<Record<HolderMailType, readonly Variable[]>> = {
  'license.issued': [key],
  'license.key_replaced': [key],
  'license.renewed': [],
  'license.expiring': [daysLeft],
  'license.expired': [],
  'license.suspended': [],
  'license.reinstated': [],
  'activation.created': [deviceName, devicePlatform, happenedAt],
  'activation.limit_reached': [deviceName, devicePlatform, happenedAt],
  'trial.confirm': [code],
  'portal.login': [link, code],
  'portal.device_released': [deviceName, happenedAt],
};

/** Returns the variables of a type of mail. */
export function variablesOf(type: HolderMailType): readonly Variable[] {
  if (type === 'portal.login') return [...ofTenant, ...own[type]];
  // Anybody can ask for a trial with the address of somebody else, who must not read what the caller wrote.
  const ofCustomer = type === 'trial.confirm' ? [] : [holderName];
  return [...ofTenant, ...ofCustomer, ...ofLicense, ...own[type]];
}

/** Returns true if the text of a variable must not be stored with the sent mail. */
export function isSecret(type: HolderMailType, { name, kind }: Variable): boolean {
  return kind === 'secret' || (name === 'link' && holderMailKind(type).hasSecrets === true);
}
