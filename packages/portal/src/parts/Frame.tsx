import { type ReactNode, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { type LanguageCode, languageCodes, languages } from '../language/languages.ts';
import { usePortal } from '../portal-context.ts';
import { followLink, pathOf } from '../router.ts';
import { useAction } from '../use-load.ts';
import { Sentence } from './Sentence.tsx';

/** The page around a screen: the vendor, the login, support and the language. */
export function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <Header />
      <main>{children}</main>
      <Footer />
    </>
  );
}

/** The page around a screen that belongs to no portal. */
export function PlainFrame({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <main>{children}</main>
      <footer>
        <LanguageChoice />
      </footer>
    </>
  );
}

function Header() {
  const { t } = useLanguage();
  const { handle, session, setSession, api } = usePortal();
  const logOut = useAction(async () => {
    // The session of this tab ends even if the service cannot be reached.
    await api.logOut().catch(() => undefined);
    setSession(null);
  });
  return (
    <header>
      <div className="bar">
        <a className="brand" href={pathOf(handle, { screen: 'licenses' })} onClick={followLink}>
          <Logo />
        </a>
        {session !== null && (
          <div className="account">
            <span className="email" title={t('page.loggedIn', { email: session.email })}>
              {session.email}
            </span>
            <button type="button" className="quiet" disabled={logOut.isRunning} onClick={() => void logOut.run()}>
              {t('page.logOut')}
            </button>
          </div>
        )}
      </div>
    </header>
  );
}

/** Logos that are wider than this are taken to contain the name of the vendor. */
const wordmarkRatio = 2;

function Logo() {
  const { brand } = usePortal();
  const [hasName, setHasName] = useState(false);
  if (brand.logo_url === null) {
    return (
      <>
        <span className="monogram" aria-hidden="true">
          {firstLetter(brand.display_name)}
        </span>
        <span>{brand.display_name}</span>
      </>
    );
  }
  return (
    <>
      <img
        src={brand.logo_url}
        alt=""
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setHasName(naturalWidth > naturalHeight * wordmarkRatio)
        }
      />
      <span className={hasName ? 'hidden' : undefined}>{brand.display_name}</span>
    </>
  );
}

/** Returns the first letter of a name, which may be more than one unit of text. */
export function firstLetter(name: string): string {
  const [letter = ''] = new Intl.Segmenter().segment(name.trim());
  return (typeof letter === 'string' ? letter : letter.segment).toUpperCase();
}

function Footer() {
  const { t } = useLanguage();
  const { brand } = usePortal();
  const hasSupport = brand.support_email !== null || brand.support_url !== null;
  return (
    <footer>
      {hasSupport && (
        <p className="support">
          <span>{t('page.help')}</span>
          {brand.support_email !== null && (
            <a href={`mailto:${brand.support_email}`}>
              <Sentence>{t('page.helpMail', { address: brand.support_email })}</Sentence>
            </a>
          )}
          {brand.support_url !== null && (
            <a href={brand.support_url} rel="noopener noreferrer" target="_blank">
              {t('page.helpPages')}
            </a>
          )}
        </p>
      )}
      <LanguageChoice />
    </footer>
  );
}

function LanguageChoice() {
  const { t, code, choose } = useLanguage();
  return (
    <label className="language">
      <span className="hidden">{t('page.language')}</span>
      <select value={code} onChange={({ target }) => void choose(target.value as LanguageCode).catch(() => undefined)}>
        {languageCodes.map((each) => (
          <option key={each} value={each} lang={each}>
            {languages[each].name}
          </option>
        ))}
      </select>
    </label>
  );
}
