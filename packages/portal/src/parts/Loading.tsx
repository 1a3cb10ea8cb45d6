import { useLanguage } from '../language/Language.tsx';
import { usePortal } from '../portal-context.ts';
import type { Problem } from '../problem.ts';
import { followLink, pathOf } from '../router.ts';
import { Heading } from './Heading.tsx';
import { ProblemNotice } from './Notice.tsx';

/** Shows grey bars while content loads. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  const { t } = useLanguage();
  return (
    <div className="skeleton" role="status" aria-busy="true">
      <span className="hidden">{t('page.loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity.
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

/** A screen whose data could not be loaded, with a way to try again. */
export function Failure({
  problem,
  retry,
  vendor,
}: {
  readonly problem: Problem;
  readonly retry: () => void;
  readonly vendor: string;
}) {
  const { t } = useLanguage();
  const heading = t('failure.heading');
  return (
    <section className="card narrow">
      <Heading title={t('page.title', { screen: heading, vendor })}>{heading}</Heading>
      <ProblemNotice problem={problem} />
      <button type="button" className="primary" onClick={retry}>
        {t('page.retry')}
      </button>
    </section>
  );
}

/** A path that shows nothing (`page`), or a license that does not belong to the holder. */
export function UnknownScreen({ what }: { readonly what: 'page' | 'license' }) {
  const { t } = useLanguage();
  const { handle, brand } = usePortal();
  const heading = t('unknown.heading');
  return (
    <section className="card narrow">
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      <p>{what === 'page' ? t('unknown.page') : t('unknown.license')}</p>
      <a className="button primary" href={pathOf(handle, { screen: 'licenses' })} onClick={followLink}>
        {t('unknown.back')}
      </a>
    </section>
  );
}
