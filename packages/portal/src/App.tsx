import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { showAccent } from './accent.ts';
import { createApi } from './api.ts';
import { useLanguage } from './language/Language.tsx';
import { Frame, firstLetter, PlainFrame } from './parts/Frame.tsx';
import { Heading } from './parts/Heading.tsx';
import { Failure, Skeleton, UnknownScreen } from './parts/Loading.tsx';
import { PortalContext, usePortal } from './portal-context.ts';
import { routeOf, usePath } from './router.ts';
import { CodeLogin } from './screens/CodeLogin.tsx';
import { LicenseScreen } from './screens/LicenseScreen.tsx';
import { LicensesScreen } from './screens/LicensesScreen.tsx';
import { ExpiredScreen, LinkLogin } from './screens/LinkLogin.tsx';
import { OfflineScreen } from './screens/OfflineScreen.tsx';
import { PurchaseScreen } from './screens/PurchaseScreen.tsx';
import { type HolderSession, readSession, storeSession } from './session.ts';
import type { Portal as Brand } from './shapes.ts';
import { useLoad } from './use-load.ts';

interface AppProps {
  readonly handle: string;
  /** The token of the link with which the page was opened; null without one. */
  readonly linkToken: string | null;
}

/** The page of one portal: its brand, then the login or the screen of the path. */
export function App({ handle, linkToken }: AppProps) {
  const [session, setState] = useState(() => readSession(handle));
  const [hasExpired, setExpired] = useState(false);
  const token = useRef(session?.token ?? null);
  const setSession = useCallback(
    (next: HolderSession | null) => {
      token.current = next?.token ?? null;
      storeSession(handle, next);
      setState(next);
      setExpired(false);
    },
    [handle],
  );
  const api = useMemo(
    () =>
      createApi({
        handle,
        token: () => token.current,
        onRefused(refused) {
          if (refused !== token.current) return;
          setSession(null);
          setExpired(true);
        },
      }),
    [handle, setSession],
  );
  const [link, setLink] = useState(linkToken);
  const brand = useLoad(api.loadBrand);
  const { t } = useLanguage();
  if (brand.is === 'loading') {
    return (
      <PlainFrame>
        <Skeleton />
      </PlainFrame>
    );
  }
  if (brand.is === 'failed') {
    return (
      <PlainFrame>
        {brand.problem.status === 404 ? (
          <UnknownPortal />
        ) : (
          <Failure problem={brand.problem} retry={brand.retry} vendor={t('page.unnamed')} />
        )}
      </PlainFrame>
    );
  }
  return (
    <PortalContext value={{ handle, brand: brand.value, api, session, setSession }}>
      <BrandEffects brand={brand.value} />
      <Frame>
        {link !== null ? (
          <LinkLogin token={link} onDone={() => setLink(null)} />
        ) : (
          <Screen hasExpired={hasExpired} onSeen={() => setExpired(false)} />
        )}
      </Frame>
    </PortalContext>
  );
}

interface ScreenProps {
  /** The session has ended while the page was open. */
  readonly hasExpired: boolean;
  readonly onSeen: () => void;
}

/** The screen of the path. Buyers read their purchase before they have ever logged in. */
function Screen({ hasExpired, onSeen }: ScreenProps) {
  const route = routeOf(usePath());
  const { session } = usePortal();
  if (route.screen === 'purchase') return <PurchaseScreen />;
  if (hasExpired) return <ExpiredScreen onDone={onSeen} />;
  if (session === null) return <CodeLogin />;
  switch (route.screen) {
    case 'licenses':
      return <LicensesScreen />;
    case 'license':
      return <LicenseScreen key={route.licenseId} licenseId={route.licenseId} />;
    case 'offline':
      return <OfflineScreen key={route.licenseId} licenseId={route.licenseId} />;
    default:
      return <UnknownScreen what="page" />;
  }
}

function UnknownPortal() {
  const { t } = useLanguage();
  const heading = t('unknown.heading');
  return (
    <section className="card narrow">
      <Heading title={t('page.title', { screen: heading, vendor: t('page.unnamed') })}>{heading}</Heading>
      <p>{t('unknown.portal')}</p>
    </section>
  );
}

/** Gives the page the vendor's colour, and an icon: the logo, or the first letter of the name. */
export function BrandEffects({ brand }: { readonly brand: Brand }) {
  useEffect(() => {
    showAccent(brand.accent_color);
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = brand.logo_url ?? monogram(brand.display_name);
  }, [brand]);
  return null;
}

function monogram(name: string): string {
  const style = getComputedStyle(document.documentElement);
  const letter = new Option(firstLetter(name)).innerHTML;
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" ` +
    `fill="${style.getPropertyValue('--accent-fill')}"/><text x="16" y="22" text-anchor="middle" font-family="sans-serif" ` +
    `font-size="18" font-weight="600" fill="${style.getPropertyValue('--accent-on-fill')}">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
