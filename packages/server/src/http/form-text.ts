/** The maximum number of fields of a form. A ping of Gumroad has some 40, and a page of the service has 20. */
export const maxFormFields = 200;

/**
 * Parses a form (`application/x-www-form-urlencoded`). Brackets in a name have no meaning, so nothing is nested. Returns
 * undefined for a form with more than 200 fields, which is not parsed.
 */
export function parseForm(text: string): URLSearchParams | undefined {
  const hasTooMany = text.split('&', maxFormFields + 1).length > maxFormFields;
  return hasTooMany ? undefined : new URLSearchParams(text);
}
