import { Group, Paper, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { platformDemoDataQuery, removeDemoData, removePlatformDemoData } from '../../api/demo-data.ts';
import { meQuery, type TenantMembership } from '../../api/me.ts';
import { platformKey } from '../../api/platform.ts';
import { ConfirmButton } from '../../components/ConfirmDialog.tsx';
import { FlaskConical } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import classes from '../../shell/Banner.module.css';
import { useAdminRights } from '../../shell/PlatformArea.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

/** Says that the tenant is one of the demo, and deletes it. */
export function DemoBanner({ tenant }: { readonly tenant: TenantMembership }) {
  const surface = useSurface();
  const client = useQueryClient();
  if (tenant.is_demo !== true) return null;
  return (
    <Group className={classes['banner'] ?? ''} gap="xs" component="aside" aria-label="Demo data">
      <FlaskConical size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm" flex="1 1 140px">
        This tenant contains demo data.
      </Text>
      {allows(surface, 'demo-data', 'delete') && (
        <ConfirmButton
          button={{ size: 'compact-sm', variant: 'default' }}
          title="Remove demo data"
          onConfirm={async () => {
            await removeDemoData(surface);
            await client.invalidateQueries({ queryKey: meQuery('tenant').queryKey });
          }}
        >
          This deletes the tenant and everything in it, including what you created. Your account is not deleted. You
          cannot undo this.
        </ConfirmButton>
      )}
    </Group>
  );
}

/** Says that the installation has demo data. A super admin removes it. */
export function PlatformDemoBanner() {
  const { admins } = useAdminRights();
  const client = useQueryClient();
  const { data } = useQuery(platformDemoDataQuery());
  if (data?.present !== true) return null;
  return (
    <Paper component="aside" aria-label="Demo data" px="md" py="xs">
      <Group gap="xs">
        <FlaskConical size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
        <Text flex="1 1 200px">This platform contains demo data: {count(data.tenants, 'demo tenant')}.</Text>
        {admins === 'write' && (
          <ConfirmButton
            button={{ size: 'compact-sm', variant: 'default' }}
            title="Remove all demo data"
            typedName="demo data"
            onConfirm={async () => {
              await removePlatformDemoData();
              await client.invalidateQueries({ queryKey: platformKey() });
            }}
          >
            This deletes {count(data.tenants, 'demo tenant')} and everything in them, including what people created.
            Other tenants are not deleted. You cannot undo this.
          </ConfirmButton>
        )}
      </Group>
    </Paper>
  );
}
