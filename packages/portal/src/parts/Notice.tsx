import type { ReactNode } from 'react';
import { useLanguage } from '../language/Language.tsx';
import type { Problem } from '../problem.ts';

/** A sentence about what just happened, which screen readers announce. */
export function Notice({ kind, children }: { readonly kind: 'good' | 'bad'; readonly children: ReactNode }) {
  return (
    <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

const secondsByDefault = 60;

/** What a failed request means and what to do. `meanings` are the texts of codes that this request can have. */
export function ProblemNotice({
  problem,
  meanings = {},
}: {
  readonly problem: Problem | null;
  readonly meanings?: Readonly<Record<string, string>>;
}) {
  const { t, count } = useLanguage();
  if (problem === null) return null;
  const meaning = meanings[problem.code];
  if (meaning !== undefined) return <Notice kind="bad">{meaning}</Notice>;
  if (problem.status === 0 && problem.code === 'NETWORK.UNREACHABLE') {
    return <Notice kind="bad">{t('failure.network')}</Notice>;
  }
  if (problem.status === 429) {
    return <Notice kind="bad">{count('failure.busy', problem.retryAfterSeconds ?? secondsByDefault)}</Notice>;
  }
  if (problem.status === 403) return <Notice kind="bad">{t('failure.notOffered')}</Notice>;
  if (problem.status === 409 || problem.status === 404) return <Notice kind="bad">{t('failure.changed')}</Notice>;
  return (
    <Notice kind="bad">
      {t('failure.service')}
      {problem.requestId !== null && <small>{t('failure.reference', { number: problem.requestId })}</small>}
    </Notice>
  );
}
