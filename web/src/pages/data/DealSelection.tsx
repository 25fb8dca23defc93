import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Deal, type DealFilter } from '../../api/queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { allDealsQuery } from '../../features/deals/all-deals.js';
import { BulkDeleteDialog } from '../../features/deals/BulkDeleteDialog.js';
import { BulkEditDialog } from '../../features/deals/BulkEditDialog.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

/** Chosen deals by ID, or every deal that the filter matches. */
export type ChosenDeals = ReadonlyMap<string, Deal> | 'all';

export const noDeals: ChosenDeals = new Map();

interface SelectionProps {
  readonly chosen: ChosenDeals;
  readonly filter: DealFilter;
  /** Number of deals that match. */
  readonly count: number;
  readonly onChosen: (chosen: ChosenDeals) => void;
}

/** What can be done with the chosen deals. */
export function DealSelection({ chosen, filter, count, onChosen }: SelectionProps) {
  const [action, setAction] = useState<'edit' | 'delete' | null>(null);
  const number = chosen === 'all' ? count : chosen.size;
  const props = {
    onClose: () => setAction(null),
    onDone: () => {
      setAction(null);
      onChosen(noDeals);
    },
  };
  if (number === 0) return null;
  return (
    <div className={`${blocks.saveLine} ${blocks.chosen}`}>
      <span className={blocks.actions}>
        {formatCount(number, 'deal')} selected
        {chosen === 'all' || number === count ? null : (
          <Button onClick={() => onChosen('all')}>Select all {formatNumber(count)}</Button>
        )}
      </span>
      <Button onClick={() => onChosen(noDeals)}>Clear</Button>
      <Button icon={IconTrash} kind="danger" onClick={() => setAction('delete')}>
        Delete
      </Button>
      <Button icon={IconPencil} kind="primary" onClick={() => setAction('edit')}>
        Edit
      </Button>
      {action === null ? null : (
        <ChosenList chosen={chosen} filter={filter}>
          {(deals) =>
            action === 'edit' ? (
              <BulkEditDialog deals={deals} {...props} />
            ) : (
              <BulkDeleteDialog deals={deals} {...props} />
            )
          }
        </ChosenList>
      )}
    </div>
  );
}

interface ChosenListProps extends Pick<SelectionProps, 'chosen' | 'filter'> {
  readonly children: (deals: readonly Deal[]) => React.ReactNode;
}

function ChosenList({ chosen, filter, children }: ChosenListProps) {
  const all = useQuery({ ...allDealsQuery(filter), enabled: chosen === 'all' });
  if (chosen !== 'all') return children([...chosen.values()]);
  return (
    <Loaded query={all} height={0}>
      {children}
    </Loaded>
  );
}
