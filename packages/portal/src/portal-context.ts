import { createContext, use } from 'react';
import type { Api } from './api.ts';
import type { HolderSession } from './session.ts';
import type { Portal as Brand } from './shapes.ts';

/** The portal that the page shows. */
export interface Portal {
  readonly handle: string;
  readonly brand: Brand;
  readonly api: Api;
  /** The login of this tab; null before it. */
  readonly session: HolderSession | null;
  /** Begins or ends the session. */
  setSession(session: HolderSession | null): void;
}

/** Gives the screens their portal. */
export const PortalContext = createContext<Portal | null>(null);

/** Returns the portal that the page shows. */
export function usePortal(): Portal {
  const portal = use(PortalContext);
  if (portal === null) throw new Error('usePortal needs a portal above it.');
  return portal;
}
