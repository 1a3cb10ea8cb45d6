import type { AuditRecord } from '../../api/audit-logs.ts';
import { Dimmed } from '../../components/Texts.tsx';
import { words } from '../../lib/text.ts';
import classes from './ChangeList.module.css';
import { fieldChanges } from './field-changes.ts';

/** Returns a value of a field as text; objects as JSON. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || 'none';
  return JSON.stringify(value);
}

/** The changed fields of an audit record, with the value before and the value after. */
export function ChangeList({ changes }: { readonly changes: AuditRecord['changes'] }) {
  return (
    <dl className={classes['list']}>
      {fieldChanges(changes).map(({ field, old: before, new: after }) => (
        <div key={field} className={classes['change']}>
          <dt>{words(field)}</dt>
          <dd>
            {before !== null && (
              <>
                <del className={classes['old']}>{valueText(before)}</del>
                <Dimmed>{' → '}</Dimmed>
              </>
            )}
            <ins className={classes['new']}>{valueText(after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
