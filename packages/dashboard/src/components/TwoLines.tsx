import { classNames } from '../lib/class-names.ts';
import classes from './TwoLines.module.css';

interface TwoLinesProps {
  readonly first: string;
  readonly second?: string | null | undefined;
}

/** A name in a list with a detail below it. Text that does not fit is cut off, and shown on hover. */
export function TwoLines({ first, second }: TwoLinesProps) {
  return (
    <span className={classes['lines']}>
      <span className={classes['line']} title={first}>
        {first}
      </span>
      {second != null && (
        <span className={classNames(classes['line'], classes['second'])} title={second}>
          {second}
        </span>
      )}
    </span>
  );
}
