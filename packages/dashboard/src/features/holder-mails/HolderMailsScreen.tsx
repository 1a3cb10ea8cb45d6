import { useQuery } from '@tanstack/react-query';
import { mailsQuery } from '../../api/holder-mails.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { Mails } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { HolderMailTable } from './HolderMailTable.tsx';
import { holderMailsSearch, mailStates, mailTypeNames, mailTypes } from './mail-types.ts';

const addressForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The mails to the holders of licenses, newest first. */
export function HolderMailsScreen() {
  const surface = useSurface();
  const [filters, change] = useFilters(holderMailsSearch);
  const { type, state, recipient } = filters;
  // The list finds whole addresses only. While somebody types one, it is not filtered.
  const isAddress = recipient !== undefined && addressForm.test(recipient);
  const { recipient: _typed, ...rest } = filters;
  const query = useQuery(mailsQuery(surface, { ...rest, ...(isAddress && { recipient }) }));
  const isFiltered = type !== undefined || state !== undefined || recipient !== undefined;
  return (
    <Page title="Sent emails" description="The mails that your customers received.">
      <FilterBar
        isFiltered={isFiltered}
        onReset={() => void change({ type: undefined, state: undefined, recipient: undefined })}
      >
        <SearchFilter
          label="Address"
          value={recipient}
          onChange={(next) => void change({ recipient: next }, { replace: true })}
        />
        <SelectFilter
          label="Mail"
          options={mailTypeNames.map((name) => ({ value: name, label: mailTypes[name].label }))}
          value={type}
          onChange={(next) => void change({ type: next })}
        />
        <SelectFilter
          label="State"
          options={mailStates}
          value={state}
          onChange={(next) => void change({ state: next })}
        />
      </FilterBar>
      <HolderMailTable
        caption="Sent emails"
        query={query}
        withLicense
        empty={
          isFiltered ? (
            <EmptyState title="No such mails" description="No mail matches the filters." />
          ) : (
            <EmptyState
              icon={Mails}
              title="No mail yet"
              description="Customers get a mail when you create a license with their email address."
            />
          )
        }
      />
    </Page>
  );
}
