import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { selectTenant } from '../../api/session.ts';
import { closeTenant, createTestTenant, deleteTestTenant, testTenantQuery } from '../../api/test-tenant.ts';
import { ConfirmButton, ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

/** Reads the tenants of the person again, because one was created or removed. */
function useFreshTenants() {
  const surface = useSurface();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: meQuery(surface.area).queryKey });
}

/** Creates, opens and deletes the test copy of the tenant. */
export function TestTenantSection() {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const client = useQueryClient();
  const refresh = useFreshTenants();
  const { data: state } = useQuery(testTenantQuery(surface));
  const [isDeleting, setDeleting] = useState(false);
  const invalidates = [testTenantQuery(surface).queryKey];
  const create = useAction({ run: () => createTestTenant(surface), invalidates, success: 'Test copy created' });
  if (state === undefined) return null;
  const { live_tenant_id: liveId, test_tenant: test } = state;
  const mayChange = allows(surface, 'test-tenant', 'create');
  const open = async (id: string) => {
    await refresh();
    selectTenant(id);
    await navigate('/overview');
  };
  const remove = async () => {
    await deleteTestTenant(surface);
    if (liveId !== null && surface.area === 'tenant') await open(liveId);
    else await Promise.all([refresh(), client.invalidateQueries({ queryKey: testTenantQuery(surface).queryKey })]);
  };
  const exists = liveId !== null || test !== null;
  return (
    <Section
      title="Test tenant"
      description="Try changes in a copy of your products, policies, entitlements and settings. The test tenant is free, has small limits, and your customers cannot see it. Webhook endpoints are copied but disabled. Licenses are not copied."
    >
      <Group gap="xs">
        {!exists && mayChange && (
          <Button
            variant="default"
            loading={create.isPending}
            onClick={() => create.mutate(undefined, { onError: showProblem, onSuccess: () => void refresh() })}
          >
            Create test copy
          </Button>
        )}
        {!exists && !mayChange && <Text>You have no test tenant. An owner can create one.</Text>}
        {test !== null && surface.area === 'tenant' && (
          <Button variant="default" onClick={() => void open(test.id)}>
            Open {test.name}
          </Button>
        )}
        {liveId !== null && surface.area === 'tenant' && (
          <Button variant="default" onClick={() => void open(liveId)}>
            Open live tenant
          </Button>
        )}
        {exists && mayChange && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete test tenant
          </Button>
        )}
      </Group>
      <ConfirmDialog
        title="Delete test tenant"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        Everything in the test tenant is deleted. The live tenant does not change. You cannot undo this.
      </ConfirmDialog>
    </Section>
  );
}

/** Lets an owner close the tenant. */
export function CloseTenantSection({ name }: { readonly name: string }) {
  const surface = useSurface();
  const refresh = useFreshTenants();
  if (surface.area !== 'tenant' || surface.role !== 'owner') return null;
  return (
    <Section
      title="Close tenant"
      description="Nobody can use a closed tenant. If it is your only tenant, you can then delete your account."
    >
      <Group>
        <ConfirmButton
          button={{ variant: 'default', color: 'red' }}
          title="Close tenant"
          typedName={name}
          onConfirm={async () => {
            await closeTenant(surface, name);
            await refresh();
          }}
        >
          Your subscription is canceled, and your customers' licenses stop working. The test tenant is closed too. You
          cannot undo this.
        </ConfirmButton>
      </Group>
    </Section>
  );
}
