import type { HolderMailType } from '../../tenant-core/holder-mails/holder-mail.ts';

/** The text of a mail: a subject with variables, and a body in Markdown with variables. */
export interface Template {
  readonly subject: string;
  readonly body: string;
}

const greeting = 'Hello {{holder_name}},';
const help = 'Do you have a question? Write to {{support_email}}.';
const portal = '[Manage your license]({{portal_url}})';
const facts = `- License: {{policy_name}}
- Devices: {{seats}}
- Valid until: {{expires_on}}
- Updates included until: {{maintenance_until}}
- Order: {{order_number}}`;

function body(...paragraphs: readonly string[]): string {
  return paragraphs.join('\n\n');
}

/**
 * The texts that tenants start with. A paragraph or a list item with a variable that has no value is left out, so a
 * text needs no conditions.
 */
export const defaultTemplates: Readonly<Record<HolderMailType, Template>> = {
  'license.issued': {
    subject: 'Your license for {{product_name}}',
    body: body(
      greeting,
      'Thank you for choosing {{product_name}}. This is your license key:',
      '`{{license_key}}`',
      'Enter the key in the application to activate it. Keep this email, because you need the key again for another device.',
      facts,
      portal,
      help,
    ),
  },
  'license.key_replaced': {
    subject: 'Your new license key for {{product_name}}',
    body: body(
      greeting,
      'Your license for {{product_name}} has a new key. The old key no longer works.',
      '`{{license_key}}`',
      'Enter the new key in the application when it asks for it. Your devices stay activated.',
      portal,
      help,
    ),
  },
  'license.renewed': {
    subject: 'Your license for {{product_name}} was renewed',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) was renewed. You do not need to do anything. Your key and your devices stay the same.',
      '- License: {{policy_name}}\n- Valid until: {{expires_on}}\n- Updates included until: {{maintenance_until}}',
      portal,
      help,
    ),
  },
  'license.expiring': {
    subject: 'Your license for {{product_name}} ends on {{expires_on}}',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) ends on **{{expires_on}}**. Renew it before that day to continue without an interruption.',
      '[Renew your license]({{renewal_url}})',
      'See your license and your devices [in the portal]({{portal_url}}).',
      help,
    ),
  },
  'license.expired': {
    subject: 'Your license for {{product_name}} has ended',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) ended on **{{expires_on}}**. Renew it to use the product again.',
      '[Renew your license]({{renewal_url}})',
      'See your license and your devices [in the portal]({{portal_url}}).',
      help,
    ),
  },
  'license.suspended': {
    subject: 'Your license for {{product_name}} is suspended',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) is suspended. The product does not accept it at the moment.',
      'Write to {{support_email}} to learn why and what to do.',
    ),
  },
  'license.reinstated': {
    subject: 'Your license for {{product_name}} works again',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) is no longer suspended. You can use the product again with the same key.',
      portal,
      help,
    ),
  },
  'activation.created': {
    subject: 'A device was activated with your license for {{product_name}}',
    body: body(
      greeting,
      'A device was activated with your license for {{product_name}} (key {{license_hint}}):',
      '- Device: {{device_name}}\n- System: {{device_platform}}\n- Time: {{happened_at}}',
      'If this was not you, release the device and ask us for a new key.',
      '[See your devices]({{portal_url}})',
      help,
    ),
  },
  'activation.limit_reached': {
    subject: 'All devices of your license for {{product_name}} are in use',
    body: body(
      greeting,
      'A device could not be activated, because your license for {{product_name}} (key {{license_hint}}) is in use on as many devices as it permits.',
      '- Device: {{device_name}}\n- System: {{device_platform}}\n- Devices that the license permits: {{seats}}',
      'Release a device that you no longer use, and then try again.',
      '[Release a device]({{portal_url}})',
      help,
    ),
  },
  'trial.confirm': {
    subject: 'Confirm your trial of {{product_name}}',
    body: body(
      'Somebody started a trial of {{product_name}} with this address. If it was you, enter this code in the application:',
      '`{{code}}`',
      'If it was not you, ignore this email. Nothing happens without the code.',
    ),
  },
  'portal.login': {
    subject: 'Your login at {{tenant_name}}',
    body: body(
      'Somebody wants to log in to your licenses with this address. If it is you, open this page:',
      '[Log in]({{link}})',
      'Or enter this code where you asked for it:',
      '`{{code}}`',
      'Both work once, for ten minutes. If it was not you, ignore this email. Nobody can log in without it.',
    ),
  },
  'portal.device_released': {
    subject: 'A device of your license for {{product_name}} was released',
    body: body(
      greeting,
      'A device no longer uses your license for {{product_name}} (key {{license_hint}}). Another device can now be activated.',
      '- Device: {{device_name}}\n- Time: {{happened_at}}',
      'If this was not you, see your devices and ask us for a new key.',
      '[See your devices]({{portal_url}})',
      help,
    ),
  },
};
