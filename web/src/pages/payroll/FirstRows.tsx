import { useState } from 'react';
import { Button } from '../../components/Button.js';
import { formatCount } from '../../shared/format/numbers.js';

const maxFirstRows = 10;

interface FirstRows<Row> {
  readonly visible: readonly Row[];
  readonly count: number;
  readonly showAll: () => void;
}

/** The first rows of a list until all are requested, so that the file below stays within reach. */
export function useFirstRows<Row>(rows: readonly Row[]): FirstRows<Row> {
  const [isAll, setAll] = useState(false);
  return { visible: isAll ? rows : rows.slice(0, maxFirstRows), count: rows.length, showAll: () => setAll(true) };
}

interface ShowAllProps {
  readonly rows: FirstRows<unknown>;
  /** The number of rows on all pages. Default: the list has no pages. */
  readonly total?: number;
  readonly one: string;
  readonly many?: string;
}

export function ShowAll({ rows: { visible, count, showAll }, total = count, one, many }: ShowAllProps) {
  if (visible.length === count) return null;
  return (
    <Button kind="quiet" onClick={showAll}>
      {total === count ? 'Show all' : 'Show'} {formatCount(count, one, many)}
    </Button>
  );
}
