/** The maximum number of fields of a form. A ping of Gumroad has some 40, and a page of the service has 20. */
export const maxFormFields = 200;

/** Returns true if a form has more fields than allowed, without parsing it. */
function hasManyFields(text: string): boolean {
  let fields = 1;
  for (let at = text.indexOf('&'); at !== -1 && fields <= maxFormFields; at = text.indexOf('&', at + 1)) fields += 1;
  return fields > maxFormFields;
}

/**
 * Parses a form (`application/x-www-form-urlencoded`). Brackets in a name have no meaning, so nothing is nested. Returns
 * undefined for a form with more than 200 fields, which is not parsed.
 */
export function parseForm(text: string): URLSearchParams | undefined {
  return hasManyFields(text) ? undefined : new URLSearchParams(text);
}
