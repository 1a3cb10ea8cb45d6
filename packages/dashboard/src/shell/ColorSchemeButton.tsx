import { lazy, Suspense, useState } from 'react';
import { ColorSchemeTarget } from './ColorSchemeTarget.tsx';

// The code of menus is a fifth of what the login would load, so it is loaded when somebody opens this one.
const ColorSchemeMenu = lazy(() => import('./ColorSchemeMenu.tsx'));

/** Chooses the colour scheme of a page without navigation. */
export function ColorSchemeButton() {
  const [isWanted, setWanted] = useState(false);
  const button = <ColorSchemeTarget onClick={() => setWanted(true)} />;
  return isWanted ? (
    <Suspense fallback={button}>
      <ColorSchemeMenu />
    </Suspense>
  ) : (
    button
  );
}
