import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { type FeatureFlagTrial, tryFlag } from '../../api/feature-flags.ts';
import { toProblem } from '../../api/problem.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { Section } from '../../components/Section.tsx';
import { TenantSelect } from '../../components/TenantSelect.tsx';
import { fromText, toText } from './definition.ts';

interface FlagTesterProps {
  /** The text in the editor. */
  readonly text: string;
  readonly tenantId: string | undefined;
  readonly onTenant: (tenantId: string | undefined) => void;
}

const reasons: Readonly<Record<string, string>> = {
  STATIC: 'The flag has no rules, so everybody gets the default variant.',
  TARGETING_MATCH: 'The rules chose this variant.',
  DEFAULT: 'No rule chose a variant, so the default applies.',
  DISABLED: 'The flag is disabled, so applications use the default in their code.',
  ERROR: 'The rules failed, so applications use the default in their code.',
};

/** Evaluates the definition in the editor for a tenant, as OFREP would, whether it is saved or not. */
export function FlagTester({ text, tenantId, onTenant }: FlagTesterProps) {
  const [context, setContext] = useState('{}');
  const trial = useMutation({ mutationFn: tryFlag });
  const definition = fromText(text);
  const parsedContext = fromText(context);
  const isReady = definition !== undefined && parsedContext !== undefined && tenantId !== undefined;
  const evaluate = () => {
    if (isReady) trial.mutate({ definition, tenant_id: tenantId, context: parsedContext });
  };
  return (
    <Section title="Test" description="Evaluates the definition in the editor, also before you save it.">
      <Stack gap="sm">
        <TenantSelect label="Tenant" placeholder="Search by name or id" value={tenantId} onChange={onTenant} />
        <JsonEditor
          label="Context"
          description="What the application sends besides the tenant and its plan."
          minRows={3}
          value={context}
          onChange={setContext}
        />
        <Button
          variant="default"
          leftSection={<Play size={15} aria-hidden="true" />}
          disabled={!isReady}
          loading={trial.isPending}
          onClick={evaluate}
        >
          Evaluate
        </Button>
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
          <b>{field}</b> {message}
        </Text>
      ))}
    </Alert>
  );
}
