import { Text, TextInput } from '@mantine/core';
import { activationsKey } from '../../api/activations.ts';
import { activateDevice, type License, licensesKey } from '../../api/licenses.ts';
import { keyOf } from '../../api/query-client.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';

/** Activates a device by hand: one that has no network, or whose application cannot ask. */
export function ActivateDeviceForm({ license }: { readonly license: License }) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { fingerprint: '', name: '' },
    validate: { fingerprint: (value) => (value.trim() === '' ? 'Enter the fingerprint of the device.' : null) },
    submit: ({ fingerprint, name }, idempotencyKey) =>
      activateDevice(surface, license.id, deviceOf(fingerprint, name), idempotencyKey),
    invalidates: [licensesKey(surface), activationsKey(surface), keyOf(surface, 'audit-logs')],
    fieldsOfCodes: { 'ACTIVATION.LIMIT_REACHED': 'fingerprint' },
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Activate device">
      <Text>
        Applications activate the device that they run on. Do it by hand for a device without a network, before you
        issue its offline certificate.
      </Text>
      <TextInput
        label="Fingerprint"
        description="What your application shows as the identity of the device."
        withAsterisk
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('fingerprint')}
      />
      <TextInput
        label="Device name"
        placeholder="Cash desk"
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
    </ResourceFormBody>
  );
}

/** Returns the device that a person entered. */
export function deviceOf(fingerprint: string, name: string) {
  const device = { fingerprint: fingerprint.trim(), hostname: null, platform: null, metadata: {} };
  return { ...device, name: name.trim() === '' ? null : name.trim() };
}
