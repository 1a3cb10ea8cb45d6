import { Button, Stack, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../api/account.ts';
import { type Identity, identitiesQuery, singleSignOnQuery, unlinkIdentity } from '../../api/identity.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';

/** The identity at the provider of single sign-on with which the person can log in. Absent if there is no provider. */
export function SingleSignOnSection({ account }: { readonly account: Account }) {
  const { data: provider } = useQuery(singleSignOnQuery());
  const query = useQuery(identitiesQuery());
  const [unlinking, setUnlinking] = useState<Identity | null>(null);

  const hasIdentities = query.data !== undefined && query.data.data.length > 0;
  if (provider === undefined || (!provider.enabled && !hasIdentities)) return null;
  return (
    <Section
      title="Single sign-on"
      description={
        hasIdentities
          ? `You log in with this identity${account.has_password ? ' or with your password' : ''}.`
          : `No identity is linked. Log in with ${provider.name} and your email address to link one.`
      }
    >
      {hasIdentities && (
        <DataTable
          caption="Your identities"
          columns={columns(account.has_password, setUnlinking)}
          query={query}
          empty={null}
          skeletonRows={1}
        />
      )}
      <ConfirmDialog
        title="Unlink identity"
        isOpen={unlinking !== null}
        onClose={() => setUnlinking(null)}
        onConfirm={() => unlinkIdentity(unlinking?.id ?? '')}
        invalidates={[identitiesQuery().queryKey]}
        success={'The identity was unlinked.'}
      >
        You can then log in only with your password. If you log in with the same verified address again, the identity is
        linked again.
      </ConfirmDialog>
    </Section>
  );
}

function UnlinkButton({ isDisabled, onClick }: { readonly isDisabled: boolean; readonly onClick: () => void }) {
  const button = (
    <Button
      variant="subtle"
      color="red"
      size="compact-sm"
      aria-label="Unlink the identity"
      {...(isDisabled ? { 'data-disabled': true, 'aria-disabled': true } : { onClick })}
    >
      Unlink
    </Button>
  );
  return isDisabled ? <Tooltip label="Choose a password first">{button}</Tooltip> : button;
}

function columns(hasPassword: boolean, onUnlink: (identity: Identity) => void): readonly Column<Identity>[] {
  return [
    {
      header: 'Identity',
      cell: ({ email, issuer }) => (
        <Stack gap={2}>
          <Text>{email}</Text>
          <Hint style={{ overflowWrap: 'anywhere' }}>{issuer}</Hint>
        </Stack>
      ),
    },
    timeColumn('Linked', ({ linked_at }) => linked_at, { format: 'date', isSecondary: true }),
    timeColumn('Last used', ({ last_used_at }) => last_used_at, { format: 'relative', isSecondary: true }),
    actionsColumn((identity) => <UnlinkButton isDisabled={!hasPassword} onClick={() => onUnlink(identity)} />),
  ];
}
