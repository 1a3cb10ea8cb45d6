import { Box, Group, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type CreateNotification,
  createNotification,
  markAllRead,
  markRead,
  type Notification,
  notificationsKey,
  notificationsQuery,
  unreadCountQuery,
} from '../../api/notifications.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { BellOff, Check, CheckCheck, CircleAlert, Info, Plus, TriangleAlert } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { resourcePath } from '../audit/resource-path.ts';
import { notificationSearch, severities } from './search.ts';

const unreadOf = { read: { unread: false }, all: {}, unread: { unread: true } } as const;

const columns: readonly Column<Notification>[] = [
  {
    header: 'Severity',
    cell: ({ severity }) => <SeverityLabel severity={severity} />,
    isSecondary: true,
    width: 110,
  },
  { header: 'Notification', cell: (row) => <NotificationText notification={row} /> },
  timeColumn('Created', ({ created_at }) => created_at, { format: 'relative', isSecondary: true }),
  actionsColumn((row) => <ReadButton notification={row} />, { isSecondary: true, width: 140 }),
];

/** What the service and colleagues report to everybody in the tenant. New ones appear by themselves. */
export default function NotificationsScreen() {
  const surface = useSurface();
  const [{ show = 'unread', panel, ...filters }, change, bar] = useFilters(notificationSearch, 'severity');
  const query = useQuery(notificationsQuery(surface, { ...filters, ...unreadOf[show] }));
  const { data: unread } = useQuery(unreadCountQuery(surface));
  const readAll = useAction({ run: () => markAllRead(surface), invalidates: [notificationsKey(surface)] });
  const canRead = allows(surface, 'notifications', 'act');
  const canCreate = allows(surface, 'notifications', 'create');
  return (
    <Page
      title="Notifications"
      description="Notifications tell you what needs attention. A notification that one member has read counts as read for the whole team."
      actions={
        <>
          {canRead && (
            <ActionButton
              icon={CheckCheck}
              label="Mark all as read"
              variant="default"
              disabled={unread?.count === 0}
              loading={readAll.isPending}
              onClick={() => readAll.mutate(undefined, { onError: showProblem })}
            />
          )}
          {canCreate && (
            <ActionButton icon={Plus} label="New notification" onClick={() => void change({ panel: 'new' })} />
          )}
        </>
      }
    >
      <FilterBar filters={bar}>
        <SegmentedControl
          aria-label="Show"
          size="sm"
          value={show}
          onChange={(next) => void change({ show: next === 'unread' ? undefined : next })}
          data={['unread', 'read', 'all'].map((value) => ({ value, label: words(value) }))}
        />
        <SelectFilter name="severity" label="Severity" options={severities} />
      </FilterBar>
      <DataTable
        caption="Notifications"
        columns={columns}
        query={query}
        empty={{
          icon: BellOff,
          title: show === 'unread' ? 'Nothing needs your attention' : 'No notifications',
          description:
            'You are notified here when licenses expire, a limit is reached, a webhook endpoint keeps failing, or a payment fails.',
        }}
      />
      <FormDrawer
        title="New notification"
        isOpen={panel === 'new' && canCreate}
        onClose={() => void change({ panel: undefined })}
      >
        <NotificationForm />
      </FormDrawer>
    </Page>
  );
}

const linkTexts: Readonly<Record<string, string>> = {
  connection: 'Open the connection',
  license: 'Open the license',
  plan: 'Open billing',
  subscription: 'Open billing',
  webhook: 'Open the endpoint',
};

function NotificationText({ notification }: { readonly notification: Notification }) {
  const { title, body, read_at, resource_type: type, resource_id: id } = notification;
  const path = type === null ? null : resourcePath(type, id);
  const isSeveral = type === 'license' && id === null;
  return (
    <Stack gap={2} py={4} style={{ whiteSpace: 'normal' }} maw={760}>
      <Group gap="xs" hiddenFrom="xs" justify="space-between">
        <SeverityLabel severity={notification.severity} />
        <Text span size="sm" c="dimmed">
          <TimeText value={notification.created_at} format="relative" />
        </Text>
      </Group>
      <Text inherit fw={read_at === null ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
        {read_at === null && <span className="visually-hidden">Unread: </span>}
        {title}
      </Text>
      <Hint style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{body}</Hint>
      {path !== null && type !== null && (
        <SurfaceLink to={path} size="sm" lh="24px" style={{ alignSelf: 'flex-start' }}>
          {isSeveral ? 'Open the licenses' : (linkTexts[type] ?? 'Open')}
        </SurfaceLink>
      )}
      <Box hiddenFrom="xs" ml={-8}>
        <ReadButton notification={notification} />
      </Box>
    </Stack>
  );
}

function ReadButton({ notification }: { readonly notification: Notification }) {
  const surface = useSurface();
  const read = useAction({
    run: () => markRead(surface, notification.id),
    invalidates: [notificationsKey(surface)],
  });
  if (notification.read_at !== null || !allows(surface, 'notifications', 'act')) return null;
  return (
    <RunButton
      action={read}
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Check size={14} aria-hidden="true" />}
      aria-label={`Mark as read: ${notification.title}`}
    >
      Mark as read
    </RunButton>
  );
}

const icons = { critical: CircleAlert, warning: TriangleAlert, info: Info };
const colors = {
  critical: 'var(--mantine-color-red-text)',
  warning: 'var(--mantine-color-yellow-text)',
  info: 'var(--mantine-color-blue-text)',
};

/** How urgent a notification is: an icon with its own shape, and the word. */
function SeverityLabel({ severity }: Pick<Notification, 'severity'>) {
  const Icon = icons[severity];
  return (
    <Group gap={6} wrap="nowrap" component="span" style={{ display: 'inline-flex' }}>
      <Icon size={16} aria-hidden="true" color={colors[severity]} style={{ flexShrink: 0 }} />
      <Text span inherit size="sm">
        {words(severity)}
      </Text>
    </Group>
  );
}

/** Writes a note to everybody in the tenant. */
function NotificationForm() {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { severity: 'info' as NonNullable<CreateNotification['severity']>, title: '', body: '' },
    validate: {
      title: (title) => (title.trim() === '' ? 'Enter a title.' : null),
      body: (body) => (body.trim() === '' ? 'Enter what happened and what to do.' : null),
    },
    submit: (values, key) =>
      createNotification(surface, { type: 'message', ...values, title: values.title.trim() }, key),
    invalidates: [notificationsKey(surface)],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create notification">
      <Text c="dimmed">Everyone on your team sees this under Notifications. It is not sent by mail.</Text>
      <TextInput
        label="Title"
        placeholder="Maintenance on Sunday"
        maxLength={200}
        required
        data-autofocus
        {...form.getInputProps('title')}
      />
      <Textarea
        label="Body"
        description="Describe what happened and what to do."
        minRows={4}
        maxLength={5000}
        required
        {...form.getInputProps('body')}
      />
      <Select
        label="Severity"
        data={severities.map((value) => ({ value, label: words(value) }))}
        allowDeselect={false}
        {...form.getInputProps('severity')}
      />
    </ResourceFormBody>
  );
}
