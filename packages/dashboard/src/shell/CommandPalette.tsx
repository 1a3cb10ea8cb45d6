import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ContactRound, KeyRound, Search } from 'lucide-react';
import { useContext, useState } from 'react';
import { bodyOf } from '../api/body.ts';
import { apiOf } from '../api/client.ts';
import { keyOf } from '../api/query-client.ts';
import type { Surface } from '../surfaces.ts';
import type { NavigationGroup, NavigationItem } from './navigation.ts';
import { paletteStore, usePaletteActions } from './palette.ts';
import { SurfaceContext } from './surface-context.ts';

const licensesMax = 6;
const customersMax = 4;

function matches({ label, keywords = '' }: NavigationItem, query: string): boolean {
  return `${label} ${keywords}`.toLowerCase().includes(query.toLowerCase());
}

/** Finds licenses by key, holder or reference. Outside a tenant it finds nothing. */
function useLicenses(surface: Surface | null, query: string) {
  const isEnabled = surface !== null && surface.tenantId !== null && query.length >= 2;
  const { data } = useQuery({
    queryKey: keyOf(surface ?? { area: 'admin', tenantId: null }, 'licenses', 'palette', query),
    queryFn: () =>
      bodyOf(
        apiOf(surface ?? { area: 'admin', tenantId: null }).GET('/api/v1/tenant/licenses', {
          params: { query: { q: query, limit: licensesMax } },
        }),
      ),
    enabled: isEnabled,
  });
  return isEnabled ? (data?.data ?? []) : [];
}

/** Finds customers by name or address. */
function useCustomers(surface: Surface | null, query: string) {
  const isEnabled = surface !== null && surface.tenantId !== null && query.length >= 2;
  const { data } = useQuery({
    queryKey: keyOf(surface ?? { area: 'admin', tenantId: null }, 'customers', 'palette', query),
    queryFn: () =>
      bodyOf(
        apiOf(surface ?? { area: 'admin', tenantId: null }).GET('/api/v1/tenant/customers', {
          params: { query: { q: query, limit: customersMax } },
        }),
      ),
    enabled: isEnabled,
  });
  return isEnabled ? (data?.data ?? []) : [];
}

/** Goes to any page, finds a license by key, holder or reference, and acts on the open object (Ctrl or ⌘ K). */
export function CommandPalette({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const surface = useContext(SurfaceContext);
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [debounced] = useDebouncedValue(query.trim(), 150);
  const licenses = useLicenses(surface, debounced);
  const customers = useCustomers(surface, debounced);
  const actions = usePaletteActions().filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  const pages = groups.flatMap(({ items }) => items).filter((item) => matches(item, query));
  const open = (path: string) => () => void navigate({ to: path } as object);
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      scrollable
      maxHeight={440}
      clearQueryOnClose
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Spotlight.Search
        placeholder="Search pages, actions and licenses"
        aria-label="Search pages, actions and licenses"
        leftSection={<Search size={17} aria-hidden="true" />}
      />
      <Spotlight.ActionsList>
        {actions.length > 0 && (
          <Spotlight.ActionsGroup label="This page">
            {actions.map(({ label, icon: Icon, run }) => (
              <Spotlight.Action key={label} label={label} leftSection={<Icon size={17} />} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {licenses.length > 0 && (
          <Spotlight.ActionsGroup label="Licenses">
            {licenses.map(({ id, key, holder }) => (
              <Spotlight.Action
                key={id}
                label={key}
                description={[holder.name, holder.email, holder.reference].filter(Boolean).join(' · ')}
                leftSection={<KeyRound size={17} />}
                onClick={open(`${surface?.prefix ?? ''}/licenses/${id}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {customers.length > 0 && (
          <Spotlight.ActionsGroup label="Customers">
            {customers.map(({ email, name }) => (
              <Spotlight.Action
                key={email}
                label={name ?? email}
                description={name === null ? '' : email}
                leftSection={<ContactRound size={17} />}
                onClick={open(`${surface?.prefix ?? ''}/customers/${encodeURIComponent(email)}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ label, path, icon: Icon }) => (
              <Spotlight.Action
                key={path}
                label={label}
                leftSection={<Icon size={17} strokeWidth={1.75} />}
                onClick={open(path)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {actions.length + licenses.length + customers.length + pages.length === 0 && (
          <Spotlight.Empty>Nothing matches “{query}”.</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
