import { useContext, useEffect } from 'react';
import { AreaNameContext } from './surface-context.ts';

/** Sets the document title to `<Screen> · <tenant or "Admin"> · Licensing`. */
export function useDocumentTitle(screen: string): void {
  const area = useContext(AreaNameContext);
  useEffect(() => {
    document.title = [screen, area, 'Licensing'].filter(Boolean).join(' · ');
  }, [area, screen]);
}
