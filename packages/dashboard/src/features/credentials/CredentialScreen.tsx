import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { keyOf } from '../../api/query-client.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, type DataTableProps, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import type { IconComponent } from '../../icons/icon.ts';
import { Plus } from '../../icons/icons.gen.ts';
import { formatRelative, formatWhen } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import type { ListFilters } from '../../shell/use-filters.ts';
import { allows, type Surface } from '../../surfaces.ts';
import { credentialStatuses } from './search.ts';

/** What API keys and access tokens have in common. Times are ISO 8601. */
interface Credential {
  readonly id: string;
  readonly name: string;
  /** The end of the secret. */
  readonly hint: string;
  readonly status: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly created_by: CreatorTextProps['creator'];
}

/** The texts about a kind of credential. */
export interface CredentialKind {
  readonly resource: 'api-keys' | 'access-tokens';
  /** The name as a screen writes it: `API key`. `short` is its last word. */
  readonly name: string;
  readonly short: string;
  /** The label of the secret for screen readers. */
  readonly secretLabel: string;
  readonly icon: IconComponent;
  readonly title: string;
  readonly description: string;
  /** What an empty list explains. */
  readonly purpose: string;
  /** Who uses the credential: `application`. */
  readonly user: string;
  /** How the user sends the secret. */
  readonly usage: ReactNode;
}

/** What the form of a kind of credential gets. */
export interface CredentialFormProps {
  /** Receives the raw secret, which no other response contains. */
  readonly onCreated: (secret: string | null) => void;
}

interface CredentialScreenProps<Row extends Credential> {
  readonly kind: CredentialKind;
  readonly query: DataTableProps<Row>['query'];
  readonly filters: ListFilters;
  /** What to show if no credential matches the filters. */
  readonly noMatch: { readonly title: string; readonly description: string };
  /** The columns between the status and the times. */
  readonly columns: readonly Column<Row>[];
  readonly revoke: (surface: Surface, id: string) => Promise<unknown>;
  readonly renderForm: (props: CredentialFormProps) => ReactNode;
  /** The form that changes a credential; absent for a kind that cannot be changed. */
  readonly renderEdit?: (row: Row) => ReactNode;
  /** The form that replaces a credential; absent for a kind that cannot be replaced. */
  readonly renderReplacement?: (row: Row, props: CredentialFormProps) => ReactNode;
}

/** Lists the credentials of one kind, creates and revokes them. */
export function CredentialScreen<Row extends Credential>(props: CredentialScreenProps<Row>): ReactNode {
  const { kind, query, filters, noMatch, columns, revoke, renderForm, renderEdit, renderReplacement } = props;
  const { search, change, isFiltered } = filters;
  const { panel, cursor } = search;
  const surface = useSurface();
  const client = useQueryClient();
  // Only the dialog knows the raw secret: neither a cache nor the URL or a storage contains it.
  const [secret, setSecret] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<Row | null>(null);
  const [edited, setEdited] = useState<Row | null>(null);
  const [replaced, setReplaced] = useState<Row | null>(null);
  const mayCreate = allows(surface, kind.resource, 'create');
  const mayRevoke = allows(surface, kind.resource, 'delete');
  const mayEdit = renderEdit !== undefined && allows(surface, kind.resource, 'update');
  const mayReplace = renderReplacement !== undefined && mayCreate;
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const close = () => void change({ panel: undefined, cursor });
  const create = mayCreate && (
    <ActionButton icon={Plus} label={`New ${kind.name}`} onClick={() => void change({ panel: 'new', cursor })} />
  );
  return (
    <Page title={kind.title} description={kind.description} actions={create}>
      <FilterBar filters={filters}>
        <SelectFilter name="status" label="Status" options={credentialStatuses} />
      </FilterBar>
      <DataTable
        caption={kind.title}
        columns={[
          ...leadingColumns,
          ...columns,
          ...timeColumns,
          ...(mayRevoke
            ? [
                credentialActions<Row>({
                  ...(mayEdit && { Edit: setEdited }),
                  ...(mayReplace && { Replace: setReplaced }),
                  Revoke: setRevoked,
                }),
              ]
            : []),
        ]}
        query={query}
        empty={{
          icon: kind.icon,
          title: `No ${kind.name}s yet`,
          description: kind.purpose,
          ...(mayCreate && { action: create }),
          noMatch: isFiltered && { icon: kind.icon, ...noMatch },
        }}
      />
      <FormDrawer title={`New ${kind.name}`} isOpen={panel === 'new' && mayCreate} onClose={close}>
        {renderForm({
          onCreated: (raw) => {
            setSecret(raw);
            close();
            void refresh();
          },
        })}
      </FormDrawer>
      <FormDrawer title={`Edit ${kind.name}`} isOpen={edited !== null} onClose={() => setEdited(null)}>
        {edited !== null && renderEdit?.(edited)}
      </FormDrawer>
      <FormDrawer title={`Replace ${kind.name}`} isOpen={replaced !== null} onClose={() => setReplaced(null)}>
        {replaced !== null &&
          renderReplacement?.(replaced, {
            onCreated: (raw) => {
              setSecret(raw);
              setReplaced(null);
              void refresh();
            },
          })}
      </FormDrawer>
      <SecretDialog
        title={`New ${kind.name}`}
        label={kind.secretLabel}
        secret={secret}
        onStored={() => setSecret(null)}
      >
        <Hint>{kind.usage}</Hint>
      </SecretDialog>
      <ConfirmDialog
        title={`Revoke ${kind.name}`}
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        {...(revoked !== null && { typedName: revoked.name })}
        onConfirm={async () => {
          if (revoked !== null) await revoke(surface, revoked.id);
        }}
        invalidates={[keyOf(surface)]}
      >
        {revoked !== null && <Consequence kind={kind} credential={revoked} />}
      </ConfirmDialog>
    </Page>
  );
}

