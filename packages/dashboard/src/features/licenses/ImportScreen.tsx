import { Alert, Anchor, Button, FileInput, Group, Progress, Stack, Stepper, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, FileUp } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { type ImportResult, importLicenses, licensesKey } from '../../api/licenses.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { UnsavedWarning } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { saveFile } from '../../lib/save-file.ts';
import { count } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { licenseFieldList } from './fields.ts';
import { BadRows, FirstRows } from './ImportPreview.tsx';

const fieldColumns = licenseFieldList.flatMap(([name, { isInTemplate }]) => (isInTemplate ? [name] : []));
const template = `${['policy', 'holder_name', 'holder_email', 'holder_reference', ...fieldColumns].join()}\n`;

type State =
  | { readonly step: 'choose' }
  | { readonly step: 'checking' | 'importing' }
  | { readonly step: 'preview' | 'done'; readonly result: ImportResult };

const stepNumbers: Readonly<Record<State['step'], number>> = {
  choose: 0,
  checking: 0,
  preview: 1,
  importing: 1,
  done: 3,
};

/** Imports licenses from a file: choose it, see what would happen, run it, see what happened. */
export function ImportScreen(): ReactNode {
  const surface = useSurface();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [state, setState] = useState<State>({ step: 'choose' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const idempotencyKey = useRef('');
  const mayImport = allows(surface, 'licenses', 'create');
  const isBusy = state.step === 'checking' || state.step === 'importing';
  const active = stepNumbers[state.step];

  const check = async () => {
    if (file === null) return;
    setProblem(null);
    setState({ step: 'checking' });
    try {
      const result = await importLicenses(surface, file, { dry_run: true });
      idempotencyKey.current = newIdempotencyKey();
      setState({ step: 'preview', result });
    } catch (error) {
      setProblem(toProblem(error));
      setState({ step: 'choose' });
    }
  };
  const run = async (before: ImportResult) => {
    if (file === null) return;
    setProblem(null);
    setState({ step: 'importing' });
    try {
      const partial = before.failed > 0;
      const result = await importLicenses(surface, file, { partial, idempotencyKey: idempotencyKey.current });
      setState({ step: 'done', result });
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    } catch (error) {
      setProblem(toProblem(error));
      setState({ step: 'preview', result: before });
    }
  };
  const restart = () => {
    setFile(null);
    setProblem(null);
    setState({ step: 'choose' });
  };

  return (
    <Page
      title="Import licenses"
      parent={{ label: 'Licenses', to: '/licenses' }}
      description="From a CSV or NDJSON file with at most 1,000,000 rows, such as an export of another tenant."
    >
      <Stepper active={active} size="sm" allowNextStepsSelect={false} aria-label="Steps of the import">
        <Stepper.Step label="Choose a file" />
        <Stepper.Step label="Check" />
        <Stepper.Step label="Done" />
      </Stepper>
      {!mayImport && (
        <Alert color="yellow">Your role does not allow this. An owner of the tenant can change your role.</Alert>
      )}
      {isBusy && <Running isCheck={state.step === 'checking'} />}
      {state.step === 'choose' && mayImport && (
        <FileSection file={file} onChange={setFile} onCheck={() => void check()} />
      )}
      {problem !== null && <ErrorState problem={problem} />}
      {problem !== null && <BadRows errors={problem.details.map((detail) => ({ row: rowOf(detail), ...detail }))} />}
      {state.step === 'preview' && (
        <Preview result={state.result} onRestart={restart} onRun={() => void run(state.result)} />
      )}
      {state.step === 'done' && <Done result={state.result} onRestart={restart} />}
      <UnsavedWarning isUnsaved={state.step === 'importing'} />
    </Page>
  );
}

/** Refused imports name the row in a field that the other problems lack. */
function rowOf(detail: object): number {
  return 'row' in detail && typeof detail.row === 'number' ? detail.row : 0;
}

function Running({ isCheck }: { readonly isCheck: boolean }) {
  return (
    <Section title={isCheck ? 'Checking the file' : 'Importing the licenses'}>
      <Stack gap="xs" role="status">
        <Progress value={100} animated aria-label={isCheck ? 'Checking' : 'Importing'} />
        <Text size="md" c="dimmed">
          {isCheck ? 'Nothing is written.' : 'Leave this page open: the import stops with it.'}
        </Text>
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
  return (
    <Section
      title="File"
      description={
        <>
          Each row names its policy by <code>policy</code> (the code) or <code>policy_id</code>. All other columns are
          optional.{' '}
          <Anchor
            component="button"
            type="button"
            inherit
            underline="always"
            onClick={() => saveFile(new Blob([template], { type: 'text/csv' }), 'licenses-template.csv')}
          >
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

interface ResultProps {
  readonly result: ImportResult;
  readonly onRestart: () => void;
}

function Preview({ result, onRestart, onRun }: ResultProps & { readonly onRun: () => void }) {
  const { created, failed, errors } = result;
  return (
    <>
      <Section
        title={`${count(created, 'license')} can be imported`}
        actions={
          <>
            <Button variant="default" onClick={onRestart}>
              Choose another file
            </Button>
            {created > 0 && <Button onClick={onRun}>Import {count(created, 'license')}</Button>}
          </>
        }
      >
        <Text size="md" c="dimmed">
          {failed === 0
            ? 'Every row is valid. Nothing has been written yet.'
            : created === 0
              ? 'No row can be imported. Correct the file and choose it again.'
              : `${count(failed, 'row')} cannot be imported: correct the file and choose it again, or import the others.`}
        </Text>
      </Section>
      <BadRows errors={errors} />
      <Section title="First rows">
        <FirstRows result={result} />
      </Section>
    </>
  );
}

function Done({ result: { created, failed, errors }, onRestart }: ResultProps) {
  const surface = useSurface();
  return (
    <>
      <Alert role="status" color="teal" icon={<CircleCheck size={18} aria-hidden="true" />}>
        <Stack gap="xs" align="flex-start">
          <Text size="md" c="var(--mantine-color-text)">
            {count(created, 'license')} imported{failed > 0 && `, ${count(failed, 'row')} left out`}.
          </Text>
          <Group gap="xs">
            <Button size="xs" component={PathLink} to={pathOn(surface, '/licenses')}>
              Show licenses
            </Button>
            <Button size="xs" variant="default" onClick={onRestart}>
              Import another file
            </Button>
          </Group>
        </Stack>
      </Alert>
      <BadRows errors={errors} />
    </>
  );
}
