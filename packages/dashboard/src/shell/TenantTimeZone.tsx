import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { settingsQuery } from '../api/settings.ts';
import { TimeZoneContext, useSurface } from './surface-context.ts';

/** Provides the tenant's time zone to the times inside it. Without an answer, times show UTC. */
export function TenantTimeZone({ children }: { readonly children: ReactNode }) {
  const { data } = useQuery(settingsQuery(useSurface()));
  return <TimeZoneContext value={data?.timezone ?? null}>{children}</TimeZoneContext>;
}
