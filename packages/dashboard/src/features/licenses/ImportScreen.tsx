import { Alert, Anchor, Button, Checkbox, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { checkImport, type ImportResult, startImport } from '../../api/licenses.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { UnsavedWarning } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { showProblem } from '../../components/use-action.ts';
import { FileUp } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { count } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { BadRows, FirstRows } from './ImportPreview.tsx';
import { ImportProgress, ImportSteps } from './ImportProgress.tsx';
import { importTemplate } from './import-template.ts';
import { importSearch } from './search.ts';

type State =
  | { readonly step: 'choose' | 'checking' }
  | { readonly step: 'preview' | 'starting'; readonly result: ImportResult };

/** Imports licenses from a file: choose it, see what would happen, run it, see what happened. */
export default function ImportScreen(): ReactNode {
  const surface = useSurface();
  const [search, change] = useFilters(importSearch);
  const [file, setFile] = useState<File | null>(null);
  const [state, setState] = useState<State>({ step: 'choose' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const idempotencyKey = useRef('');
  const mayImport = allows(surface, 'licenses', 'create');

  const check = async () => {
    if (file === null) return;
    setProblem(null);
    setState({ step: 'checking' });
    try {
      const result = await checkImport(surface, file);
      idempotencyKey.current = newIdempotencyKey();
      setState({ step: 'preview', result });
    } catch (error) {
      setProblem(toProblem(error));
      setState({ step: 'choose' });
    }
  };
  const run = async (result: ImportResult, notifiesCustomers: boolean) => {
    if (file === null) return;
    setProblem(null);
    setState({ step: 'starting', result });
    try {
      const { id } = await startImport(surface, file, { notifiesCustomers, idempotencyKey: idempotencyKey.current });
      await change({ import: id });
    } catch (error) {
      setProblem(toProblem(error));
      setState({ step: 'preview', result });
    }
  };
  const restart = () => {
    setFile(null);
    setProblem(null);
    setState({ step: 'choose' });
    void change({ import: undefined });
  };

  return (
    <Page
      title="Import licenses"
      parent={{ label: 'Licenses', to: '/licenses' }}
      description="Import a CSV or NDJSON file with up to 1,000,000 rows, such as an export of another tenant."
    >
      {search.import !== undefined ? (
        <ImportProgress id={search.import} file={file} onRestart={restart} />
      ) : (
        <>
          <ImportSteps active={state.step === 'choose' || state.step === 'checking' ? 0 : 1} />
          {!mayImport && (
            <Alert color="yellow">Your role does not allow this. An owner of the tenant can change your role.</Alert>
          )}
          {state.step === 'checking' && <Sending title="Checking the file" text="Nothing is imported yet." />}
          {state.step === 'starting' && (
            <Sending title="Sending the file" text="Keep this page open until the import starts." />
          )}
          {state.step === 'choose' && mayImport && (
            <FileSection file={file} onChange={setFile} onCheck={() => void check()} />
          )}
          {problem !== null && <ErrorState problem={problem} />}
          {problem !== null && (
            <BadRows errors={problem.details.map((detail) => ({ row: rowOf(detail), ...detail }))} file={file} />
          )}
          {state.step === 'preview' && (
            <Preview
              result={state.result}
              file={file}
              onRestart={restart}
              onRun={(notifies) => void run(state.result, notifies)}
            />
          )}
          <UnsavedWarning isUnsaved={state.step === 'starting'} />
        </>
      )}
    </Page>
  );
}

/** Refused imports name the row in a field that the other problems lack. */
function rowOf(detail: object): number {
  return 'row' in detail && typeof detail.row === 'number' ? detail.row : 0;
}

function Sending({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Section title={title}>
      <Stack gap="xs" role="status">
        <Progress value={100} animated aria-label={title} />
        <Text c="dimmed">{text}</Text>
      </Stack>
    </Section>
  );
}

interface FileSectionProps {
  readonly file: File | null;
  readonly onChange: (file: File | null) => void;
  readonly onCheck: () => void;
}

function FileSection({ file, onChange, onCheck }: FileSectionProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const download = () =>
    importTemplate(client, surface).then((template) => saveFile(template, 'licenses-template.csv'), showProblem);
  return (
    <Section
      title="File"
      description={
        <>
          Each row names its policy by <code>policy</code> (the code) or <code>policy_id</code>. All other columns are
          optional: without a <code>key</code>, the license gets a new one. Rows that are invalid are left out, and you
          see them before anything is imported.{' '}
          <Anchor component="button" type="button" inherit underline="always" onClick={() => void download()}>
            Download a template
          </Anchor>
        </>
      }
    >
      <FileInput
        label="CSV or NDJSON file"
        placeholder="Choose a file"
        accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
        leftSection={<FileUp size={16} aria-hidden="true" />}
        value={file}
        onChange={onChange}
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the file' }}
        maw={480}
      />
      <Group>
        <Button disabled={file === null} onClick={onCheck}>
          Check file
        </Button>
      </Group>
    </Section>
  );
}

interface PreviewProps {
  readonly result: ImportResult;
  readonly file: File | null;
  readonly onRestart: () => void;
  readonly onRun: (notifiesCustomers: boolean) => void;
}

function Preview({ result, file, onRestart, onRun }: PreviewProps) {
  const { created, failed, errors } = result;
  const [notifies, setNotifies] = useState(false);
  return (
    <>
      <Section
        title={`${count(created, 'license')} can be imported`}
        actions={
          <>
            <Button variant="default" onClick={onRestart}>
              Choose another file
            </Button>
            {created > 0 && <Button onClick={() => onRun(notifies)}>Import {count(created, 'license')}</Button>}
          </>
        }
      >
        <Text c="dimmed">
          {failed === 0
            ? 'Every row is valid. Nothing has been imported yet.'
            : created === 0
              ? 'No row can be imported. Correct the file and choose it again.'
              : `${count(failed, 'row')} cannot be imported. Correct the file and choose it again, or import the other rows now.`}
        </Text>
        {created > 0 && (
          <Checkbox
            label="Send each customer the mail about the new license"
            description="Without this, your customers get no mail about the import. Licenses without an email address never cause one."
            checked={notifies}
            onChange={(event) => setNotifies(event.currentTarget.checked)}
          />
        )}
      </Section>
      <BadRows errors={errors} file={file} />
      <Section title="First rows">
        <FirstRows result={result} file={file} />
      </Section>
    </>
  );
}
