import { Anchor, List, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { createFlag, type FeatureFlag, updateFlag } from '../../api/feature-flags.ts';
import { platformKey } from '../../api/platform.ts';
import type { ProblemDetail } from '../../api/problem.ts';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { fromText } from './definition.ts';
import { positionOf } from './json-position.ts';

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
  const isReadOnly = !useWritesPlatform();
  const resource = useResourceForm({
    initialValues: { key: flag?.key ?? '', description: flag?.description ?? '', definition: text },
    validate: { definition: (value) => (fromText(value) === undefined ? notJson.message : null) },
    submit: ({ key, description, definition }) => {
      const body = { key, description: description || null, definition: fromText(definition) ?? {} };
      return flag === undefined ? createFlag(body) : updateFlag(flag.id, body);
    },
    invalidates: [platformKey('feature-flags')],
    onSaved,
  });
  const { form } = resource;
  const mistakes = Object.entries(form.errors)
    .filter(([field]) => field === 'definition' || field.startsWith('definition.'))
    .map(([field, message]) => ({ field, message: String(message) }));
  return (
    <ResourceFormBody
      isReadOnly={isReadOnly}
      resource={resource}
      submitLabel={flag === undefined ? 'Create feature flag' : 'Save'}
    >
      <Stack gap="sm">
        <TextInput
          label="Key"
          description="Applications evaluate the flag by this key. If you change it, they no longer find the flag."
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

interface DefinitionEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The service's mistakes in the definition, with paths that begin with `definition`. */
  readonly mistakes: readonly ProblemDetail[];
}

const pathOf = ({ field }: ProblemDetail) => field.split('.').slice(1);

/** A field for a flag's definition. Each mistake names its line, and leads there. */
function DefinitionEditor({ value, onChange, mistakes }: DefinitionEditorProps) {
  const id = useId();
  const isJson = fromText(value) !== undefined;
  const goTo = (mistake: ProblemDetail) => {
    const { offset } = positionOf(value, pathOf(mistake));
    const lineEnd = value.indexOf('\n', offset);
    const field = document.getElementById(id);
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    field.setSelectionRange(offset, lineEnd === -1 ? value.length : lineEnd);
  };
  const list = mistakes.length > 0 && (
    <div role="alert">
      <List size="sm" spacing={2}>
        {mistakes.map((mistake) => (
          <List.Item key={`${mistake.field} ${mistake.message}`}>
            {isJson && (
              <>
                <Anchor component="button" type="button" inherit onClick={() => goTo(mistake)}>
                  Line {positionOf(value, pathOf(mistake)).line}
                </Anchor>
                {': '}
              </>
            )}
            <b>{pathOf(mistake).join('.') || 'definition'}</b>: {mistake.message}
          </List.Item>
        ))}
      </List>
    </div>
  );
  return (
    <JsonEditor
      id={id}
      label="Definition"
      description={
        <Text span inherit>
          Enter a flag in flagd format: <code>state</code>, <code>variants</code>, <code>defaultVariant</code> and{' '}
          <code>targeting</code>. Rules can use <code>plan</code>, <code>tenant_id</code> and what the application
          sends.
        </Text>
      }
      minRows={14}
      // Formatting would move the lines away under the person who goes to one.
      formatOnBlur={false}
      value={value}
      onChange={onChange}
      error={list}
      errorProps={{ component: 'div' }}
    />
  );
}
