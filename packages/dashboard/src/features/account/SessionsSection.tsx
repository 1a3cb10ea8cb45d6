import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { revokeOtherSessions, revokeSession, type Session, sessionsKey, sessionsQuery } from '../../api/account.ts';
import type { Area } from '../../api/session.ts';
import { ConfirmButton, ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { searchOf, text } from '../../lib/search.ts';
import { useFilters } from '../../shell/use-filters.ts';

const parse = searchOf({ cursor: text });

const nameOf = ({ device_name: name }: Session) => name ?? 'Unknown device';

/** Where the person is logged in. Every session except this one can be ended. */
export function SessionsSection({ area }: { readonly area: Area }) {
  const [{ cursor }] = useFilters(parse);
  const query = useQuery({ ...sessionsQuery(area, cursor), placeholderData: keepPreviousData });
  const [ending, setEnding] = useState<Session | null>(null);
  const invalidates = [sessionsKey(area)];

  const hasOthers = query.data?.data.some(({ current }) => !current) ?? false;
  return (
    <Section
      title="Sessions"
      description="These devices and programs are logged in to your account."
      actions={
        <ConfirmButton
          button={{ variant: 'default', size: 'xs', disabled: !hasOthers }}
          title="End all other sessions"
          onConfirm={() => revokeOtherSessions(area)}
          invalidates={invalidates}
          success={'All other sessions have ended.'}
        >
          Every other device and program is logged out immediately. You stay logged in here.
        </ConfirmButton>
      }
    >
      <DataTable caption="Your sessions" columns={columns(setEnding)} query={query} empty={null} skeletonRows={3} />
      <ConfirmDialog
        title="End session"
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        onConfirm={() => revokeSession(area, ending?.id ?? '')}
        invalidates={invalidates}
        success={'The session has ended.'}
      >
        {ending && `${nameOf(ending)} is logged out immediately and must log in again.`}
      </ConfirmDialog>
    </Section>
  );
}

function Address({ ip }: Pick<Session, 'ip'>) {
  return (
    <Text size="sm" ff="monospace">
      {ip ?? '–'}
    </Text>
  );
}

function LastUse({ session: { current, last_used_at: lastUse } }: { readonly session: Session }) {
  return current ? 'Now' : <TimeText value={lastUse} format="relative" fallback="Never" />;
}

function Device({ session }: { readonly session: Session }) {
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={8}>
        <Text>{nameOf(session)}</Text>
        {session.current && <StatusBadge status="active" label="This device" />}
      </Group>
      <Hint hiddenFrom="xs">
        Last used: <LastUse session={session} />
        {session.ip !== null && ` from ${session.ip}`}
      </Hint>
    </Stack>
  );
}

function columns(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    { header: 'Device', cell: (session) => <Device session={session} /> },
    { header: 'Address', isSecondary: true, cell: ({ ip }) => <Address ip={ip} /> },
    timeColumn('Logged in', ({ created_at }) => created_at, { isSecondary: true }),
    { header: 'Last used', isSecondary: true, cell: (session) => <LastUse session={session} /> },
    timeColumn('Expires', ({ expires_at }) => expires_at, { format: 'relative', isSecondary: true }),
    actionsColumn(
      (session) =>
        session.current || (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            aria-label={`End the session of ${nameOf(session)}`}
            onClick={() => onEnd(session)}
          >
            End
          </Button>
        ),
    ),
  ];
}
