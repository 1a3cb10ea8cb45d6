import { Grid, Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { deleteFlag, type FeatureFlag, flagQuery } from '../../api/feature-flags.ts';
import { platformKey } from '../../api/platform.ts';
import { toProblem } from '../../api/problem.ts';
import { DeleteButton } from '../../components/ConfirmDialog.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useAction } from '../../components/use-action.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { isEnabled, newDefinition, toText } from './definition.ts';
import { FlagForm } from './FlagForm.tsx';
import { FlagTester } from './FlagTester.tsx';
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
export function FlagScreen({ id }: { readonly id: string }): ReactNode {
  const { data: flag, error, refetch } = useQuery(flagQuery(id));
  if (flag === undefined) {
    return (
      <Page title="Feature flag" parent={parent}>
        {error === null ? (
          <Skeleton h={480} />
        ) : (
          <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const status = isEnabled(flag.definition) ? 'enabled' : 'disabled';
  return (
    <Page
      title={flag.key}
      parent={parent}
      heading={
        <DetailHeader
          name={flag.key}
          badges={<StatusBadge status={status} tone={status === 'enabled' ? 'good' : 'neutral'} />}
        />
      }
      actions={<DeleteFlagButton flag={flag} />}
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
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Paper p="md">
          <FlagForm {...(flag && { flag })} text={initialText} onText={setText} onSaved={onSaved} />
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <FlagTester
          text={text}
          tenantId={tenant}
          onTenant={(next) => void change({ tenant: next }, { replace: true })}
        />
      </Grid.Col>
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
      Applications that evaluate <b>{flag.key}</b> use the default in their code from then on. This cannot be undone.
    </DeleteButton>
  );
}
