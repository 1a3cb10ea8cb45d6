/* Generated from packages/sdk/messages.json by packages/sdk/scripts/messages.ts. Do not edit. */
#include "messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct message {
  /* A code, `GROUP.*` or `*`. */
  const char *code;
  const char *texts[3];
} message;

static const char *const languages[] = {"en", "de", "fr"};

static const message messages[] = {
  {"*",
   {"The license could not be checked. Try again later, or contact the vendor.",
    "Die Lizenz konnte nicht gepr\303\274ft werden. Versuchen Sie es sp\303\244ter erneut, oder fragen Sie den Hersteller.",
    "La licence n\342\200\231a pas pu \303\252tre v\303\251rifi\303\251e. R\303\251essayez plus tard ou contactez l\342\200\231\303\251diteur."}},
  {"LICENSE.VALID",
   {"The license is valid.",
    "Die Lizenz ist g\303\274ltig.",
    "La licence est valable."}},
  {"LICENSE.IN_GRACE",
   {"The license has expired, and the software works for a short time only. Renew the license.",
    "Die Lizenz ist abgelaufen, und die Software funktioniert nur noch kurze Zeit. Verl\303\244ngern Sie die Lizenz.",
    "La licence a expir\303\251, et le logiciel ne fonctionne plus que peu de temps. Renouvelez la licence."}},
  {"LICENSE.EXPIRED",
   {"The license has expired. Renew it to continue to use the software.",
    "Die Lizenz ist abgelaufen. Verl\303\244ngern Sie sie, um die Software weiter zu benutzen.",
    "La licence a expir\303\251. Renouvelez-la pour continuer \303\240 utiliser le logiciel."}},
  {"LICENSE.KEY_MISSING",
   {"There is no license key. Enter your license key.",
    "Es gibt keinen Lizenzschl\303\274ssel. Geben Sie Ihren Lizenzschl\303\274ssel ein.",
    "Il n\342\200\231y a pas de cl\303\251 de licence. Saisissez votre cl\303\251 de licence."}},
  {"LICENSE.NOT_FOUND",
   {"No license has this key. Check the license key.",
    "Keine Lizenz hat diesen Schl\303\274ssel. Pr\303\274fen Sie den Lizenzschl\303\274ssel.",
    "Aucune licence n\342\200\231a cette cl\303\251. V\303\251rifiez la cl\303\251 de licence."}},
  {"LICENSE.REVOKED",
   {"The vendor has withdrawn this license. You can no longer use it.",
    "Der Hersteller hat diese Lizenz zur\303\274ckgezogen. Sie kann nicht mehr benutzt werden.",
    "L\342\200\231\303\251diteur a retir\303\251 cette licence. Elle ne peut plus \303\252tre utilis\303\251e."}},
  {"LICENSE.SUSPENDED",
   {"The vendor has suspended this license. Contact the vendor.",
    "Der Hersteller hat diese Lizenz gesperrt. Fragen Sie den Hersteller.",
    "L\342\200\231\303\251diteur a suspendu cette licence. Contactez l\342\200\231\303\251diteur."}},
  {"LICENSE.NOT_STARTED",
   {"The license is not valid yet. Wait until it starts.",
    "Die Lizenz ist noch nicht g\303\274ltig. Warten Sie, bis sie beginnt.",
    "La licence n\342\200\231est pas encore valable. Attendez qu\342\200\231elle commence."}},
  {"LICENSE.PRODUCT_MISMATCH",
   {"The license is for another product. Enter a license key of this software.",
    "Die Lizenz gilt f\303\274r ein anderes Produkt. Geben Sie einen Lizenzschl\303\274ssel dieser Software ein.",
    "La licence est celle d\342\200\231un autre produit. Saisissez une cl\303\251 de licence de ce logiciel."}},
  {"LICENSE.MAINTENANCE_EXPIRED",
   {"The license does not include this version. Renew the license, or use an earlier version.",
    "Die Lizenz enth\303\244lt diese Version nicht. Verl\303\244ngern Sie die Lizenz, oder benutzen Sie eine fr\303\274here Version.",
    "La licence ne comprend pas cette version. Renouvelez la licence ou utilisez une version ant\303\251rieure."}},
  {"ACTIVATION.LIMIT_REACHED",
   {"All devices are in use. Release one to use the software on this device.",
    "Alle Ger\303\244te sind in Benutzung. Geben Sie eines frei, um die Software auf diesem Ger\303\244t zu benutzen.",
    "Tous les appareils sont utilis\303\251s. Lib\303\251rez-en un pour utiliser le logiciel sur cet appareil."}},
  {"ACTIVATION.LIMIT_EXCEEDED",
   {"More devices are in use than the license allows. Release a device.",
    "Mehr Ger\303\244te sind in Benutzung, als die Lizenz erlaubt. Geben Sie ein Ger\303\244t frei.",
    "Plus d\342\200\231appareils sont utilis\303\251s que la licence n\342\200\231en permet. Lib\303\251rez un appareil."}},
  {"ACTIVATION.*",
   {"The software is not activated on this device. Connect to the internet.",
    "Die Software ist auf diesem Ger\303\244t nicht aktiviert. Stellen Sie eine Internetverbindung her.",
    "Le logiciel n\342\200\231est pas activ\303\251 sur cet appareil. Connectez-vous \303\240 Internet."}},
  {"ENTITLEMENT.*",
   {"The license does not include everything that the software needs. Ask the vendor for another license.",
    "Die Lizenz enth\303\244lt nicht alles, was die Software braucht. Fragen Sie den Hersteller nach einer anderen Lizenz.",
    "La licence ne comprend pas tout ce dont le logiciel a besoin. Demandez une autre licence \303\240 l\342\200\231\303\251diteur."}},
  {"NETWORK.*",
   {"The license service could not be reached. Check your internet connection.",
    "Der Lizenzdienst ist nicht erreichbar. Pr\303\274fen Sie Ihre Internetverbindung.",
    "Le service de licences est injoignable. V\303\251rifiez votre connexion Internet."}},
  {"RESPONSE.INVALID",
   {"The answer did not come from the license service. Use another network, or contact the vendor.",
    "Die Antwort kam nicht vom Lizenzdienst. Benutzen Sie ein anderes Netzwerk, oder fragen Sie den Hersteller.",
    "La r\303\251ponse ne venait pas du service de licences. Utilisez un autre r\303\251seau ou contactez l\342\200\231\303\251diteur."}},
  {"PROOF.*",
   {"The answer did not come from the license service. Use another network, or contact the vendor.",
    "Die Antwort kam nicht vom Lizenzdienst. Benutzen Sie ein anderes Netzwerk, oder fragen Sie den Hersteller.",
    "La r\303\251ponse ne venait pas du service de licences. Utilisez un autre r\303\251seau ou contactez l\342\200\231\303\251diteur."}},
  {"CERTIFICATE.EXPIRED",
   {"The license could not be checked for too long. Connect to the internet.",
    "Die Lizenz konnte zu lange nicht gepr\303\274ft werden. Stellen Sie eine Internetverbindung her.",
    "La licence n\342\200\231a pas pu \303\252tre v\303\251rifi\303\251e depuis trop longtemps. Connectez-vous \303\240 Internet."}},
  {"CERTIFICATE.*",
   {"The license that is stored on this device cannot be used. Connect to the internet.",
    "Die auf diesem Ger\303\244t gespeicherte Lizenz kann nicht benutzt werden. Stellen Sie eine Internetverbindung her.",
    "La licence enregistr\303\251e sur cet appareil ne peut pas \303\252tre utilis\303\251e. Connectez-vous \303\240 Internet."}},
  {"CLOCK.SET_BACK",
   {"The clock of this device was set back. Correct the date and the time, or connect to the internet.",
    "Die Uhr dieses Ger\303\244ts wurde zur\303\274ckgestellt. Berichtigen Sie Datum und Uhrzeit, oder stellen Sie eine Internetverbindung her.",
    "L\342\200\231horloge de cet appareil a \303\251t\303\251 retard\303\251e. Corrigez la date et l\342\200\231heure ou connectez-vous \303\240 Internet."}},
  {"FINGERPRINT.UNAVAILABLE",
   {"This device could not be identified. Contact the vendor.",
    "Dieses Ger\303\244t konnte nicht erkannt werden. Fragen Sie den Hersteller.",
    "Cet appareil n\342\200\231a pas pu \303\252tre identifi\303\251. Contactez l\342\200\231\303\251diteur."}},
  {"GUARD.CHECKING",
   {"The license has not been checked yet. Wait a moment.",
    "Die Lizenz wurde noch nicht gepr\303\274ft. Warten Sie einen Moment.",
    "La licence n\342\200\231a pas encore \303\251t\303\251 v\303\251rifi\303\251e. Attendez un instant."}},
  {"GUARD.NOT_STARTED",
   {"The license has not been checked yet. Wait a moment.",
    "Die Lizenz wurde noch nicht gepr\303\274ft. Warten Sie einen Moment.",
    "La licence n\342\200\231a pas encore \303\251t\303\251 v\303\251rifi\303\251e. Attendez un instant."}},
  {"GUARD.STOPPED",
   {"The software has released this device. Start the software again to use it.",
    "Die Software hat dieses Ger\303\244t freigegeben. Starten Sie die Software erneut, um sie zu benutzen.",
    "Le logiciel a lib\303\251r\303\251 cet appareil. Red\303\251marrez le logiciel pour l\342\200\231utiliser."}},
};

