import classes from './RowSelection.module.css';

/** The rows of a table that a person has chosen, also on other pages of the list. */
export interface Selection<Row> {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
  /** How people recognise a row, for screen readers. */
  readonly labelOf: (row: Row) => string;
  /** True while every row of the list is chosen, whichever page shows it. */
  readonly isEverything: boolean;
}

interface SelectAllProps<Row> {
  readonly selection: Selection<Row>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** Chooses all rows of the page, or none of them. */
export function SelectAll<Row>({ selection, rows, keyOf }: SelectAllProps<Row>) {
  const { selected, onChange, isEverything } = selection;
  const keys = rows.map(keyOf);
  const chosen = keys.filter((key) => selected.has(key)).length;
  const isAll = keys.length > 0 && chosen === keys.length;
  const toggle = () => {
    const next = new Set(selected);
    for (const key of keys) {
      if (isAll) next.delete(key);
      else next.add(key);
    }
    onChange(next);
  };
  return (
    <input
      type="checkbox"
      className={classes['checkbox']}
      aria-label="Select all on this page"
      // HTML has no attribute for it.
      ref={(input) => {
        if (input !== null) input.indeterminate = !isEverything && chosen > 0 && !isAll;
      }}
      checked={isAll || isEverything}
      disabled={keys.length === 0 || isEverything}
      onChange={toggle}
    />
  );
}

interface SelectRowProps<Row> {
  readonly selection: Selection<Row>;
  readonly row: Row;
  readonly id: string;
}

/** Chooses one row. */
export function SelectRow<Row>({ selection, row, id }: SelectRowProps<Row>) {
  const { selected, onChange, labelOf, isEverything } = selection;
  const toggle = (isChosen: boolean) => {
    const next = new Set(selected);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChange(next);
  };
  return (
    <input
      type="checkbox"
      className={classes['checkbox']}
      aria-label={`Select ${labelOf(row)}`}
      checked={isEverything || selected.has(id)}
      disabled={isEverything}
      onChange={({ currentTarget }) => toggle(currentTarget.checked)}
    />
  );
}
