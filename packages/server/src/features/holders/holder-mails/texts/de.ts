import { body, type Templates } from './shape.ts';

const greeting = 'Guten Tag {{holder_name}}!';
const help = 'Haben Sie eine Frage? Schreiben Sie an {{support_email}}.';
const newKey = 'Haben Sie eine Frage, oder brauchen Sie einen neuen Schlüssel? Schreiben Sie an {{support_email}}.';
const portal = '[Lizenz verwalten]({{portal_url}})';
const see = 'Ihre Lizenz und Ihre Geräte sehen Sie [im Portal]({{portal_url}}).';
const seeDevices = '[Geräte ansehen]({{portal_url}})';
const renew = '[Lizenz verlängern]({{renewal_url}})';
const downloads = 'Die Software laden Sie [im Portal]({{downloads_url}}) herunter.';
const facts = `- Lizenz: {{policy_name}}
- Geräte: {{devices}}
- Laufzeit: {{term}}
- Gültig bis: {{expires_on}}
- Updates inbegriffen bis: {{maintenance_until}}
- Bestellung: {{order_number}}`;

/** The texts in German. */
export const de: Templates = {
  'license.issued': {
    subject: 'Ihre Lizenz für {{product_name}}',
    body: body(
      greeting,
      'Vielen Dank, dass Sie sich für {{product_name}} entschieden haben. Das ist Ihr Lizenzschlüssel:',
      '`{{license_key}}`',
      'Geben Sie den Schlüssel in der Software ein, um sie zu aktivieren. Bewahren Sie diese E-Mail auf, denn für ein weiteres Gerät brauchen Sie den Schlüssel wieder.',
      downloads,
      facts,
      portal,
      help,
    ),
  },
  'license.key_replaced': {
    subject: 'Ihr neuer Lizenzschlüssel für {{product_name}}',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} hat einen neuen Schlüssel. Der alte Schlüssel ist nicht mehr gültig.',
      '`{{license_key}}`',
      'Geben Sie den neuen Schlüssel in der Software ein, wenn sie danach fragt. Ihre Geräte bleiben aktiviert.',
      portal,
      help,
    ),
  },
  'license.renewed': {
    subject: 'Ihre Lizenz für {{product_name}} wurde verlängert',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) wurde verlängert. Sie müssen nichts tun. Ihr Schlüssel und Ihre Geräte bleiben dieselben.',
      '- Lizenz: {{policy_name}}\n- Gültig bis: {{expires_on}}\n- Updates inbegriffen bis: {{maintenance_until}}',
      portal,
      help,
    ),
  },
  'license.expiring': {
    subject: 'Ihre Lizenz für {{product_name}} endet am {{expires_on}}',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) endet am **{{expires_on}}**.',
      renew,
      see,
      help,
    ),
  },
  'license.expired': {
    subject: 'Ihre Lizenz für {{product_name}} ist abgelaufen',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) endete am **{{expires_on}}**.',
      renew,
      see,
      help,
    ),
  },
  'license.suspended': {
    subject: 'Ihre Lizenz für {{product_name}} ist gesperrt',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) ist gesperrt. Die Software nimmt sie zurzeit nicht an.',
      'Schreiben Sie an {{support_email}}, um den Grund zu erfahren und was Sie tun können.',
    ),
  },
  'license.reinstated': {
    subject: 'Ihre Lizenz für {{product_name}} ist wieder gültig',
    body: body(
      greeting,
      'Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) ist nicht mehr gesperrt. Sie können die Software mit demselben Schlüssel wieder benutzen.',
      portal,
      help,
    ),
  },
  'activation.created': {
    subject: 'Ein Gerät wurde mit Ihrer Lizenz für {{product_name}} aktiviert',
    body: body(
      greeting,
      'Ein Gerät wurde mit Ihrer Lizenz für {{product_name}} (Schlüssel {{license_hint}}) aktiviert:',
      '- Gerät: {{device_name}}\n- System: {{device_platform}}\n- Zeit: {{happened_at}}',
      'Wenn Sie das nicht waren, geben Sie das Gerät frei.',
      seeDevices,
      newKey,
    ),
  },
  'activation.limit_reached': {
    subject: 'Alle Geräte Ihrer Lizenz für {{product_name}} sind in Benutzung',
    body: body(
      greeting,
      'Ein Gerät konnte nicht aktiviert werden, denn Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) wird auf so vielen Geräten benutzt, wie sie erlaubt.',
      '- Gerät: {{device_name}}\n- System: {{device_platform}}\n- Geräte, die die Lizenz erlaubt: {{devices}}',
      'Geben Sie ein Gerät frei, das Sie nicht mehr benutzen, und versuchen Sie es dann erneut.',
      '[Gerät freigeben]({{portal_url}})',
      help,
    ),
  },
  'trial.confirm': {
    subject: 'Bestätigen Sie Ihre Testphase von {{product_name}}',
    body: body(
      'Jemand hat mit dieser Adresse eine Testphase von {{product_name}} begonnen. Wenn Sie das waren, geben Sie diesen Code in der Software ein:',
      '`{{code}}`',
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Code geschieht nichts.',
    ),
  },
  'portal.login': {
    subject: 'Ihre Anmeldung bei {{tenant_name}}',
    body: body(
      'Jemand möchte sich mit dieser Adresse bei Ihren Lizenzen anmelden. Wenn Sie das sind, öffnen Sie diese Seite:',
      '[Anmelden]({{link}})',
      'Oder geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:',
      '`{{code}}`',
      'Beide gelten einmal und zehn Minuten lang. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne sie kann sich niemand anmelden.',
    ),
  },
  'portal.device_released': {
    subject: 'Ein Gerät Ihrer Lizenz für {{product_name}} wurde freigegeben',
    body: body(
      greeting,
      'Ein Gerät benutzt Ihre Lizenz für {{product_name}} (Schlüssel {{license_hint}}) nicht mehr.',
      '- Gerät: {{device_name}}\n- Zeit: {{happened_at}}',
      'Wenn Sie das nicht waren, sehen Sie sich Ihre Geräte an.',
      seeDevices,
      newKey,
    ),
  },
};
