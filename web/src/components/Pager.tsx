import { formatNumber } from '../shared/format/numbers.js';
import blocks from './Blocks.module.css';
import { Button } from './Button.js';

interface PagerProps {
  /** The first page is 0. */
  readonly page: number;
  readonly pageSize: number;
  /** The number of rows on all pages. */
  readonly count: number;
  /** What the rows on the pages before and after are. Default: newer and older ones. */
  readonly labels?: readonly [before: string, after: string];
  readonly onChange: (page: number) => void;
}

/** Which rows of a long list the page has, and the way to the others. */
export function Pager({ page, pageSize, count, labels = ['Newer', 'Older'], onChange }: PagerProps) {
  const end = Math.min((page + 1) * pageSize, count);
  return (
    <div className={blocks.pager}>
      <Button disabled={page === 0} onClick={() => onChange(page - 1)}>
        {labels[0]}
      </Button>
      <span className="dim">
        {formatNumber(page * pageSize + 1)} to {formatNumber(end)} of {formatNumber(count)}
      </span>
      <Button disabled={end >= count} onClick={() => onChange(page + 1)}>
        {labels[1]}
      </Button>
    </div>
  );
}

/** The pages of a list; nothing if one page has every row. */
export function ListPager(props: Omit<PagerProps, 'labels'>) {
  return props.count <= props.pageSize ? null : <Pager {...props} labels={['Previous', 'Next']} />;
}
