import { useRouterState } from '@tanstack/react-router';
import { type NavigationGroup, placeOf } from './navigation.ts';
import { PathLink } from './PathLink.tsx';
import classes from './ScreenTabs.module.css';
import { UnreadBadge } from './UnreadBadge.tsx';

/** The related screens of the current one, as tabs above it. The pages of single objects lead back to their list instead. */
export function ScreenTabs({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const place = placeOf(groups, pathname);
  if (place === undefined || place.screen.path !== pathname || place.entry.screens.length === 1) return null;
  return (
    <nav aria-label={`Screens of ${place.entry.label}`} className={classes['tabs']}>
      {place.entry.screens.map((screen) => (
        <PathLink
          key={screen.path}
          to={screen.path}
          activeOptions={{ exact: true }}
          className={classes['tab']}
          aria-current={screen === place.screen ? 'page' : undefined}
        >
          {screen.label}
          <UnreadBadge of={[screen]} />
        </PathLink>
      ))}
    </nav>
  );
}
