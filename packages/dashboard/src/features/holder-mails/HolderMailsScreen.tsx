import { useQuery } from '@tanstack/react-query';
import { mailsQuery } from '../../api/holder-mails.ts';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { Mails } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { HolderMailTable } from './HolderMailTable.tsx';
import { holderMailsSearch, mailStates, mailTypeNames, mailTypes } from './mail-types.ts';

const addressForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The mails to the holders of licenses, newest first. */
export default function HolderMailsScreen() {
  const surface = useSurface();
  const [{ recipient, ...rest }, , bar] = useFilters(holderMailsSearch, 'type', 'state', 'recipient');
  // The list finds whole addresses only. While somebody types one, it is not filtered.
  const isAddress = recipient !== undefined && addressForm.test(recipient);
  const query = useQuery(mailsQuery(surface, { ...rest, ...(isAddress && { recipient }) }));
  return (
    <Page title="Sent emails" description="The mails that your customers received.">
      <FilterBar filters={bar}>
        <SearchFilter name="recipient" label="Address" />
        <SelectFilter
          name="type"
          label="Mail"
          options={mailTypeNames.map((name) => ({ value: name, label: mailTypes[name].label }))}
        />
        <SelectFilter name="state" label="State" options={mailStates} />
      </FilterBar>
      <HolderMailTable
        caption="Sent emails"
        query={query}
        withLicense
        empty={{
          icon: Mails,
          title: 'No mail yet',
          description: 'Customers get a mail when you create a license with their email address.',
          noMatch: bar.isFiltered && { title: 'No such mails', description: 'No mail matches the filters.' },
        }}
      />
    </Page>
  );
}
