import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import {
  type Catalogue,
  type CountedKey,
  type CountedValues,
  fill,
  type MessageKey,
  type ValuesOf,
} from './catalogue.ts';
import { en } from './en.ts';
import { createFormats, type Formats } from './formats.ts';
import { type LanguageCode, languages, localeOf, storeLanguage } from './languages.ts';

/** The texts and formats of the language that the page shows. */
export interface Language extends Formats {
  readonly code: LanguageCode;
  /** Returns a text with its values. */
  t<Key extends MessageKey>(key: Key, ...values: ValuesOf<Key>): string;
  /** Returns a text in the form that a number needs, with the number as `{count}`. */
  count<Key extends CountedKey>(key: Key, value: number, ...values: CountedValues<Key>): string;
  /** Shows the page in another language, and remembers it. */
  choose(code: LanguageCode): Promise<void>;
}

/** A language with its texts. */
export interface LoadedLanguage {
  readonly code: LanguageCode;
  readonly texts: Catalogue;
}

/** Loads the texts of a language. Throws if the network fails. */
async function loadLanguage(code: LanguageCode): Promise<LoadedLanguage> {
  return { code, texts: await languages[code].load() };
}

const Context = createContext<Language | null>(null);

function createLanguage({ code, texts }: LoadedLanguage, choose: Language['choose']): Language {
  const formats = createFormats(localeOf(code));
  return {
    ...formats,
    code,
    choose,
    t: (key, ...[values]) => fill(texts[key], values),
    count(key, value, ...[values]) {
      const exact = `${key}_${formats.form(value)}`;
      const text = exact in texts ? texts[exact as MessageKey] : texts[`${key}_other`];
      return fill(text, { ...values, count: formats.number(value) });
    },
  };
}

/** Loads the texts of a language, and those of English if the network fails. */
export async function loadFirstLanguage(code: LanguageCode): Promise<LoadedLanguage> {
  return loadLanguage(code).catch(() => ({ code: 'en', texts: en }));
}

/** Gives the page its language. `first` is the one that it starts with. */
export function LanguageProvider({
  first,
  children,
}: {
  readonly first: LoadedLanguage;
  readonly children: ReactNode;
}) {
  const [loaded, setLoaded] = useState(first);
  const language = useMemo(
    () =>
      createLanguage(loaded, async (code) => {
        const next = await loadLanguage(code);
        storeLanguage(code);
        setLoaded(next);
      }),
    [loaded],
  );
  document.documentElement.lang = loaded.code;
  return <Context value={language}>{children}</Context>;
}

/** Returns the language of the page. */
export function useLanguage(): Language {
  const language = use(Context);
  if (language === null) throw new Error('useLanguage needs a LanguageProvider above it.');
  return language;
}
