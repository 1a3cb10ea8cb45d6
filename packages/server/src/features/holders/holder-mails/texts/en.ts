import { body, type Templates } from './shape.ts';

const greeting = 'Hello {{holder_name}},';
const help = 'Do you have a question? Write to {{support_email}}.';
const newKey = 'Do you have a question, or do you need a new key? Write to {{support_email}}.';
const portal = '[Manage your license]({{portal_url}})';
const downloads = 'Download the application [in the portal]({{downloads_url}}).';
const facts = `- License: {{policy_name}}
- Devices: {{devices}}
- Valid for: {{term}}
- Valid until: {{expires_on}}
- Updates included until: {{maintenance_until}}
- Order: {{order_number}}`;

/** The texts in English. */
export const en: Templates = {
  'license.issued': {
    subject: 'Your license for {{product_name}}',
    body: body(
      greeting,
      'Thank you for choosing {{product_name}}. This is your license key:',
      '`{{license_key}}`',
      'Enter the key in the application to activate it. Keep this email, because you need the key again for another device.',
      downloads,
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
      'Your license for {{product_name}} (key {{license_hint}}) ends on **{{expires_on}}**.',
      '[Renew your license]({{renewal_url}})',
      'See your license and your devices [in the portal]({{portal_url}}).',
      help,
    ),
  },
  'license.expired': {
    subject: 'Your license for {{product_name}} has ended',
    body: body(
      greeting,
      'Your license for {{product_name}} (key {{license_hint}}) ended on **{{expires_on}}**.',
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
      'If this was not you, release the device.',
      '[See your devices]({{portal_url}})',
      newKey,
    ),
  },
  'activation.limit_reached': {
    subject: 'All devices of your license for {{product_name}} are in use',
    body: body(
      greeting,
      'A device could not be activated, because your license for {{product_name}} (key {{license_hint}}) is in use on as many devices as it permits.',
      '- Device: {{device_name}}\n- System: {{device_platform}}\n- Devices that the license permits: {{devices}}',
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
      'A device no longer uses your license for {{product_name}} (key {{license_hint}}).',
      '- Device: {{device_name}}\n- Time: {{happened_at}}',
      'If this was not you, look at your devices.',
      '[See your devices]({{portal_url}})',
      newKey,
    ),
  },
};
