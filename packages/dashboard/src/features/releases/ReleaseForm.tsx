import { Autocomplete, Group, Input, MultiSelect, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Release, type ReleaseInput, releasesKey } from '../../api/releases.ts';
import { entitlementOptionsQuery } from '../../api/tenant-catalog.ts';
import { Markdown } from '../../components/Markdown.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { ArtifactFields } from './ArtifactFields.tsx';
import { inputOf, type ReleaseValues, releaseErrors, valuesOf } from './release-values.ts';
import { commonChannels } from './search.ts';

interface ReleaseFormProps {
  /** The draft to change; absent for a new one. */
  readonly release?: Release;
  readonly submitLabel: string;
  readonly submit: (input: ReleaseInput, idempotencyKey: string) => Promise<Release>;
  /** Runs after a success; without it, the drawer closes. */
  readonly onSaved?: (release: Release) => unknown;
}

/** The fields of a draft. */
export function ReleaseForm({ release, submitLabel, submit, onSaved }: ReleaseFormProps) {
  const surface = useSurface();
  const isReading = useRef(false);
  const resource = useResourceForm<ReleaseValues, Release>({
    initialValues: valuesOf(release),
    validate: (values) => ({
      ...releaseErrors(values),
      ...(isReading.current && { artifacts: 'Wait until the files are read.' }),
    }),
    submit: (values, idempotencyKey) => submit(inputOf(values), idempotencyKey),
    invalidates: [releasesKey(surface)],
    fieldsOfCodes: { 'RELEASE.VERSION_TAKEN': 'version' },
    ...(onSaved && { onSaved }),
  });
  const { form } = resource;
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(surface));
  return (
    <ResourceFormBody resource={resource} submitLabel={submitLabel}>
      <Stack gap="md">
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label="Version"
            required
            placeholder="1.4.0"
            spellCheck={false}
            data-autofocus
            miw={160}
            {...form.getInputProps('version')}
          />
          <Autocomplete
            label="Channel"
            required
            data={[...commonChannels]}
            miw={160}
            {...form.getInputProps('channel')}
          />
        </Group>
        <NotesInput {...form.getInputProps('notes')} />
        <MultiSelect
          label="Minimum entitlements"
          description="A license needs all of these to download the release. Leave this empty to ask for none."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={entitlements.map(({ code, name }) => ({ value: code, label: name }))}
          searchable
          {...form.getInputProps('minimum_entitlements')}
        />
        <ArtifactFields form={form} isReading={isReading} />
      </Stack>
    </ResourceFormBody>
  );
}

interface NotesInputProps {
  readonly value?: string;
  readonly onChange?: (event: React.ChangeEvent<HTMLTextAreaElement>) => void;
  readonly error?: React.ReactNode;
}

/** The notes as Markdown, or as customers read them. */
function NotesInput({ value = '', ...props }: NotesInputProps) {
  const [view, setView] = useState('write');
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Input.Label htmlFor="release-notes">Notes</Input.Label>
        <SegmentedControl
          aria-label="View of the notes"
          size="xs"
          data={[
            { value: 'write', label: 'Write' },
            { value: 'preview', label: 'Preview' },
          ]}
          value={view}
          onChange={setView}
        />
      </Group>
      {view === 'write' ? (
        <Textarea
          id="release-notes"
          description="What has changed, in Markdown: **bold**, lists with -, links as [label](https://…)."
          inputWrapperOrder={['input', 'description', 'error']}
          autosize
          minRows={5}
          maxRows={16}
          value={value}
          {...props}
        />
      ) : value.trim() === '' ? (
        <Hint>There are no notes.</Hint>
      ) : (
        <Markdown>{value}</Markdown>
      )}
    </Stack>
  );
}
