import { Alert, Grid, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { deleteFlag, type FeatureFlag, type FeatureFlagTrial, flagQuery, tryFlag } from '../../api/feature-flags.ts';
import { platformKey } from '../../api/platform.ts';
import { toProblem } from '../../api/problem.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { DeleteButton } from '../../components/ConfirmDialog.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TenantSelect } from '../../components/TenantSelect.tsx';
import { useAction } from '../../components/use-action.ts';
import { Play } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { fromText, isEnabled, newDefinition, toText } from './definition.ts';
import { FlagForm } from './FlagForm.tsx';
import { flagPageSearch } from './search.ts';

const parent = { label: 'Feature flags', to: '/feature-flags' };

/** A form for a new flag, beside its tester. */
export function NewFlagScreen(): ReactNode {
  const navigate = useNavigate();
  return (
    <Page title="New feature flag" parent={parent}>
      <EditorAndTester
        initialText={toText(newDefinition)}
        onSaved={({ id }) => navigate({ to: `/admin/feature-flags/${id}` } as object)}
      />
    </Page>
  );
}

/** One flag: its editor and its tester. */
export function FlagScreen({ flagId: id }: { readonly flagId: string }): ReactNode {
  const { data: flag, error, refetch } = useQuery(flagQuery(id));
  const mayWrite = useWritesPlatform();
  if (flag === undefined) {
    return <UnloadedPage title="Feature flag" parent={parent} error={error} refetch={refetch} skeleton={480} />;
  }
  const status = isEnabled(flag.definition) ? 'enabled' : 'disabled';
  return (
    <Page
      title={flag.key}
      parent={parent}
      badges={<StatusBadge status={status} tone={status === 'enabled' ? 'good' : 'neutral'} />}
      actions={mayWrite && <DeleteFlagButton flag={flag} />}
    >
      <EditorAndTester key={flag.id} flag={flag} initialText={toText(flag.definition)} onSaved={() => undefined} />
    </Page>
  );
}

interface EditorAndTesterProps {
  readonly flag?: FeatureFlag;
  readonly initialText: string;
  readonly onSaved: (flag: FeatureFlag) => unknown;
}

function EditorAndTester({ flag, initialText, onSaved }: EditorAndTesterProps) {
  const [text, setText] = useState(initialText);
  const [{ tenant }, change] = useFilters(flagPageSearch);
  const mayTry = useWritesPlatform();
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Paper p="md">
          <FlagForm {...(flag && { flag })} text={initialText} onText={setText} onSaved={onSaved} />
        </Paper>
      </Grid.Col>
      {mayTry && (
        <Grid.Col span={{ base: 12, md: 5 }}>
          <FlagTester
            text={text}
            tenantId={tenant}
            onTenant={(next) => void change({ tenant: next }, { replace: true })}
          />
        </Grid.Col>
      )}
    </Grid>
  );
}

function DeleteFlagButton({ flag }: { readonly flag: FeatureFlag }) {
  const navigate = useNavigate();
  const remove = useAction({ run: () => deleteFlag(flag.id), invalidates: [platformKey('feature-flags', 'list')] });
  return (
    <DeleteButton
      title="Delete feature flag"
      name={flag.key}
      onDelete={async () => {
        await remove.mutateAsync();
        await navigate({ to: '/admin/feature-flags' });
      }}
    >
      Applications that evaluate <b>{flag.key}</b> then use the default in their code. You cannot undo this.
    </DeleteButton>
  );
}

interface FlagTesterProps {
  /** The text in the editor. */
  readonly text: string;
  readonly tenantId: string | undefined;
  readonly onTenant: (tenantId: string | undefined) => void;
}

const reasons: Readonly<Record<string, string>> = {
  STATIC: 'The flag has no rules, so everyone gets the default variant.',
  TARGETING_MATCH: 'A rule selected this variant.',
  DEFAULT: 'No rule selected a variant, so the default variant applies.',
  DISABLED: 'The flag is disabled, so applications use the default in their code.',
  ERROR: 'The rules failed, so applications use the default in their code.',
};

/** Evaluates the definition in the editor for a tenant, as OFREP would, whether it is saved or not. */
function FlagTester({ text, tenantId, onTenant }: FlagTesterProps) {
  const [context, setContext] = useState('{}');
  const trial = useMutation({ mutationFn: (trial: Parameters<typeof tryFlag>[0]) => tryFlag(trial) });
  const definition = fromText(text);
  const parsedContext = fromText(context);
  const isReady = definition !== undefined && parsedContext !== undefined && tenantId !== undefined;
  const evaluate = () => {
    if (isReady) trial.mutate({ definition, tenant_id: tenantId, context: parsedContext });
  };
  return (
    <Section title="Test" description="Evaluate the definition in the editor. You do not need to save it first.">
      <Stack gap="sm">
        <TenantSelect label="Tenant" placeholder="Search by name or ID" value={tenantId} onChange={onTenant} />
        <JsonEditor
          label="Context"
          description="Enter what the application sends in addition to the tenant and its plan."
          minRows={3}
          value={context}
          onChange={setContext}
        />
        <ActionButton
          icon={Play}
          label="Evaluate"
          variant="default"
          disabled={!isReady}
          loading={trial.isPending}
          onClick={evaluate}
        />
        <div role="status">{trial.data !== undefined && <Outcome trial={trial.data} />}</div>
        {trial.error !== null && <TrialProblem error={trial.error} />}
      </Stack>
    </Section>
  );
}

function Outcome({ trial }: { readonly trial: FeatureFlagTrial }) {
  const { value, variant, reason, error, context } = trial;
  return (
    <Stack gap="sm">
      <Facts
        cols={2}
        items={[
          { label: 'Value', value: variant === null ? "The code's default" : <code>{JSON.stringify(value)}</code> },
          { label: 'Variant', value: variant ?? '—' },
        ]}
      />
      <Text>{reasons[reason] ?? reason}</Text>
      {error !== null && (
        <Alert color="red">
          <Text c="var(--mantine-color-text)">{error}</Text>
        </Alert>
      )}
      <CodeBlock code={toText(context)} label="complete context" />
    </Stack>
  );
}

function TrialProblem({ error }: { readonly error: unknown }) {
  const problem = toProblem(error);
  if (problem.details.length === 0) return <ErrorState problem={problem} />;
  return (
    <Alert role="alert" color="red" title="The definition cannot be evaluated">
      {problem.details.map(({ field, message }) => (
        <Text key={`${field} ${message}`} c="var(--mantine-color-text)">
          <b>{field}</b>: {message}
        </Text>
      ))}
    </Alert>
  );
}
