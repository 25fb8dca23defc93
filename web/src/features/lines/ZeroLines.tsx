import { Link } from '@tanstack/react-router';
import { type Line } from '../../api/queries.js';
import { formatCount } from '../../shared/format/numbers.js';
import { countZeros } from './visible-lines.js';

interface ZeroLinesProps {
  readonly lines: readonly Line[];
  readonly showsAll: boolean;
}

/** Displays or hides the lines that paid nothing. The choice is in the address. */
export function ZeroLines({ lines, showsAll }: ZeroLinesProps) {
  const count = countZeros(lines);
  if (count === 0 || count === lines.length) return null;
  const search = (present: object) => ({ ...present, lines: showsAll ? undefined : 'all' });
  return (
    <Link to="." search={search as never} resetScroll={false} replace>
      {`${showsAll ? 'Hide' : 'Show'} ${formatCount(count, 'line')} that paid nothing`}
    </Link>
  );
}
