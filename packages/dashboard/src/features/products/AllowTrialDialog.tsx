import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { keyOf } from '../../api/query-client.ts';
import { allowTrial, type Product } from '../../api/tenant-catalog.ts';
import { FormDialog } from '../../components/ConfirmDialog.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface AllowTrialDialogProps {
  readonly product: Product;
  readonly onClose: () => void;
}

/** Lets a device or a person who had the trial of a product start another one. */
export function AllowTrialDialog({ product, onClose }: AllowTrialDialogProps) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { email: '', fingerprint: '' },
    validate: {
      email: (email, { fingerprint }) =>
        email.trim() === '' && fingerprint.trim() === '' ? 'Enter an email address or a fingerprint.' : null,
    },
    submit: ({ email, fingerprint }) =>
      allowTrial(surface, product.id, {
        ...(email.trim() !== '' && { email: email.trim() }),
        ...(fingerprint.trim() !== '' && { fingerprint: fingerprint.trim() }),
      }),
    invalidates: [keyOf(surface, 'audit-logs')],
    onSaved: ({ forgotten }) => {
      const message =
        forgotten === 0 ? 'Nobody with this address or device had a trial.' : 'Another trial can be started now.';
      notifications.show({ message, role: 'status' });
      onClose();
    },
  });
  return (
    <FormDialog title="Allow another trial" isOpen onClose={onClose}>
      <ResourceFormBody resource={resource} submitLabel="Allow trial">
        <Text>
          A device and an email address have one trial of {product.name}. The license of the former trial stays as it
          is.
        </Text>
        <TextInput label="Email address" {...resource.form.getInputProps('email')} />
        <TextInput label="Fingerprint of the device" {...resource.form.getInputProps('fingerprint')} />
      </ResourceFormBody>
    </FormDialog>
  );
}
