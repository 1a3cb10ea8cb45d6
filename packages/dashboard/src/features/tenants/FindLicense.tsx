import { Anchor, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { type FoundLicense, licenseLookup } from '../../api/tenants.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { PathLink } from '../../shell/PathLink.tsx';

/** Finds a license among all tenants by its key, for an operator whom somebody told that a key stopped working. */
export function FindLicense(): ReactNode {
  const [typed, setTyped] = useState('');
  const [key, setKey] = useState('');
  const lookup = useInfiniteQuery(licenseLookup(key));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setKey(typed.trim());
  };
  const steps = lookup.data?.pages ?? [];
  const licenses = steps.flatMap((step) => step.licenses);
  const unreachable = steps.flatMap((step) => step.unreachable).length;
  const searched = steps.reduce((sum, step) => sum + step.searched, 0);
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Group align="end" gap="xs" wrap="nowrap">
          <TextInput
            label="License key, or its last six or more characters"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            data-autofocus
            flex={1}
          />
          <Button type="submit" loading={lookup.isFetching}>
            Find
          </Button>
        </Group>
      </form>
      {lookup.error !== null && <ErrorState problem={toProblem(lookup.error)} />}
      {licenses.length > 0 && <Licenses licenses={licenses} />}
      {steps.length > 0 && (
        <Text size="sm" role="status">
          {licenses.length === 0 && 'No license has this key. '}
          {`Searched ${searched} of ${steps[0]?.tenants} tenants.`}
          {unreachable > 0 && ` ${unreachable} of them could not be read.`}
        </Text>
      )}
      {lookup.hasNextPage && (
        <Button variant="default" onClick={() => void lookup.fetchNextPage()} loading={lookup.isFetchingNextPage}>
          Search the next tenants
        </Button>
      )}
    </Stack>
  );
}

function Licenses({ licenses }: { readonly licenses: readonly FoundLicense[] }) {
  return (
    <List listStyleType="none" spacing="xs" aria-label="Licenses">
      {licenses.map(({ id, status, tenant }) => (
        <List.Item key={id}>
          <Group gap="xs">
            <Anchor component={PathLink} to={`/admin/tenants/${tenant.id}/licenses/${id}`}>
              {`License of ${tenant.name}`}
            </Anchor>
            <StatusBadge status={status} />
            {tenant.status !== 'active' && <Text size="sm">The tenant is {tenant.status}.</Text>}
          </Group>
        </List.Item>
      ))}
    </List>
  );
}
