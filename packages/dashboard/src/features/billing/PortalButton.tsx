import { Button } from '@mantine/core';
import { openPortal } from '../../api/billing.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import { ExternalLink } from '../../icons/icons.gen.ts';
import type { Surface } from '../../surfaces.ts';

interface PortalButtonProps {
  readonly surface: Surface;
  /** What the person does there: "Manage payment method". */
  readonly label: string;
  readonly isPrimary?: boolean;
}

/** Opens the page of the payment provider on which cards are managed. */
export function PortalButton({ surface, label, isPrimary = false }: PortalButtonProps) {
  const portal = useAction({ run: () => openPortal(surface), invalidates: [] });
  return (
    <Button
      variant={isPrimary ? 'filled' : 'default'}
      rightSection={<ExternalLink size={14} aria-hidden="true" />}
      loading={portal.isPending}
      onClick={() =>
        portal.mutate(undefined, { onSuccess: (url) => window.location.assign(url), onError: showProblem })
      }
    >
      {label}
    </Button>
  );
}
