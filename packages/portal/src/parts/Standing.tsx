import { useLanguage } from '../language/Language.tsx';
import { labelOf, type Standing } from '../license-state.ts';

const colours: Readonly<Record<Standing, 'good' | 'warn' | 'bad' | 'plain'>> = {
  active: 'good',
  expiring: 'warn',
  grace: 'warn',
  expired: 'bad',
  pending: 'plain',
  suspended: 'bad',
  revoked: 'bad',
};

/** The standing of a license as a coloured label. */
export function StandingBadge({ standing }: { readonly standing: Standing }) {
  const language = useLanguage();
  return <span className={`badge ${colours[standing]}`}>{labelOf(standing, language)}</span>;
}
