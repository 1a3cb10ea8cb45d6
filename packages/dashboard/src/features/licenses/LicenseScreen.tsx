import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Activation, activationsQuery } from '../../api/activations.ts';
import { auditLogsQuery } from '../../api/audit-logs.ts';
import { type License, licenseQuery, licensesKey, updateLicense } from '../../api/licenses.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { PolicyInput } from '../../components/ChoiceInput.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows, allowsReading } from '../../surfaces.ts';
import { DeactivateDialog, useActivationColumns } from '../activations/columns.tsx';
import { AuditTable } from '../audit/AuditTable.tsx';
import { LicenseSale } from '../connections/LicenseSale.tsx';
import { LicenseMails } from '../holder-mails/LicenseMails.tsx';
import { holderName } from './columns.tsx';
import { changesOf, validations, valuesOf } from './form-values.ts';
import { LicenseActions } from './LicenseActions.tsx';
import { LicenseChecks } from './LicenseChecks.tsx';
import { LicenseEntitlements } from './LicenseEntitlements.tsx';
import { LicenseFacts, statusMeaning } from './LicenseFacts.tsx';
import { LicenseFields } from './LicenseFields.tsx';
import { LicenseUsage } from './LicenseUsage.tsx';
import { SeatAlert } from './SeatAlert.tsx';
import { licenseSearch } from './search.ts';
import { TryIt } from './TryIt.tsx';

const parent = { label: 'Licenses', to: '/licenses' };

/** Returns the name of a license for people: its holder, otherwise its key. */
function licenseName({ holder, key }: Pick<License, 'holder' | 'key'>): string {
  return holderName(holder) ?? truncateMiddle(key, 23);
}

/** The page of one license. */
export default function LicenseScreen({ licenseId: id }: { readonly licenseId: string }): ReactNode {
  const surface = useSurface();
  const { data: license, error, refetch } = useQuery(licenseQuery(surface, id));
  if (license !== undefined) return <LicensePage license={license} />;
  return <UnloadedPage title="License" parent={parent} error={error} refetch={refetch} skeleton={[180, 260, 220]} />;
}

function LicensePage({ license }: { readonly license: License }) {
  const surface = useSurface();
  const [{ tab = 'activations', panel, cursor }, change] = useFilters(licenseSearch);
  const { data: policy } = useQuery(policyQuery(surface, license.policy_id));
  const name = licenseName(license);
  const edit = () => void change({ panel: 'edit', cursor });
  const mayEdit = allows(surface, 'licenses', 'update');
  const mayTry = allows(surface, 'licenses', 'act');
  const hasHistory = allowsReading(surface, 'audit-logs');
  return (
    <Page
      title={name}
      parent={parent}
      badges={<StatusBadge status={license.status} />}
      description={statusMeaning(license, policy)}
      actions={<LicenseActions license={license} onEdit={edit} />}
    >
      <SeatAlert license={license} />
      <LicenseFacts license={license} policy={policy} />
      <LicenseSale license={license} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => void change({ tab: next === 'activations' ? undefined : (next ?? undefined) })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="activations">Devices</Tabs.Tab>
          <Tabs.Tab value="checks">Checks</Tabs.Tab>
          {mayTry && <Tabs.Tab value="try">Try it</Tabs.Tab>}
          <Tabs.Tab value="entitlements">Entitlements</Tabs.Tab>
          <Tabs.Tab value="mails">Mails</Tabs.Tab>
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          {hasHistory && <Tabs.Tab value="history">History</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="activations">
          <LicenseActivations license={license} cursor={cursor} />
        </Tabs.Panel>
        <Tabs.Panel value="checks">
          <LicenseChecks license={license} />
        </Tabs.Panel>
        {mayTry && (
          <Tabs.Panel value="try">
            <TryIt license={license} policy={policy} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="entitlements">
          <LicenseEntitlements license={license} />
        </Tabs.Panel>
        <Tabs.Panel value="mails">
          <LicenseMails license={license} cursor={cursor} />
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <LicenseUsage license={license} />
        </Tabs.Panel>
        {hasHistory && (
          <Tabs.Panel value="history">
            <LicenseHistory license={license} cursor={cursor} />
          </Tabs.Panel>
        )}
      </Tabs>
      <FormDrawer
        title="Edit license"
        isOpen={panel === 'edit' && mayEdit}
        onClose={() => void change({ panel: undefined, cursor })}
        size="xl"
      >
        <EditLicenseForm license={license} />
      </FormDrawer>
    </Page>
  );
}

interface LicenseActivationsProps {
  readonly license: License;
  readonly cursor: string | undefined;
}

/** The devices that use or used a license. */
function LicenseActivations({ license, cursor }: LicenseActivationsProps) {
  const surface = useSurface();
  const [freed, setFreed] = useState<Activation | null>(null);
  const columns = useActivationColumns({ withLicense: false, onDeactivate: setFreed });
  const query = useQuery(
    activationsQuery(surface, { license_id: license.id, ...(cursor !== undefined && { cursor }) }),
  );
  return (
    <>
      <DataTable
        caption="Devices of the license"
        columns={columns}
        query={query}
        skeletonRows={3}
        empty="No device has activated this license. Your application activates it with a fingerprint of the device."
      />
      <DeactivateDialog activation={freed} onClose={() => setFreed(null)} />
    </>
  );
}

interface LicenseHistoryProps {
  readonly license: License;
  readonly cursor: string | undefined;
}

/** Every change of a license, from the audit log. */
function LicenseHistory({ license, cursor }: LicenseHistoryProps) {
  const surface = useSurface();
  const query = useQuery(auditLogsQuery(surface, { resource_id: license.id, ...(cursor !== undefined && { cursor }) }));
  return (
    <AuditTable
      query={query}
      empty="The audit log has no records of this license. Old records are deleted after the retention period."
    />
  );
}

/** Changes the fields of a license. */
function EditLicenseForm({ license }: { readonly license: License }) {
  const surface = useSurface();
  const before = valuesOf(license);
  const resource = useResourceForm({
    initialValues: { ...before, policy_id: license.policy_id as string | null },
    validate: { ...validations, policy_id: (id) => (id === null ? 'Choose the policy of the license.' : null) },
    submit: ({ policy_id, ...values }) =>
      updateLicense(surface, license.id, {
        ...changesOf(values, before),
        ...(policy_id !== null && policy_id !== license.policy_id && { policy_id }),
      }),
    invalidates: [licensesKey(surface)],
  });
  const { form } = resource;
  const policyId = form.getValues().policy_id;
  const { data: policy } = useQuery({ ...policyQuery(surface, policyId ?? ''), enabled: policyId !== null });
  return (
    <ResourceFormBody resource={resource} submitLabel="Save license">
      <PolicyInput label="Policy" withAsterisk productId={license.product_id} {...form.getInputProps('policy_id')} />
      <LicenseFields
        form={form}
        policyLimit={policy?.max_activations}
        emptyDate="Leave the end empty for a license that never expires."
      />
    </ResourceFormBody>
  );
}
