import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Lock } from '../../icons/icons.gen.ts';
import { useReadsBilling } from '../../shell/PlatformArea.tsx';

interface BillingGateProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Explains the missing billing role, instead of a refused request. */
export function BillingGate({ title, children }: BillingGateProps) {
  if (useReadsBilling()) return children;
  return (
    <Page title={title}>
      <Paper>
        <EmptyState
          icon={Lock}
          title="Your role does not include billing"
          description="You need the role auditor, billing read-only, billing admin or super admin. A super admin can change your role under Admins."
        />
      </Paper>
    </Page>
  );
}
