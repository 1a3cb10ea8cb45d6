import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { newestObjectsQuery, type Overview } from '../../api/overview.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface GuidesLinkProps {
  readonly steps: Overview['first_steps'];
  /** The raw key that this screen has created; null if it does not know one. */
  readonly apiKey: string | null;
}

/**
 * Opens the quickstart with the tenant's own values filled in. They are left in the storage of this tab, from which the
 * quickstart removes them when it reads them: an address would get into histories and logs.
 */
export function GuidesLink({ steps, apiKey }: GuidesLinkProps) {
  const surface = useSurface();
  const { data } = useQuery(newestObjectsQuery(surface, steps));
  const leaveValues = ({ ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    // Another tab could not read them.
    if (ctrlKey || metaKey || shiftKey) return;
    const values = {
      LICENSING_TENANT_ID: surface.tenantId,
      LICENSE_KEY: data?.license?.key,
      LICENSING_API_KEY: apiKey ?? undefined,
    };
    try {
      sessionStorage.setItem('guide-setup', JSON.stringify(values));
    } catch {
      // The quickstart shows placeholders.
    }
  };
  return (
    <Anchor href="/docs/quickstart/#i-have-an-account" size="md" onClick={leaveValues}>
      Open the guides
    </Anchor>
  );
}
