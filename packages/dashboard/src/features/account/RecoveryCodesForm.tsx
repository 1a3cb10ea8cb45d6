import { Text } from '@mantine/core';
import { replaceRecoveryCodes } from '../../api/account.ts';
import type { Area } from '../../api/session.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { required } from '../identity/password-rules.ts';
import { CodeInput } from './CodeInput.tsx';
import { ProofForm } from './ProofForm.tsx';

interface RecoveryCodesFormProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onReplaced: (recoveryCodes: readonly string[]) => unknown;
}

/** Replaces the recovery codes; the old ones stop working. */
export function RecoveryCodesForm({ area, onCancel, onReplaced }: RecoveryCodesFormProps) {
  const resource = useResourceForm({
    initialValues: { code: '' },
    validate: { code: required('a code of your app') },
    submit: ({ code }) => replaceRecoveryCodes(area, code.trim()),
    onSaved: onReplaced,
  });
  return (
    <ProofForm resource={resource} submitLabel="Replace recovery codes" onCancel={onCancel}>
      <Text size="md">You get new recovery codes. The old ones stop working.</Text>
      <CodeInput
        description="A code of your app, or one of the old recovery codes."
        data-autofocus
        {...resource.form.getInputProps('code')}
      />
    </ProofForm>
  );
}
