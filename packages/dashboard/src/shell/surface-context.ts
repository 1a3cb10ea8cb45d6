import { createContext, useContext, useEffect } from 'react';
import type { Surface } from '../surfaces.ts';

/** The surface of the screens inside it. */
export const SurfaceContext = createContext<Surface | null>(null);

/** Returns the surface that the screen works on. Throws outside an area. */
export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (surface === null) throw new Error('useSurface works only inside an area of the dashboard.');
  return surface;
}

/** The name that document titles contain: the tenant's, or "Admin". */
export const AreaNameContext = createContext<string | null>(null);

/** The time zone of the tenant, which times show on hover; null outside a tenant. */
export const TimeZoneContext = createContext<string | null>(null);

/** Sets the document title to `<Screen> · <tenant or "Admin"> · Licensing`. */
export function useDocumentTitle(screen: string): void {
  const area = useContext(AreaNameContext);
  useEffect(() => {
    document.title = [screen, area, 'Licensing'].filter(Boolean).join(' · ');
  }, [area, screen]);
}
