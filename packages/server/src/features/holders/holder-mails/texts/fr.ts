import { body, type Templates } from './shape.ts';

const greeting = 'Bonjour {{holder_name}},';
const help = 'Vous avez une question ? Écrivez à {{support_email}}.';
const newKey = 'Vous avez une question ou besoin d’une nouvelle clé ? Écrivez à {{support_email}}.';
const portal = '[Gérer votre licence]({{portal_url}})';
const see = 'Retrouvez votre licence et vos appareils [dans le portail]({{portal_url}}).';
const seeDevices = '[Voir vos appareils]({{portal_url}})';
const renew = '[Renouveler votre licence]({{renewal_url}})';
const downloads = 'Téléchargez le logiciel [dans le portail]({{downloads_url}}).';
const facts = `- Licence : {{policy_name}}
- Appareils : {{devices}}
- Durée : {{term}}
- Valable jusqu’au : {{expires_on}}
- Mises à jour incluses jusqu’au : {{maintenance_until}}
- Commande : {{order_number}}`;

/** The texts in French. */
export const fr: Templates = {
  'license.issued': {
    subject: 'Votre licence pour {{product_name}}',
    body: body(
      greeting,
      'Merci d’avoir choisi {{product_name}}. Voici votre clé de licence :',
      '`{{license_key}}`',
      'Saisissez la clé dans le logiciel pour l’activer. Conservez cet e-mail : vous aurez de nouveau besoin de la clé pour un autre appareil.',
      downloads,
      facts,
      portal,
      help,
    ),
  },
  'license.key_replaced': {
    subject: 'Votre nouvelle clé de licence pour {{product_name}}',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} a une nouvelle clé. L’ancienne clé ne fonctionne plus.',
      '`{{license_key}}`',
      'Saisissez la nouvelle clé dans le logiciel lorsqu’il la demande. Vos appareils restent activés.',
      portal,
      help,
    ),
  },
  'license.renewed': {
    subject: 'Votre licence pour {{product_name}} a été renouvelée',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} (clé {{license_hint}}) a été renouvelée. Vous n’avez rien à faire. Votre clé et vos appareils restent les mêmes.',
      '- Licence : {{policy_name}}\n- Valable jusqu’au : {{expires_on}}\n- Mises à jour incluses jusqu’au : {{maintenance_until}}',
      portal,
      help,
    ),
  },
  'license.expiring': {
    subject: 'Votre licence pour {{product_name}} se termine le {{expires_on}}',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} (clé {{license_hint}}) se termine le **{{expires_on}}**.',
      renew,
      see,
      help,
    ),
  },
  'license.expired': {
    subject: 'Votre licence pour {{product_name}} a expiré',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} (clé {{license_hint}}) s’est terminée le **{{expires_on}}**.',
      renew,
      see,
      help,
    ),
  },
  'license.suspended': {
    subject: 'Votre licence pour {{product_name}} est suspendue',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} (clé {{license_hint}}) est suspendue. Le logiciel ne l’accepte pas pour le moment.',
      'Écrivez à {{support_email}} pour en connaître la raison et savoir que faire.',
    ),
  },
  'license.reinstated': {
    subject: 'Votre licence pour {{product_name}} fonctionne de nouveau',
    body: body(
      greeting,
      'Votre licence pour {{product_name}} (clé {{license_hint}}) n’est plus suspendue. Vous pouvez de nouveau utiliser le logiciel avec la même clé.',
      portal,
      help,
    ),
  },
  'activation.created': {
    subject: 'Un appareil a été activé avec votre licence pour {{product_name}}',
    body: body(
      greeting,
      'Un appareil a été activé avec votre licence pour {{product_name}} (clé {{license_hint}}) :',
      '- Appareil : {{device_name}}\n- Système : {{device_platform}}\n- Date : {{happened_at}}',
      'Si ce n’était pas vous, libérez l’appareil.',
      seeDevices,
      newKey,
    ),
  },
  'activation.limit_reached': {
    subject: 'Tous les appareils de votre licence pour {{product_name}} sont utilisés',
    body: body(
      greeting,
      'Un appareil n’a pas pu être activé, car votre licence pour {{product_name}} (clé {{license_hint}}) est utilisée sur autant d’appareils qu’elle en permet.',
      '- Appareil : {{device_name}}\n- Système : {{device_platform}}\n- Appareils permis par la licence : {{devices}}',
      'Libérez un appareil que vous n’utilisez plus, puis réessayez.',
      '[Libérer un appareil]({{portal_url}})',
      help,
    ),
  },
  'trial.confirm': {
    subject: 'Confirmez votre essai de {{product_name}}',
    body: body(
      'Quelqu’un a commencé un essai de {{product_name}} avec cette adresse. Si c’était vous, saisissez ce code dans le logiciel :',
      '`{{code}}`',
      'Si ce n’était pas vous, ignorez cet e-mail. Rien ne se passe sans le code.',
    ),
  },
  'portal.login': {
    subject: 'Votre connexion chez {{tenant_name}}',
    body: body(
      'Quelqu’un souhaite accéder à vos licences avec cette adresse. Si c’est vous, ouvrez cette page :',
      '[Se connecter]({{link}})',
      'Ou saisissez ce code là où vous l’avez demandé :',
      '`{{code}}`',
      'Les deux fonctionnent une fois, pendant dix minutes. Si ce n’était pas vous, ignorez cet e-mail. Personne ne peut se connecter sans lui.',
    ),
  },
  'portal.device_released': {
    subject: 'Un appareil de votre licence pour {{product_name}} a été libéré',
    body: body(
      greeting,
      'Un appareil n’utilise plus votre licence pour {{product_name}} (clé {{license_hint}}).',
      '- Appareil : {{device_name}}\n- Date : {{happened_at}}',
      'Si ce n’était pas vous, regardez vos appareils.',
      seeDevices,
      newKey,
    ),
  },
};
