import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { AuditRecord } from '../../api/audit-logs.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, type DataTableProps, timeColumn } from '../../components/DataTable.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { ChevronDown, ChevronRight } from '../../icons/icons.gen.ts';
import { count, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import classes from './AuditSentence.module.css';
import { actorKind, actorText } from './actors.ts';
import { ChangeList } from './ChangeList.tsx';
import { eventPhrase } from './events.ts';
import { fieldChanges } from './field-changes.ts';
import { platformResourcePath, resourcePath } from './resource-path.ts';

const none = <Dimmed>—</Dimmed>;

const columns: readonly Column<AuditRecord>[] = [
  { header: 'What happened', cell: (record) => <AuditSentence record={record} /> },
  {
    header: 'Address',
    cell: ({ ip }) => (ip === null ? none : <span className="tabular">{ip}</span>),
    isSecondary: true,
    width: 130,
  },
  {
    header: 'Request',
    cell: ({ request_id: id }) =>
      id === null ? none : <CopyableText value={id} label="request ID" maxLength={13} size="xs" />,
    isSecondary: true,
    width: 150,
  },
  timeColumn('Time', ({ occurred_at }) => occurred_at, { align: 'right', isSecondary: true, width: 172 }),
];

/** What the table shows. */
export interface AuditTableProps {
  readonly query: DataTableProps<AuditRecord>['query'];
  readonly empty: DataTableProps<AuditRecord>['empty'];
}

/** A page of audit records as sentences. */
export function AuditTable({ query, empty }: AuditTableProps) {
  return <DataTable caption="Audit records" columns={columns} query={query} empty={empty} />;
}

const nameFields = ['name', 'title', 'url', 'email', 'code'];

/** Returns a name of the resource if the changes contain one. */
function nameIn({ changes }: AuditRecord): string | null {
  for (const field of nameFields) {
    const change = changes.find((one) => one.field === field);
    const value = change?.new ?? change?.old;
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** An audit record as a sentence, with the changed fields on demand. */
function AuditSentence({ record }: { readonly record: AuditRecord }) {
  const [isOpen, setOpen] = useState(false);
  const kind = actorKind(record);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <Stack gap={2}>
      <div className={classes['sentence']}>
        <b>{actorText(record)}</b>
        {kind !== null && <Dimmed> ({kind})</Dimmed>} {eventPhrase(record.event, record.resource_type)}{' '}
        <ResourceName record={record} />
        {record.changes.length > 0 && (
          <UnstyledButton className={classes['toggle'] ?? ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon size={13} aria-hidden="true" /> {count(fieldChanges(record.changes).length, 'field')}
          </UnstyledButton>
        )}
      </div>
      <Text span size="xs" c="dimmed" hiddenFrom="xs">
        <TimeText value={record.occurred_at} />
      </Text>
      {isOpen && <ChangeList changes={record.changes} />}
    </Stack>
  );
}

function ResourceName({ record }: { readonly record: AuditRecord }) {
  const { area, tenantId } = useSurface();
  const pathOf = area === 'admin' && tenantId === null ? platformResourcePath : resourcePath;
  const { resource_type, resource_id, event, actor_id } = record;
  // "Ada logged in Ada" says nothing more than "Ada logged in".
  if (resource_id !== null && resource_id === actor_id) return null;
  const named = record.resource_name ?? nameIn(record);
  const name = named ?? (resource_id === null || resource_type === 'settings' ? null : truncateMiddle(resource_id, 13));
  if (name === null || resource_type === 'settings') return null;
  const path = pathOf(resource_type, resource_id);
  const font = named === null ? { ff: 'monospace' } : {};
  if (path === null || event.includes('.DELETED')) {
    return (
      <Text span inherit {...font}>
        {name}
      </Text>
    );
  }
  return (
    <SurfaceLink to={path} inherit underline="always" {...font}>
      {name}
    </SurfaceLink>
  );
}
