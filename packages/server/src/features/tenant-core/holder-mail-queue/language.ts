import type { MailLanguage } from '../../../db/tables/tenant/holder-mails.ts';

export type { MailLanguage };

/** The languages in which mails to license holders exist. The portal has the same ones. */
export const mailLanguages: readonly MailLanguage[] = ['en', 'de', 'fr'];

function isMailLanguage(code: string | undefined): code is MailLanguage {
  return mailLanguages.some((one) => one === code);
}

const entriesMax = 50;

/**
 * Returns the language that an `Accept-Language` header prefers among those that mails have; null if it names none of
 * them. The portal sends the language that its page shows.
 */
export function preferredLanguage(header: string | undefined): MailLanguage | null {
  const entries = (header ?? '').split(',', entriesMax).map((entry) => {
    const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';');
    const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='));
    return { code: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  const wanted = entries.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return wanted.map(({ code }) => code).find(isMailLanguage) ?? null;
}
