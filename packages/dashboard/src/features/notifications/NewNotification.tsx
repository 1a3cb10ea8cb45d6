import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type CreateNotification, createNotification, notificationsKey } from '../../api/notifications.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { severities } from './search.ts';

interface NewNotificationProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Writes a note to everybody in the tenant. */
export function NewNotification({ isOpen, onClose }: NewNotificationProps) {
  return (
    <FormDrawer title="New notification" isOpen={isOpen} onClose={onClose}>
      {(onUnsaved) => <NotificationForm onClose={onClose} onUnsaved={onUnsaved} />}
    </FormDrawer>
  );
}

interface NotificationFormProps {
  readonly onClose: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

function NotificationForm({ onClose, onUnsaved }: NotificationFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { severity: 'info' as NonNullable<CreateNotification['severity']>, title: '', body: '' },
    validate: {
      title: (title) => (title.trim() === '' ? 'Enter a title.' : null),
      body: (body) => (body.trim() === '' ? 'Enter what happened and what to do.' : null),
    },
    submit: (values, key) =>
      createNotification(surface, { type: 'message', ...values, title: values.title.trim() }, key),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: notificationsKey(surface) });
      onClose();
    },
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Create notification" onCancel={onClose}>
      <Text c="dimmed">Everybody in the team sees it under Notifications. It is not sent by mail.</Text>
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
        description="What happened, and what to do."
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
