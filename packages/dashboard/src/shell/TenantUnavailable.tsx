import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { suspensionQuery } from '../api/billing.ts';
import { type Me, meQuery, type TenantMembership } from '../api/me.ts';
import { selectTenant } from '../api/session.ts';
import { Page } from '../components/Page.tsx';
import { useMe } from './SignedIn.tsx';

/** A payment restores the tenant within seconds, and the person waits for it on this page. */
const pollMs = 4_000;

/** Replaces the screens of a suspended or closed tenant. The screens return when the tenant is restored. */
export function TenantUnavailable({ tenant }: { readonly tenant: TenantMembership }) {
  useQuery({ ...meQuery('tenant'), staleTime: 0, refetchInterval: pollMs });
  return tenant.status === 'closed' ? <ClosedTenant tenant={tenant} /> : <SuspendedTenant tenant={tenant} />;
}

function SuspendedTenant({ tenant }: { readonly tenant: TenantMembership }) {
  return (
    <Page title="This tenant is suspended">
      <Paper p="lg" maw={640}>
        <Stack gap="md" align="flex-start">
          <Text>
            While {tenant.name} is suspended, its licenses are not validated and its screens are closed. Nothing is
            deleted: when it is restored, everything is as before.
          </Text>
          {tenant.role === 'owner' ? (
            <OwnersWayBack tenant={tenant} />
          ) : (
            <Text>
              Ask an owner of {tenant.name}. Owners received a mail with the reason, and can pay an open invoice here.
            </Text>
          )}
          <OtherTenants current={tenant} />
        </Stack>
      </Paper>
    </Page>
  );
}

/** The payment page of the open invoice. Without one, the operator suspended the tenant for another reason. */
function OwnersWayBack({ tenant }: { readonly tenant: TenantMembership }) {
  const { data, isPending } = useQuery(suspensionQuery(tenant.id));
  if (isPending) return <Skeleton h={72} />;
  if (data === undefined || data.paymentUrl === null) {
    return (
      <Text>No payment is open. The operator of this service has suspended the tenant; ask them for the reason.</Text>
    );
  }
  return (
    <>
      <Text>
        The last payment failed, and the grace period has ended. Pay the open invoice to restore the tenant within a
        minute. This page then opens automatically.
      </Text>
      <Button component="a" href={data.paymentUrl}>
        Pay open invoice
      </Button>
    </>
  );
}

function ClosedTenant({ tenant }: { readonly tenant: TenantMembership }) {
  return (
    <Page title="This tenant is closed">
      <Paper p="lg" maw={640}>
        <Stack gap="md" align="flex-start">
          <Text>
            {tenant.name} is closed and cannot be opened again. The operator of this service can export its data until
            it is permanently deleted.
          </Text>
          <OtherTenants current={tenant} />
        </Stack>
      </Paper>
    </Page>
  );
}

function OtherTenants({ current }: { readonly current: TenantMembership }) {
  const { tenants }: Me = useMe();
  const others = tenants.filter(({ id, status }) => id !== current.id && status === 'active').slice(0, 3);
  return (
    <Group gap="xs">
      {others.map(({ id, name }) => (
        <Button key={id} variant="default" onClick={() => selectTenant(id)}>
          Open {name}
        </Button>
      ))}
      <Button variant="default" renderRoot={(props) => <Link to="/welcome" {...props} />}>
        Create another tenant
      </Button>
    </Group>
  );
}
