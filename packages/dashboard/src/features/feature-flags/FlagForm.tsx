import { Stack, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FeatureFlag, saveFlag } from '../../api/feature-flags.ts';
import { platformKey } from '../../api/platform.ts';
import type { ProblemDetail } from '../../api/problem.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { DefinitionEditor } from './DefinitionEditor.tsx';
import { fromText } from './definition.ts';

interface FlagFormProps {
  /** The flag to change; absent for a new one. */
  readonly flag?: FeatureFlag;
  /** The text in the editor, which the tester evaluates as well. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSaved: (flag: FeatureFlag) => unknown;
}

const notJson: ProblemDetail = { field: 'definition', message: 'is not a JSON object.' };

/** Creates or changes a flag. The service's mistakes appear at their lines in the editor. */
export function FlagForm({ flag, text, onText, onSaved }: FlagFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { key: flag?.key ?? '', description: flag?.description ?? '', definition: text },
    validate: { definition: (value) => (fromText(value) === undefined ? notJson.message : null) },
    submit: ({ key, description, definition }) =>
      saveFlag(flag?.id, { key, description: description || null, definition: fromText(definition) ?? {} }),
    onSaved: async (saved) => {
      await client.invalidateQueries({ queryKey: platformKey('feature-flags') });
      await onSaved(saved);
    },
  });
  const { form } = resource;
  const mistakes = Object.entries(form.errors)
    .filter(([field]) => field === 'definition' || field.startsWith('definition.'))
    .map(([field, message]) => ({ field, message: String(message) }));
  return (
    <ResourceFormBody resource={resource} submitLabel={flag === undefined ? 'Create feature flag' : 'Save'}>
      <Stack gap="sm">
        <TextInput
          label="Key"
          description="What applications ask for. They stop finding the flag when it changes."
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('key')}
        />
        <Textarea label="Description" autoComplete="off" {...form.getInputProps('description')} />
        <DefinitionEditor
          value={form.values.definition}
          mistakes={mistakes}
          onChange={(definition) => {
            for (const { field } of mistakes) form.clearFieldError(field);
            form.setFieldValue('definition', definition);
            onText(definition);
          }}
        />
      </Stack>
    </ResourceFormBody>
  );
}
