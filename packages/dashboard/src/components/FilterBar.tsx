import { CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { Children, isValidElement, type ReactNode, useContext, useEffect, useState } from 'react';
import { Search, SlidersHorizontal, X } from '../icons/icons.gen.ts';
import { words } from '../lib/text.ts';
import { FiltersContext, type ListFilters } from '../shell/use-filters.ts';
import { ActionButton } from './ActionButton.tsx';
import classes from './FilterBar.module.css';
import { useLateList } from './use-late-list.ts';

/** The class of a filter with short values. */
export const shortFilter = classes['short'] ?? '';

interface FilterBarProps {
  /** From `useFilters`. */
  readonly filters: ListFilters;
  readonly children: ReactNode;
}

/** The width from which all filters stay in sight: Mantine's `xs` breakpoint. */
const wide = '(min-width: 36em)';

/**
 * The filters above a list. A narrow window shows a search box that comes first, and a button for the others, which it does
 * not render before. A button removes all filters.
 */
export function FilterBar({ filters, children }: FilterBarProps) {
  const { isFiltered, names, change } = filters;
  const isWide = useMediaQuery(wide, true, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const fields = Children.toArray(children);
  const first = fields[0];
  const search = isValidElement(first) && first.type === SearchFilter ? first : null;
  return (
    <FiltersContext value={filters}>
      <Group gap="xs" role="search" aria-label="Filters">
        {isWide ? fields : search}
        {!isWide && (
          <ActionButton
            icon={SlidersHorizontal}
            label={isOpen ? 'Hide filters' : 'Filters'}
            variant={isFiltered ? 'light' : 'default'}
            aria-expanded={isOpen}
            fullWidth={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        {!isWide && isOpen && fields.filter((field) => field !== search)}
        {isFiltered && (
          <ActionButton
            icon={X}
            label="Reset filters"
            variant="subtle"
            color="gray"
            size="sm"
            onClick={() => void change(Object.fromEntries(names.map((name) => [name, undefined])))}
          />
        )}
      </Group>
    </FiltersContext>
  );
}

/** Returns the value of a filter, and a function that changes it. */
export function useFilter(name: string) {
  const filters = useContext(FiltersContext);
  if (filters === null) throw new Error('A filter works only inside a FilterBar.');
  const value = filters.search[name];
  return [
    typeof value === 'string' ? value : undefined,
    (next: string | undefined, isTyping = false) => void filters.change({ [name]: next }, { replace: isTyping }),
  ] as const;
}

interface FilterProps {
  /** The search parameter. */
  readonly name: string;
  readonly label: string;
}

const typingPauseMs = 250;

/** A search box. It asks the server when the person pauses typing. */
export function SearchFilter({ name, label }: FilterProps) {
  const [value, change] = useFilter(name);
  const [typed, setTyped] = useState(value ?? '');
  const send = useDebouncedCallback((next: string) => change(next.trim() || undefined, true), typingPauseMs);
  // Back and "Reset filters" change the URL, and the box must follow.
  useEffect(() => setTyped(value ?? ''), [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
      leftSection={<Search size={15} aria-hidden="true" />}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="sm"
            aria-label="Clear the search"
            onClick={() => {
              setTyped('');
              change(undefined, true);
            }}
          />
        )
      }
      className={classes['search'] ?? ''}
    />
  );
}

interface SelectFilterProps extends FilterProps {
  readonly options: readonly string[] | readonly { readonly value: string; readonly label: string }[];
  readonly isSearchable?: boolean;
}

/** A filter with a few values. Its empty state is "any". */
export function SelectFilter({ name, label, options, isSearchable = false }: SelectFilterProps) {
  const [value, change] = useFilter(name);
  const list = useLateList();
  const data = options.map((option) =>
    typeof option === 'string' ? { value: option, label: words(option) } : { value: option.value, label: option.label },
  );
  return (
    <Select
      {...list}
      aria-label={label}
      placeholder={label}
      data={data}
      value={value ?? null}
      onChange={(next) => change(next ?? undefined)}
      clearable
      searchable={isSearchable}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      className={classes['choice'] ?? ''}
    />
  );
}

/** Shows archived rows, which a list hides. */
export function ArchivedFilter() {
  const options = [
    { value: 'only', label: 'Archived only' },
    { value: 'all', label: 'Also archived' },
  ];
  return <SelectFilter name="archived" label="Archived" options={options} />;
}
