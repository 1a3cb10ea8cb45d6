import '@mantine/spotlight/styles.layer.css';
import { Button, Group, Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { keyOf } from '../api/query-client.ts';
import type { IconComponent } from '../icons/icon.ts';
import { Search } from '../icons/icons.gen.ts';
import type { Surface } from '../surfaces.ts';
import type { NavigationGroup, NavigationScreen } from './navigation.ts';
import { paletteStore, usePaletteActions } from './palette.ts';
import { creationsOf } from './palette-creations.ts';
import { type Hit, type PaletteSource, sourcesOf } from './palette-sources.ts';
import { SurfaceContext } from './surface-context.ts';

const queryMin = 2;
const debounceMs = 150;
const staleMs = 30_000;

function matches({ label, keywords = '' }: Pick<NavigationScreen, 'label' | 'keywords'>, query: string): boolean {
  return `${label} ${keywords}`.toLowerCase().includes(query.toLowerCase());
}

interface Found {
  readonly groups: readonly { readonly source: PaletteSource; readonly hits: readonly Hit[] }[];
  /** Whether an answer for what is in the input is still missing. */
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
  readonly retry: () => void;
}

/** Searches all objects of the surface for what the person typed. */
function useFound(surface: Surface | null, typed: string): Found {
  const [query] = useDebouncedValue(typed, debounceMs);
  const isEnabled = surface !== null && query.length >= queryMin;
  const sources = sourcesOf(surface);
  const results = useQueries({
    queries: sources.map(({ heading, find }) => ({
      queryKey: keyOf(surface ?? { area: 'admin', tenantId: null }, 'palette', heading, query),
      queryFn: () => (surface === null ? [] : find(surface, query)),
      enabled: isEnabled,
      staleTime: staleMs,
      // The person repeats it sooner, by typing or with the button.
      retry: false,
    })),
  });
  const isAsked = typed.length >= queryMin && sources.length > 0;
  return {
    groups: sources.map((source, index) => ({ source, hits: (isEnabled && results[index]?.data) || [] })),
    isSearching: isAsked && (typed !== query || results.some(({ isLoading }) => isLoading)),
    hasFailed: isAsked && results.some(({ isError }) => isError),
    retry: () => {
      for (const { isError, refetch } of results) if (isError) void refetch();
    },
  };
}

/** Marks the first entry, so that Enter opens it. Mantine does so only while the person types, before results arrive. */
function selectFirst(list: HTMLElement | null): HTMLElement | null {
  const entries = list?.querySelectorAll<HTMLElement>('[data-action]') ?? [];
  for (const [index, entry] of entries.entries()) {
    if (index === 0) entry.setAttribute('data-selected', 'true');
    else entry.removeAttribute('data-selected');
  }
  paletteStore.updateState((state) => ({ ...state, selected: entries.length === 0 ? -1 : 0 }));
  return entries[0] ?? null;
}

interface Entry {
  readonly key: string;
  readonly label: string;
  readonly description?: string | null;
  readonly icon: IconComponent;
  readonly run: () => void;
}

/** Goes to any page, finds any object, and acts on the open object or creates a new one (Ctrl or ⌘ K). */
export function CommandPalette({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const surface = useContext(SurfaceContext);
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const typed = query.trim();
  const found = useFound(surface, typed);
  const list = useRef<HTMLDivElement>(null);
  // Enter before the results arrive opens the first of them.
  const opensFirst = useRef(false);
  const open = (path: string, search: object = {}) => void navigate({ to: path, search } as object);
  const shown: { readonly heading: string; readonly entries: readonly Entry[] }[] = [
    {
      heading: 'This page',
      entries: usePaletteActions()
        .filter((one) => matches(one, typed))
        .map(entryOf),
    },
    ...found.groups.map(({ source, hits }) => ({
      heading: source.heading,
      entries: hits.map(({ id, label, description, path }) => ({
        ...{ key: id, label, description: description ?? null, icon: source.icon },
        run: () => open(`${surface?.prefix ?? ''}${path}`),
      })),
    })),
    {
      heading: 'Actions',
      entries: creationsOf(surface)
        .filter((one) => typed !== '' && matches(one, typed))
        .map(({ label, icon, path, search }) => ({ key: label, label, icon, run: () => open(path, search) })),
    },
    {
      heading: 'Pages',
      entries: groups
        .flatMap(({ entries }) => entries)
        .flatMap(({ icon, screens }) => screens.map((screen) => ({ ...screen, icon })))
        .filter((screen) => matches(screen, typed))
        .map(({ label, path, icon }) => ({ key: path, label, icon, run: () => open(path) })),
    },
  ].filter(({ entries }) => entries.length > 0);
  const shownKey = shown.map(({ entries }) => entries.map(({ key }) => key).join()).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first entry changes with the shown ones.
  useEffect(() => {
    const first = selectFirst(list.current);
    if (found.isSearching || !opensFirst.current) return;
    opensFirst.current = false;
    first?.click();
  }, [shownKey, found.isSearching]);
  const onKeyDown = (event: KeyboardEvent) => {
    opensFirst.current = event.key === 'Enter' && found.isSearching;
    // Mantine would open the first page meanwhile.
    if (opensFirst.current) event.stopPropagation();
  };
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      scrollable
      // The input stays in place while the number of results changes.
      centered={false}
      maxHeight={440}
      clearQueryOnClose
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Spotlight.Search
        placeholder="Search or jump to…"
        aria-label="Search pages, actions and objects"
        leftSection={<Search size={17} aria-hidden="true" />}
        rightSection={found.isSearching ? <Loader size={16} role="img" aria-label="Searching" /> : null}
        onKeyDownCapture={onKeyDown}
      />
      <Spotlight.ActionsList ref={list}>
        {shown.map(({ heading, entries }) => (
          <Spotlight.ActionsGroup key={heading} label={heading}>
            {entries.map(({ key, label, description, icon: Icon, run }) => (
              <Spotlight.Action
                key={key}
                label={label}
                {...(description && { description })}
                styles={onOneLine}
                leftSection={<Icon size={17} strokeWidth={1.75} />}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        <PaletteState found={found} isEmpty={shown.length === 0} query={typed} />
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The results keep the width of the palette, however long a key or an address is. */
const ellipsis = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
const onOneLine = {
  actionBody: { maxWidth: 'min(31rem, calc(100vw - 7rem))' },
  actionLabel: ellipsis,
  actionDescription: ellipsis,
} as const;

function entryOf({ label, icon, run }: ReturnType<typeof usePaletteActions>[number]): Entry {
  return { key: label, label, icon, run };
}

interface PaletteStateProps {
  readonly found: Found;
  readonly isEmpty: boolean;
  readonly query: string;
}

/** Says that the search runs, failed, or found nothing. */
function PaletteState({ found, isEmpty, query }: PaletteStateProps): ReactNode {
  if (found.hasFailed) {
    return (
      <Group justify="center" gap="sm" p="md" role="alert">
        <Text size="sm">The search failed. Check your connection.</Text>
        <Button size="xs" variant="default" onClick={found.retry}>
          Try again
        </Button>
      </Group>
    );
  }
  if (!isEmpty) return null;
  return (
    <Spotlight.Empty role="status">{found.isSearching ? 'Searching…' : `No results for “${query}”.`}</Spotlight.Empty>
  );
}