static bool is_letter(char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); }

static char lower_case(char one) { return one >= 'A' && one <= 'Z' ? (char)(one - 'A' + 'a') : one; }

/* Returns the position of a language among the texts. */
static size_t position_of(const char *language) {
  for (size_t position = 0; language != NULL && position < sizeof languages / sizeof *languages; position++) {
    const char *name = languages[position];
    if (lower_case(language[0]) == name[0] && lower_case(language[1]) == name[1] && !is_letter(language[2])) {
      return position;
    }
  }
  return 0;
}

/* Returns how well an entry fits a code: 3 is the code itself, 2 its group, 1 any code, and 0 does not fit. */
static int fit_of(const char *entry, const char *code) {
  if (strcmp(entry, "*") == 0) return 1;
  if (strcmp(entry, code) == 0) return 3;
  const char *star = strchr(entry, '*');
  return star != NULL && strncmp(entry, code, (size_t)(star - entry)) == 0 ? 2 : 0;
}

const char *message_for(const char *code, const char *language) {
  const message *best = &messages[0];
  int best_fit = 0;
  for (size_t index = 0; index < sizeof messages / sizeof *messages; index++) {
    const int fit = fit_of(messages[index].code, code == NULL ? "" : code);
    if (fit > best_fit) {
      best = &messages[index];
      best_fit = fit;
    }
  }
  return best->texts[position_of(language)];
}
