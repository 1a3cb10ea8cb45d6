import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { selectTenant } from '../../api/session.ts';
import { closeTenant, createTestTenant, deleteTestTenant, testTenantQuery } from '../../api/test-tenant.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
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
      description="A copy of your products, policies, entitlements and settings, in which to try things. It is free, has small limits, and no customer sees it. Webhook endpoints are copied disabled; licenses are not copied."
    >
      <Group gap="xs">
        {!exists && mayChange && (
          <Button
            variant="default"
            loading={create.isPending}
            onClick={() => create.mutate(undefined, { onError: showProblem, onSuccess: () => void refresh() })}
          >
            Create a test copy
          </Button>
        )}
        {!exists && !mayChange && <Text size="md">There is none. An owner can create it.</Text>}
        {test !== null && surface.area === 'tenant' && (
          <Button variant="default" onClick={() => void open(test.id)}>
            Open {test.name}
          </Button>
        )}
        {liveId !== null && surface.area === 'tenant' && (
          <Button variant="default" onClick={() => void open(liveId)}>
            Open the live tenant
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
        Everything in the test tenant is deleted. The live tenant stays as it is. This cannot be undone.
      </ConfirmDialog>
    </Section>
  );
}

/** Lets an owner close the tenant. */
export function CloseTenantSection({ name }: { readonly name: string }) {
  const surface = useSurface();
  const refresh = useFreshTenants();
  const [isOpen, setOpen] = useState(false);
  if (surface.area !== 'tenant' || surface.role !== 'owner') return null;
  return (
    <Section
      title="Close tenant"
      description="Afterwards nobody can use it. You can then delete your account, if it is your only tenant."
    >
      <Group>
        <Button variant="default" color="red" onClick={() => setOpen(true)}>
          Close tenant
        </Button>
      </Group>
      <ConfirmDialog
        title="Close tenant"
        typedName={name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await closeTenant(surface, name);
          await refresh();
        }}
      >
        The subscription is canceled, and your applications get no more verdicts: your customers' licenses stop working.
        The test tenant is closed too. This cannot be undone.
      </ConfirmDialog>
    </Section>
  );
}