function Consequence({ kind, credential }: { readonly kind: CredentialKind; readonly credential: Credential }) {
  const { name, hint, last_used_at: lastUsedAt } = credential;
  return (
    <Stack gap="xs">
      <span>
        Revoking <b>{name}</b> (<code>{hint}</code>) cannot be undone. Every {kind.user} that uses the {kind.short} is
        refused immediately.
      </span>
      <span>
        {lastUsedAt === null
          ? `The ${kind.short} was never used.`
          : `The ${kind.short} was last used ${formatWhen(lastUsedAt)}.`}
      </span>
    </Stack>
  );
}

const leadingColumns: readonly Column<Credential>[] = [
  {
    header: 'Name',
    cell: ({ name, hint, last_used_at: lastUsedAt }) => (
      <Stack gap={0}>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          {hint}
        </Text>
        <Hint hiddenFrom="xs">{lastUsedAt === null ? 'Never used' : `Used ${formatRelative(lastUsedAt)}`}</Hint>
      </Stack>
    ),
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
];

const timeColumns: readonly Column<Credential>[] = [
  timeColumn('Last used', ({ last_used_at: at }) => at, { format: 'relative', fallback: 'Never', isSecondary: true }),
  timeColumn('Expires', ({ expires_at: at }) => at, { format: 'last-day', fallback: 'Never', isSecondary: true }),
  {
    header: 'Created',
    isSecondary: true,
    cell: ({ created_at: at, created_by: creator }) => <CreatorText at={at} creator={creator} />,
  },
];

/** Returns the column with a button for each action, by its label; a revoked credential has none. */
function credentialActions<Row extends Credential>(
  actions: Readonly<Partial<Record<'Edit' | 'Replace' | 'Revoke', (credential: Row) => void>>>,
): Column<Row> {
  return actionsColumn((credential) =>
    credential.status === 'revoked' ? null : (
      <Group gap={4} justify="flex-end">
        {Object.entries(actions).map(([label, run]) => (
          <Button
            key={label}
            size="compact-sm"
            variant="subtle"
            {...(label === 'Revoke' && { color: 'red' })}
            aria-label={`${label} ${credential.name}`}
            onClick={() => run(credential)}
          >
            {label}
          </Button>
        ))}
      </Group>
    ),
  );
}

interface CreatorTextProps {
  readonly at: string;
  readonly creator: { readonly type: string; readonly name?: string | null } | null;
}

function creatorName(creator: CreatorTextProps['creator']): string {
  if (creator === null) return 'The service';
  if (creator.type === 'admin') return 'A platform admin';
  return creator.name ?? 'A former member';
}

/** Who created a credential, and when. */
function CreatorText({ at, creator }: CreatorTextProps) {
  return (
    <Stack gap={0}>
      <Text truncate maw={180}>
        {creatorName(creator)}
      </Text>
      <Hint>
        <TimeText value={at} format="date" />
      </Hint>
    </Stack>
  );
}
