import { Button, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { Children, isValidElement, type ReactNode, useEffect, useState } from 'react';
import { Search, SlidersHorizontal, X } from '../icons/icons.gen.ts';
import { words } from '../lib/text.ts';
import classes from './FilterBar.module.css';
import { useLateList } from './use-late-list.ts';

/** The class of a filter with short values. */
export const shortFilter = classes['short'] ?? '';

interface FilterBarProps {
  readonly children: ReactNode;
  /** Whether any filter is set; then a button removes all of them. */
  readonly isFiltered: boolean;
  readonly onReset: () => void;
}

/** The width from which all filters stay in sight: Mantine's `xs` breakpoint. */
const wide = '(min-width: 36em)';

/**
 * The filters above a list. A narrow window shows a search box that comes first, and a button for the others, which it does
 * not render before.
 */
export function FilterBar({ children, isFiltered, onReset }: FilterBarProps) {
  const isWide = useMediaQuery(wide, true, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const filters = Children.toArray(children);
  const first = filters[0];
  const search = isValidElement(first) && first.type === SearchFilter ? first : null;
  return (
    <Group gap="xs" role="search" aria-label="Filters">
      {isWide ? filters : search}
      {!isWide && (
        <Button
          variant={isFiltered ? 'light' : 'default'}
          leftSection={<SlidersHorizontal size={15} aria-hidden="true" />}
          aria-expanded={isOpen}
          fullWidth={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide filters' : 'Filters'}
        </Button>
      )}
      {!isWide && isOpen && filters.filter((filter) => filter !== search)}
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          leftSection={<X size={14} aria-hidden="true" />}
          onClick={onReset}
        >
          Reset filters
        </Button>
      )}
    </Group>
  );
}

interface SearchFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const typingPauseMs = 250;

/** A search box. It asks the server when the person pauses typing. */
export function SearchFilter({ label, value, onChange }: SearchFilterProps) {
  const [typed, setTyped] = useState(value ?? '');
  const send = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), typingPauseMs);
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
              onChange(undefined);
            }}
          />
        )
      }
      className={classes['search'] ?? ''}
    />
  );
}

interface SelectFilterProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Value[] | readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value | undefined;
  readonly onChange: (value: Value | undefined) => void;
  readonly isSearchable?: boolean;
}

/** A filter with a few values. Its empty state is "any". */
export function SelectFilter<Value extends string>(props: SelectFilterProps<Value>) {
  const { label, options, value, onChange, isSearchable = false } = props;
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
      onChange={(next) => onChange(data.find((one) => one.value === next)?.value)}
      clearable
      searchable={isSearchable}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      className={classes['choice'] ?? ''}
    />
  );
}

interface ArchivedFilterProps {
  readonly value: 'only' | 'all' | undefined;
  readonly onChange: (value: 'only' | 'all' | undefined) => void;
}

/** Shows archived rows, which a list hides. */
export function ArchivedFilter({ value, onChange }: ArchivedFilterProps) {
  const options = [
    { value: 'only', label: 'Archived only' },
    { value: 'all', label: 'Also archived' },
  ] as const;
  return <SelectFilter label="Archived" options={options} value={value} onChange={onChange} />;
}
