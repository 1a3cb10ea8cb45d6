import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/me.ts';
import { copyPolicyToLive, type LiveCopy, liveCopyQuery, type Policy } from '../../api/tenant-catalog.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { count } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { termsOf } from './policy-terms.ts';

interface CopyToLiveProps {
  readonly policy: Policy;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Copies a policy to the live tenant, after a review of what changes there. */
export function CopyToLiveDialog({ policy, isOpen, onClose }: CopyToLiveProps) {
  const surface = useSurface();
  const { data: me } = useQuery(meQuery(surface.area));
  const liveId = me?.tenants.find(({ id }) => id === surface.tenantId)?.live_tenant_id ?? null;
  // The live tenant may have changed since the last look.
  const review = useQuery({
    ...liveCopyQuery(surface, liveId, policy),
    enabled: isOpen && liveId !== null,
    staleTime: 0,
  });

  return (
    <ConfirmDialog
      title="Copy to live tenant"
      isDangerous={false}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => copyPolicyToLive(surface, policy.id, { replace: true })}
      success={'Policy copied to the live tenant'}
    >
      {review.data === undefined ? (
        <QueryPlaceholder error={review.error} refetch={review.refetch} skeleton={[120]} />
      ) : (
        <Review policy={policy} copy={review.data} />
      )}
    </ConfirmDialog>
  );
}

function Review({ policy, copy: { live, licenses, hasMore } }: { readonly policy: Policy; readonly copy: LiveCopy }) {
  if (live === null) {
    return (
      <>
        The live tenant has no policy with the code <b>{policy.code}</b>. It gets this one, with its product and
        entitlements if they do not exist there. No license changes.
      </>
    );
  }
  const before = reviewed(live);
  const changes = reviewed(policy).flatMap((term, index) => {
    const old = before[index]?.value ?? '';
    return old === term.value ? [] : [{ ...term, old }];
  });
  if (changes.length === 0) return <>The policy of the live tenant has these terms already. Nothing will change.</>;
  return (
    <Stack gap="sm" role="status">
      <Text>
        The terms of <b>{live.name}</b> in the live tenant change at once.{' '}
        {hasMore ? `More than ${count(licenses, 'license')} follow.` : followText(licenses)} You cannot undo this.
      </Text>
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="group" aria-label="Changes">
        <Table>
          <caption className="visually-hidden">Changes</caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Term</Table.Th>
              <Table.Th>Now</Table.Th>
              <Table.Th>Then</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ label, old, value }) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{old}</Table.Td>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function followText(licenses: number): string {
  if (licenses === 0) return 'No license uses it.';
  return `${count(licenses, 'license')} ${licenses === 1 ? 'follows' : 'follow'}.`;
}

/** Everything of a policy that a copy changes. */
const reviewed = (policy: Policy) => [
  { label: 'Name', value: policy.name },
  ...termsOf(policy),
  { label: 'Metadata', value: JSON.stringify(policy.metadata) },
];
