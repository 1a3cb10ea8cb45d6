import { Alert, Button, Group, Progress, Stack, Stepper, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { cancelImport, type LicenseImport, licenseImportQuery, licensesKey } from '../../api/licenses.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { useAction } from '../../components/use-action.ts';
import { CircleAlert, CircleCheck } from '../../icons/icons.gen.ts';
import { count, formatNumber, formatShare } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { BadRows } from './ImportPreview.tsx';

/** The steps of an import; three are done when it has ended. */
export function ImportSteps({ active }: { readonly active: number }) {
  return (
    <Stepper active={active} size="sm" allowNextStepsSelect={false} aria-label="Steps of the import">
      <Stepper.Step label="Choose a file" />
      <Stepper.Step label="Check" />
      <Stepper.Step label="Import" />
    </Stepper>
  );
}

interface ImportProgressProps {
  readonly id: string;
  /** The imported file; null after the page was loaded again. */
  readonly file: File | null;
  readonly onRestart: () => void;
}

/** How far an import is, also after the page was loaded again, and what it did. */
export function ImportProgress({ id, file, onRestart }: ImportProgressProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(licenseImportQuery(surface, id));
  const hasEnded = data !== undefined && data.state !== 'running';
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: [...licensesKey(surface), 'list'] });
  }, [hasEnded, client, surface]);
  if (data === undefined) return <QueryPlaceholder error={error} refetch={refetch} skeleton={[48, 120]} />;
  return (
    <>
      <ImportSteps active={hasEnded ? 3 : 2} />
      {hasEnded ? <Ended result={data} onRestart={onRestart} /> : <Running progress={data} />}
      <BadRows errors={data.errors} file={file} />
    </>
  );
}

function Running({ progress: { id, done, total } }: { readonly progress: LicenseImport }) {
  const surface = useSurface();
  const cancel = useAction({ run: () => cancelImport(surface, id), invalidates: [licensesKey(surface)] });
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return (
    <Section title="Importing the licenses">
      <Stack gap="xs" role="status">
        <Progress value={percent} animated aria-label="Progress of the import" />
        <Text>
          <span className="tabular">{formatShare(percent / 100)}</span>
          {`: ${formatNumber(done)} of ${count(total, 'row')}. You can leave this page.`}
        </Text>
      </Stack>
      <Group mt="md">
        <RunButton action={cancel} variant="default">
          Cancel import
        </RunButton>
      </Group>
    </Section>
  );
}

function Ended({ result, onRestart }: { readonly result: LicenseImport; readonly onRestart: () => void }) {
  const surface = useSurface();
  const { state, created, failed, reason } = result;
  const isDone = state === 'done';
  const Icon = isDone ? CircleCheck : CircleAlert;
  return (
    <Alert role="status" color={isDone ? 'teal' : 'red'} icon={<Icon size={18} aria-hidden="true" />}>
      <Stack gap="xs" align="flex-start">
        <AlertText>
          {count(created, 'license')} imported{failed > 0 && `, ${count(failed, 'row')} left out`}.
          {reason !== null && ` ${reason}`}
        </AlertText>
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
  );
}
