import { useCallback, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useLanguage } from '../language/Language.tsx';
import { sentenceOf, standingOf } from '../license-state.ts';
import { Heading } from '../parts/Heading.tsx';
import { Failure, Skeleton } from '../parts/Loading.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { Sentence } from '../parts/Sentence.tsx';
import { StandingBadge } from '../parts/Standing.tsx';
import { usePortal } from '../portal-context.ts';
import { followLink, goToOnlyLicense, pathOf } from '../router.ts';
import type { PortalLicense } from '../shapes.ts';
import { useAction, useLoad } from '../use-load.ts';

/** The licenses of the holder. A single one opens at once. */
export function LicensesScreen() {
  const { t } = useLanguage();
  const { handle, api, brand, session } = usePortal();
  const list = useLoad(useCallback(() => api.listLicenses(), [api]));
  const rows = useRef<HTMLUListElement>(null);
  const [only] =
    list.is === 'ready' && list.value.next === null && list.value.items.length === 1 ? list.value.items : [];
  useEffect(() => {
    if (only !== undefined) goToOnlyLicense(pathOf(handle, { screen: 'license', licenseId: only.id }));
  }, [only, handle]);
  const more = useAction(async () => {
    if (list.is !== 'ready' || list.value.next === null) return;
    const { items, next } = await api.listLicenses(list.value.next);
    const shown = list.value.items.length;
    flushSync(() => list.change((present) => ({ items: [...present.items, ...items], next })));
    // The button may be gone, and the reader continues where the new rows begin.
    rows.current?.querySelectorAll('a')[shown]?.focus();
  });
  if (list.is === 'failed') return <Failure problem={list.problem} retry={list.retry} vendor={brand.display_name} />;
  const heading = t('licenses.heading');
  return (
    <section className="stack">
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      {list.is === 'loading' || only !== undefined ? (
        <Skeleton />
      ) : list.value.items.length === 0 ? (
        <div className="card empty">
          <h2>
            <Sentence>{t('licenses.empty', { email: session?.email ?? '' })}</Sentence>
          </h2>
          <p>{t('licenses.emptyHelp')}</p>
        </div>
      ) : (
        <>
          <ul className="rows card" ref={rows}>
            {list.value.items.map((license) => (
              <LicenseRow key={license.id} license={license} />
            ))}
          </ul>
          <ProblemNotice problem={more.problem} />
          {list.value.next !== null && (
            <button type="button" className="middle" aria-busy={more.isRunning} onClick={() => void more.run()}>
              {t('page.more')}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function LicenseRow({ license }: { readonly license: PortalLicense }) {
  const language = useLanguage();
  const { handle, brand } = usePortal();
  return (
    <li>
      <a className="row" href={pathOf(handle, { screen: 'license', licenseId: license.id })} onClick={followLink}>
        <span className="what">
          <strong>{license.product.name}</strong>
          <span className="dim">
            {license.policy_name} · <code>{license.key_hint}</code>
          </span>
        </span>
        <span className="how">
          <StandingBadge standing={standingOf(license)} />
          <span className="dim">{sentenceOf(license, brand.display_name, language)}</span>
        </span>
        <span className="arrow" aria-hidden="true" />
      </a>
    </li>
  );
}
