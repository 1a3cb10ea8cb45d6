import { Button, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { type HolderMail, mailsKey, resendMail } from '../../api/holder-mails.ts';
import { actionsColumn, type Column, DataTable, type DataTableProps, timeColumn } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { RotateCw } from '../../icons/icons.gen.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { mailTypes } from './mail-types.ts';

interface HolderMailTableProps extends Pick<DataTableProps<HolderMail>, 'query' | 'empty' | 'caption'> {
  /** False on the page of a license. */
  readonly withLicense: boolean;
}

/** Mails to license holders, newest first, each with a button that sends it again. */
export function HolderMailTable({ withLicense, ...table }: HolderMailTableProps) {
  const surface = useSurface();
  const attempt = useRef(newIdempotencyKey());
  const resend = useAction({
    run: (id: string) => resendMail(surface, id, attempt.current),
    invalidates: [mailsKey(surface)],
    success: 'The mail is sent again.',
  });
  const columns: readonly Column<HolderMail>[] = [
    {
      header: 'Mail',
      cell: ({ type, recipient }) => (
        <Stack gap={0} maw={{ base: 92, xs: 260 }}>
          {mailTypes[type].label}
          <Text span size="xs" c="dimmed" truncate title={recipient} hiddenFrom="xs">
            {recipient}
          </Text>
        </Stack>
      ),
    },
    { header: 'To', isSecondary: true, cell: ({ recipient }) => <Text size="sm">{recipient}</Text> },
    { header: 'State', cell: (mail) => <MailState mail={mail} /> },
    ...(withLicense ? [licenseColumn] : []),
    timeColumn('Created', ({ created_at }) => created_at, { format: 'relative', isSecondary: true }),
    ...(allows(surface, 'mails', 'act')
      ? [
          actionsColumn(
            (mail: HolderMail) =>
              mail.state !== 'queued' &&
              mail.license_id !== null &&
              mail.type !== 'trial.confirm' && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Send again: ${mailTypes[mail.type].label} to ${mail.recipient}`}
                  loading={resend.isPending && resend.variables === mail.id}
                  onClick={() => {
                    attempt.current = newIdempotencyKey();
                    resend.mutate(mail.id, { onError: showProblem });
                  }}
                >
                  <RotateCw size={13} aria-hidden="true" />
                  <Text span inherit ml={6} visibleFrom="xs">
                    Send again
                  </Text>
                </Button>
              ),
          ),
        ]
      : []),
  ];
  return <DataTable {...table} columns={columns} skeletonRows={5} />;
}

const licenseColumn: Column<HolderMail> = {
  header: 'License',
  isSecondary: true,
  cell: ({ license_id }) =>
    license_id === null ? '–' : <SurfaceLink to={`/licenses/${license_id}`}>Open license</SurfaceLink>,
};

const tones = { queued: 'waiting', sent: 'good', refused: 'bad', cancelled: 'neutral' } as const;

/** The state of a mail, with the reason if it was not sent. */
function MailState({ mail }: { readonly mail: HolderMail }) {
  const { state, reason, next_attempt_at, ended_at, attempts } = mail;
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge status={state} tone={state === 'queued' && attempts > 0 ? 'warning' : tones[state]} />
      {reason !== null && (
        <Text size="xs" c="dimmed" maw={{ base: 96, xs: 320 }} style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      )}
      {state === 'queued' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          Next attempt <TimeText value={next_attempt_at} format="relative" />
        </Text>
      )}
      {state === 'sent' && (
        <Text size="xs" c="dimmed">
          <TimeText value={ended_at} format="relative" />
        </Text>
      )}
    </Stack>
  );
}
