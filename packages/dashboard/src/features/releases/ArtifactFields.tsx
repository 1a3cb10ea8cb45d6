import {
  ActionIcon,
  Button,
  FileButton,
  Group,
  Input,
  NumberInput,
  Paper,
  Progress,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type RefObject, useState } from 'react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Hint } from '../../components/Texts.tsx';
import { FileUp, Trash2 } from '../../icons/icons.gen.ts';
import { digestOf } from '../../lib/file-digest.ts';
import { formatBytes } from '../../lib/text.ts';
import { architectures, guessTarget, platforms, proposeUrl } from './artifact-file.ts';
import { type ReleaseValues, unknownArtifact } from './release-values.ts';

interface ArtifactFieldsProps {
  readonly form: UseFormReturnType<ReleaseValues>;
  /** Whether files are being read, for the check of the form before it is sent. */
  readonly isReading: RefObject<boolean>;
}

interface ReadShare {
  readonly name: string;
  readonly share: number;
}

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } };
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** The files of a release. A chosen file fills in its fields; it is read in the browser and never sent. */
export function ArtifactFields({ form, isReading }: ArtifactFieldsProps) {
  const [progress, setProgress] = useState<ReadShare | null>(null);
  const [unreadable, setUnreadable] = useState<string | null>(null);
  async function read(files: readonly File[]): Promise<void> {
    isReading.current = true;
    setUnreadable(null);
    form.clearFieldError('artifacts');
    for (const file of files) {
      try {
        setProgress({ name: file.name, share: 0 });
        add(file, await digestOf(file, (share) => setProgress({ name: file.name, share })));
      } catch {
        setUnreadable(file.name);
      }
    }
    setProgress(null);
    isReading.current = false;
  }
  /** A file with the name of another one is a new build of it. */
  function add({ name, size }: File, sha256: string): void {
    const { artifacts } = form.getValues();
    const index = artifacts.findIndex(({ file_name }) => file_name === name);
    const before = artifacts[index];
    if (before !== undefined) {
      form.replaceListItem('artifacts', index, { ...before, size, sha256, signature: '' });
      return;
    }
    const url = proposeUrl(name, artifacts);
    form.insertListItem('artifacts', { ...unknownArtifact, ...guessTarget(name), file_name: name, url, size, sha256 });
  }
  const { artifacts } = form.values;
  return (
    <Stack gap="sm" role="group" aria-label="Files">
      <Stack gap={2}>
        <Text fw={600}>Files</Text>
        <Hint>
          Choose the files of the release to fill in their names, sizes and digests. They stay on this computer: upload
          them to your own server, and enter their addresses here.
        </Hint>
      </Stack>
      {artifacts.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields hold no state besides the form's.
        <ArtifactCard key={index} form={form} index={index} />
      ))}
      {progress !== null && (
        <Stack gap={4} role="status">
          <Text size="sm">Reading {progress.name} …</Text>
          <Progress value={progress.share * 100} aria-label={`Progress of ${progress.name}`} />
        </Stack>
      )}
      {unreadable !== null && (
        <Input.Error role="alert">{unreadable} could not be read. Choose it again, or enter its values.</Input.Error>
      )}
      {form.errors['artifacts'] !== undefined && <Input.Error role="alert">{form.errors['artifacts']}</Input.Error>}
      <Group gap="xs">
        <FileButton multiple onChange={(files) => void read(files)}>
          {({ onClick }) => (
            <ActionButton
              icon={FileUp}
              label="Choose files"
              variant="default"
              loading={progress !== null}
              onClick={onClick}
            />
          )}
        </FileButton>
        <Button variant="subtle" onClick={() => form.insertListItem('artifacts', unknownArtifact)}>
          Enter values by hand
        </Button>
      </Group>
    </Stack>
  );
}

function ArtifactCard({ form, index }: { readonly form: ArtifactFieldsProps['form']; readonly index: number }) {
  const field = (name: keyof typeof unknownArtifact) => form.getInputProps(`artifacts.${index}.${name}`);
  const { file_name: name, size } = form.values.artifacts[index] ?? unknownArtifact;
  return (
    <Paper p="sm" withBorder role="group" aria-label={name || `File ${index + 1}`}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput label="File name" required flex={1} miw={0} {...field('file_name')} />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove ${name || `file ${index + 1}`}`}
            onClick={() => form.removeListItem('artifacts', index)}
          >
            <Trash2 size={16} aria-hidden="true" />
          </ActionIcon>
        </Group>
        <TextInput
          label="URL"
          required
          type="url"
          placeholder="https://downloads.example.com/editor/1.4.0/Editor.dmg"
          {...field('url')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
          <Select label="Platform" data={optionsOf(platforms)} allowDeselect={false} {...field('platform')} />
          <Select label="Architecture" data={optionsOf(architectures)} allowDeselect={false} {...field('arch')} />
          <NumberInput
            label="Size in bytes"
            required
            min={1}
            allowDecimal={false}
            thousandSeparator=" "
            hideControls
            description={typeof size === 'number' && size >= 1000 ? formatBytes(size) : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...field('size')}
          />
          <TextInput label="SHA-256" required spellCheck={false} styles={mono} {...field('sha256')} />
        </SimpleGrid>
        <Textarea
          label="Signature"
          description="Only for updaters: that of minisign for Tauri, or EdDSA for Sparkle."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={1}
          spellCheck={false}
          styles={mono}
          {...field('signature')}
        />
      </Stack>
    </Paper>
  );
}
