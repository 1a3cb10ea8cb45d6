import type { Catalogue } from './catalogue.ts';
import { en } from './en.ts';

/**
 * The languages of the page, each with its own name and a function that loads its texts. English comes with the page: it
 * also serves readers whose network fails while their language loads.
 */
export const languages = {
  en: { name: 'English', load: async () => en },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
  fr: { name: 'Français', load: async () => (await import('./fr.ts')).fr },
} as const satisfies Record<string, { readonly name: string; readonly load: () => Promise<Catalogue> }>;

/** The code of a language, as the `lang` attribute needs it. */
export type LanguageCode = keyof typeof languages;

/** The codes, in the order in which the page offers them. */
export const languageCodes = Object.keys(languages) as readonly LanguageCode[];

const isLanguage = (code: string | null | undefined): code is LanguageCode =>
  languageCodes.some((known) => known === code);

const storageKey = 'licensing.portal-language';

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Storage can be blocked; then the browser's language counts.
    return null;
  }
}

/** Returns the first language of a browser's list that the page has, otherwise English. */
export function chooseLanguage(preferred: readonly string[], chosen: string | null = null): LanguageCode {
  const codes = preferred.map((locale) => locale.toLowerCase().split('-')[0]);
  return [chosen, ...codes].find(isLanguage) ?? 'en';
}

/** Returns the language that the person chose before, otherwise that of the browser. */
export function firstLanguage(): LanguageCode {
  return chooseLanguage(navigator.languages, stored());
}

/** Keeps the person's choice for the next visit. */
export function storeLanguage(code: LanguageCode): void {
  try {
    localStorage.setItem(storageKey, code);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

/** Returns the locale for dates and numbers: that of the browser if it has the language (`en-GB`). */
export function localeOf(code: LanguageCode, preferred: readonly string[] = navigator.languages): string {
  return preferred.find((locale) => locale.toLowerCase().split('-')[0] === code) ?? code;
}
