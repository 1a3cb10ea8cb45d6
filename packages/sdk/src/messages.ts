// Generated from packages/sdk/messages.json by packages/sdk/scripts/messages.ts. Do not edit.

const languages: readonly string[] = ['en', 'de', 'fr'];

/** The texts of each code in the order of the languages. */
const texts: Readonly<Record<string, readonly string[]>> = {
  '*': [
    'The license could not be checked. Try again later, or contact the vendor.',
    'Die Lizenz konnte nicht geprüft werden. Versuchen Sie es später erneut, oder fragen Sie den Hersteller.',
    'La licence n’a pas pu être vérifiée. Réessayez plus tard ou contactez l’éditeur.',
  ],
  'LICENSE.VALID': ['The license is valid.', 'Die Lizenz ist gültig.', 'La licence est valable.'],
  'LICENSE.IN_GRACE': [
    'The license has expired, and the software works for a short time only. Renew the license.',
    'Die Lizenz ist abgelaufen, und die Software funktioniert nur noch kurze Zeit. Verlängern Sie die Lizenz.',
    'La licence a expiré, et le logiciel ne fonctionne plus que peu de temps. Renouvelez la licence.',
  ],
  'LICENSE.EXPIRED': [
    'The license has expired. Renew it to continue to use the software.',
    'Die Lizenz ist abgelaufen. Verlängern Sie sie, um die Software weiter zu benutzen.',
    'La licence a expiré. Renouvelez-la pour continuer à utiliser le logiciel.',
  ],
  'LICENSE.KEY_MISSING': [
    'There is no license key. Enter your license key.',
    'Es gibt keinen Lizenzschlüssel. Geben Sie Ihren Lizenzschlüssel ein.',
    'Il n’y a pas de clé de licence. Saisissez votre clé de licence.',
  ],
  'LICENSE.NOT_FOUND': [
    'No license has this key. Check the license key.',
    'Keine Lizenz hat diesen Schlüssel. Prüfen Sie den Lizenzschlüssel.',
    'Aucune licence n’a cette clé. Vérifiez la clé de licence.',
  ],
  'LICENSE.REVOKED': [
    'The vendor has withdrawn this license. You can no longer use it.',
    'Der Hersteller hat diese Lizenz zurückgezogen. Sie kann nicht mehr benutzt werden.',
    'L’éditeur a retiré cette licence. Elle ne peut plus être utilisée.',
  ],
  'LICENSE.SUSPENDED': [
    'The vendor has suspended this license. Contact the vendor.',
    'Der Hersteller hat diese Lizenz gesperrt. Fragen Sie den Hersteller.',
    'L’éditeur a suspendu cette licence. Contactez l’éditeur.',
  ],
  'LICENSE.NOT_STARTED': [
    'The license is not valid yet. Wait until it starts.',
    'Die Lizenz ist noch nicht gültig. Warten Sie, bis sie beginnt.',
    'La licence n’est pas encore valable. Attendez qu’elle commence.',
  ],
  'LICENSE.PRODUCT_MISMATCH': [
    'The license is for another product. Enter a license key of this software.',
    'Die Lizenz gilt für ein anderes Produkt. Geben Sie einen Lizenzschlüssel dieser Software ein.',
    'La licence est celle d’un autre produit. Saisissez une clé de licence de ce logiciel.',
  ],
  'LICENSE.MAINTENANCE_EXPIRED': [
    'The license does not include this version. Renew the license, or use an earlier version.',
    'Die Lizenz enthält diese Version nicht. Verlängern Sie die Lizenz, oder benutzen Sie eine frühere Version.',
    'La licence ne comprend pas cette version. Renouvelez la licence ou utilisez une version antérieure.',
  ],
  'ACTIVATION.LIMIT_REACHED': [
    'All devices are in use. Release one to use the software on this device.',
    'Alle Geräte sind in Benutzung. Geben Sie eines frei, um die Software auf diesem Gerät zu benutzen.',
    'Tous les appareils sont utilisés. Libérez-en un pour utiliser le logiciel sur cet appareil.',
  ],
  'ACTIVATION.LIMIT_EXCEEDED': [
    'More devices are in use than the license allows. Release a device.',
    'Mehr Geräte sind in Benutzung, als die Lizenz erlaubt. Geben Sie ein Gerät frei.',
    'Plus d’appareils sont utilisés que la licence n’en permet. Libérez un appareil.',
  ],
  'ACTIVATION.*': [
    'The software is not activated on this device. Connect to the internet.',
    'Die Software ist auf diesem Gerät nicht aktiviert. Stellen Sie eine Internetverbindung her.',
    'Le logiciel n’est pas activé sur cet appareil. Connectez-vous à Internet.',
  ],
  'ENTITLEMENT.*': [
    'The license does not include everything that the software needs. Ask the vendor for another license.',
    'Die Lizenz enthält nicht alles, was die Software braucht. Fragen Sie den Hersteller nach einer anderen Lizenz.',
    'La licence ne comprend pas tout ce dont le logiciel a besoin. Demandez une autre licence à l’éditeur.',
  ],
  'NETWORK.*': [
    'The license service could not be reached. Check your internet connection.',
    'Der Lizenzdienst ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung.',
    'Le service de licences est injoignable. Vérifiez votre connexion Internet.',
  ],
  'RESPONSE.INVALID': [
    'The answer did not come from the license service. Use another network, or contact the vendor.',
    'Die Antwort kam nicht vom Lizenzdienst. Benutzen Sie ein anderes Netzwerk, oder fragen Sie den Hersteller.',
    'La réponse ne venait pas du service de licences. Utilisez un autre réseau ou contactez l’éditeur.',
  ],
  'PROOF.*': [
    'The answer did not come from the license service. Use another network, or contact the vendor.',
    'Die Antwort kam nicht vom Lizenzdienst. Benutzen Sie ein anderes Netzwerk, oder fragen Sie den Hersteller.',
    'La réponse ne venait pas du service de licences. Utilisez un autre réseau ou contactez l’éditeur.',
  ],
  'CERTIFICATE.EXPIRED': [
    'The license could not be checked for too long. Connect to the internet.',
    'Die Lizenz konnte zu lange nicht geprüft werden. Stellen Sie eine Internetverbindung her.',
    'La licence n’a pas pu être vérifiée depuis trop longtemps. Connectez-vous à Internet.',
  ],
  'CERTIFICATE.*': [
    'The license that is stored on this device cannot be used. Connect to the internet.',
    'Die auf diesem Gerät gespeicherte Lizenz kann nicht benutzt werden. Stellen Sie eine Internetverbindung her.',
    'La licence enregistrée sur cet appareil ne peut pas être utilisée. Connectez-vous à Internet.',
  ],
  'CLOCK.SET_BACK': [
    'The clock of this device was set back. Correct the date and the time, or connect to the internet.',
    'Die Uhr dieses Geräts wurde zurückgestellt. Berichtigen Sie Datum und Uhrzeit, oder stellen Sie eine Internetverbindung her.',
    'L’horloge de cet appareil a été retardée. Corrigez la date et l’heure ou connectez-vous à Internet.',
  ],
  'FINGERPRINT.UNAVAILABLE': [
    'This device could not be identified. Contact the vendor.',
    'Dieses Gerät konnte nicht erkannt werden. Fragen Sie den Hersteller.',
    'Cet appareil n’a pas pu être identifié. Contactez l’éditeur.',
  ],
  'GUARD.CHECKING': [
    'The license has not been checked yet. Wait a moment.',
    'Die Lizenz wurde noch nicht geprüft. Warten Sie einen Moment.',
    'La licence n’a pas encore été vérifiée. Attendez un instant.',
  ],
  'GUARD.NOT_STARTED': [
    'The license has not been checked yet. Wait a moment.',
    'Die Lizenz wurde noch nicht geprüft. Warten Sie einen Moment.',
    'La licence n’a pas encore été vérifiée. Attendez un instant.',
  ],
  'GUARD.STOPPED': [
    'The software has released this device. Start the software again to use it.',
    'Die Software hat dieses Gerät freigegeben. Starten Sie die Software erneut, um sie zu benutzen.',
    'Le logiciel a libéré cet appareil. Redémarrez le logiciel pour l’utiliser.',
  ],
};

/**
 * Returns the text about a code for the users of an application: the one of the code, of its group, or a general one.
 * The language is a tag such as `de` or `de-AT`; English stands for an unknown one.
 */
export function messageFor(code: string, language = 'en'): string {
  const [primary = ''] = language.toLowerCase().split(/[^a-z]/);
  const position = Math.max(0, languages.indexOf(primary));
  const found = [code, code.replace(/\..*/, '.*'), '*'].find((key) => Object.hasOwn(texts, key));
  return texts[found ?? '*']?.[position] ?? '';
}
