import { type ReactNode, useCallback, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { adviceOf, pendingTermOf, type Standing, sentenceOf, standingOf } from '../license-state.ts';
import { Heading } from '../parts/Heading.tsx';
import { Failure, Skeleton, UnknownScreen } from '../parts/Loading.tsx';
import { Sentence } from '../parts/Sentence.tsx';
import { StandingBadge } from '../parts/Standing.tsx';
import { usePortal } from '../portal-context.ts';
import { followLink, isOnlyLicense, pathOf } from '../router.ts';
import type { PortalLicense } from '../shapes.ts';
import { useLoad } from '../use-load.ts';
import { Devices } from './Devices.tsx';
import { Downloads } from './Downloads.tsx';
import { KeyFact, ReplaceKey } from './KeyFact.tsx';
import { Permits } from './Permits.tsx';

/** One license: what it is, its key, its devices, and what the holder may do with it. */
export function LicenseScreen({ licenseId }: { readonly licenseId: string }) {
  const { t } = useLanguage();
  const { handle, api, brand } = usePortal();
  const loaded = useLoad(
    useCallback(async () => {
      const [license, versions] = await Promise.all([api.loadLicense(licenseId), api.listVersions(licenseId)]);
      return { license, versions };
    }, [api, licenseId]),
  );
  if (loaded.is === 'failed' && loaded.problem.status === 404) return <UnknownScreen what="license" />;
  if (loaded.is === 'failed') {
    return <Failure problem={loaded.problem} retry={loaded.retry} vendor={brand.display_name} />;
  }
  if (loaded.is === 'loading') return <Skeleton rows={6} />;
  const { license, versions } = loaded.value;
  return (
    <div className="stack">
      <div>
        {!isOnlyLicense() && (
          <a className="back" href={pathOf(handle, { screen: 'licenses' })} onClick={followLink}>
            {t('license.all')}
          </a>
        )}
        <Heading title={t('page.title', { screen: license.product.name, vendor: brand.display_name })}>
          {license.product.name}
        </Heading>
      </div>
      <State license={license} />
      <Facts license={license} onReplaced={loaded.refresh} />
      {versions.length > 0 && <Downloads license={license} versions={versions} />}
      <Devices license={license} onChanged={loaded.refresh} />
      {license.permissions.offline_activation && license.works && <OfflineSection license={license} />}
    </div>
  );
}

/** The standings that a renewal changes. */
const renewable: ReadonlySet<Standing> = new Set(['active', 'expiring', 'grace', 'expired']);

function State({ license }: { readonly license: PortalLicense }) {
  const language = useLanguage();
  const { brand } = usePortal();
  const { t } = language;
  const standing = standingOf(license);
  const advice = adviceOf(license, brand, language);
  // A license without any end has nothing to renew.
  const hasTerm = license.expires_at !== null || license.maintenance_expires_at !== null;
  const isUrgent = advice !== null && renewable.has(standing);
  return (
    <section className="card state">
      <div>
        <StandingBadge standing={standing} />
        <p>
          {sentenceOf(license, brand.display_name, language)} <Sentence>{advice ?? ''}</Sentence>
        </p>
      </div>
      {license.renewal_url !== null && hasTerm && !license.is_trial && renewable.has(standing) && (
        <a
          className={isUrgent ? 'button primary' : 'button'}
          href={license.renewal_url}
          target="_blank"
          rel="noopener noreferrer"
        >
          {t('license.renew')} <span className="hidden">{t('license.renewHint')}</span>
        </a>
      )}
    </section>
  );
}

interface FactsProps {
  readonly license: PortalLicense;
  readonly onReplaced: () => Promise<void>;
}

function Facts({ license, onReplaced }: FactsProps) {
  const language = useLanguage();
  const { t, lastDay } = language;
  const { expires_at: expiry, maintenance_expires_at: maintenance, holder_name: holder, order_number: order } = license;
  const isOver = maintenance !== null && Date.parse(maintenance) < Date.now();
  const [replacements, setReplacements] = useState(0);
  const ofMaintenance = isOver ? 'facts.updatesUntilPast' : 'facts.updatesUntil';
  return (
    <section className="card">
      <h2>{t('facts.heading')}</h2>
      <dl>
        <KeyFact key={replacements} license={license} />
        <Fact name={t('facts.terms')}>{license.policy_name}</Fact>
        {license.pending_term === null ? (
          <Fact name={t('facts.valid')}>{expiry === null ? t('facts.noEnd') : lastDay(expiry)}</Fact>
        ) : (
          <Fact name={t('facts.validFor')}>{pendingTermOf(license.pending_term, language)}</Fact>
        )}
        {maintenance !== null && (
          <Fact name={t('facts.updates')}>{t(ofMaintenance, { date: lastDay(maintenance) })}</Fact>
        )}
        <Fact name={t('facts.permits')}>
          <Permits license={license} />
        </Fact>
        {holder !== null && <Fact name={t('facts.holder')}>{holder}</Fact>}
        {order !== null && <Fact name={t('facts.order')}>{order}</Fact>}
      </dl>
      {license.permissions.replace_key && license.status !== 'revoked' && (
        <ReplaceKey
          license={license}
          onReplaced={() => {
            // A key that is shown is the old one.
            setReplacements((number) => number + 1);
            return onReplaced();
          }}
        />
      )}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="breaks">{children}</dd>
    </div>
  );
}

function OfflineSection({ license }: { readonly license: PortalLicense }) {
  const { t } = useLanguage();
  const { handle } = usePortal();
  return (
    <section className="card with-action">
      <div>
        <h2>{t('offline.heading')}</h2>
        <p className="dim">{t('offline.intro')}</p>
      </div>
      <a className="button" href={pathOf(handle, { screen: 'offline', licenseId: license.id })} onClick={followLink}>
        {t('offline.open')}
      </a>
    </section>
  );
}
