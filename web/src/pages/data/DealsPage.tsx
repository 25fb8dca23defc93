import { IconDownload, IconFileImport } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDownload } from '../../api/download.js';
import { type Deal, type DealFilter, dealsQuery } from '../../api/queries.js';
import { isPersisted } from '../../app/persisted-state.js';
import { Button, ButtonContent, buttonClass, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { Check } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { CorrectionsCard } from '../../features/deals/CorrectionsCard.js';
import { CrmLink } from '../../features/deals/CrmLink.js';
import { EditDealDialog } from '../../features/deals/EditDealDialog.js';
import { SavedViews } from '../../features/views/SavedViews.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatPercent } from '../../shared/format/numbers.js';
import { DealDialog } from './DealDialog.js';
import { DealFilters } from './DealFilters.js';
import { type ChosenDeals, DealSelection, noDeals } from './DealSelection.js';
import { type DealSearch, toDealFilter } from './deal-search.js';

const route = getRouteApi('/_shell/deals');
const pageSize = 100;

const toFilter = (search: DealSearch): DealFilter => toDealFilter(search, pageSize);

/** Every deal of the workspace, with filters in the address. */
export function DealsPage() {
  const { sort: _, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/deals' });
  const deals = useQuery({ ...dealsQuery(toFilter(search)), placeholderData: keepPreviousData });
  const [opened, setOpened] = useState<Deal | null>(null);
  // Null for a new one.
  const [edited, setEdited] = useState<Deal | null | undefined>(isPersisted('deal new') ? null : undefined);
  // A selection belongs to the filter under which it was made, also after Back.
  const filterKey = JSON.stringify({ ...search, page: undefined });
  const [selection, setSelection] = useState({ filterKey, chosen: noDeals });
  const chosen = selection.filterKey === filterKey ? selection.chosen : noDeals;
  const setChosen = (next: ChosenDeals) => setSelection({ filterKey, chosen: next });
  const set = (change: DealSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: true });
  const hasFilter = Object.values({ ...search, page: undefined }).some((value) => value !== undefined);
  const page = search.page ?? 0;
  return (
    <Page
      title="Deals"
      crumbs={[{ label: 'Deals' }]}
      facts={[deals.data === undefined ? null : formatCount(deals.data.count, 'deal')]}
      actions={
        <>
          <DealsDownload filter={toFilter(search)} />
          <Button onClick={() => setEdited(null)}>Add deal</Button>
          <Link to="/imports/$kind" params={{ kind: 'deals' }} className={buttonClass({ kind: 'primary' })}>
            <ButtonContent icon={IconFileImport}>Import</ButtonContent>
          </Link>
        </>
      }
    >
      <CorrectionsCard dealId={null} />
      <DealFilters search={search} onChange={set} />
      <SavedViews />
      <Loaded query={deals} height={480}>
        {({ deals: rows, count, totals = [] }) =>
          rows.length === 0 ? (
            <EmptyState
              title={hasFilter ? 'No deal matches' : 'No deals yet'}
              actions={hasFilter ? <Button onClick={() => navigate({ search: {} })}>Clear filters</Button> : undefined}
            >
              {hasFilter ? 'Change or clear the filters.' : 'Import a file, or connect a CRM.'}
            </EmptyState>
          ) : (
            <>
              <DataTable
                caption="Deals"
                columns={buildColumns(
                  setOpened,
                  search.show === 'deleted' ? null : { rows, chosen, onChosen: setChosen },
                )}
                rows={rows}
                rowKey={toKey}
                selectedKeys={new Set(rows.filter((deal) => isChosen(chosen, deal)).map(toKey))}
                rowHeight={50}
                total={{ deal: `Sum of ${formatCount(count, 'deal')}`, amount: <Sums totals={totals} /> }}
              />
              <DealSelection chosen={chosen} filter={toFilter(search)} count={count} onChosen={setChosen} />
              <Pager
                page={page}
                pageSize={pageSize}
                count={count}
                labels={['Previous', 'Next']}
                onChange={(next) => set({ page: next === 0 ? undefined : next })}
              />
            </>
          )
        }
      </Loaded>
      {opened === null ? null : (
        <DealDialog
          deal={opened}
          onEdit={() => {
            setOpened(null);
            setEdited(opened);
          }}
          onClose={() => setOpened(null)}
        />
      )}
      {edited === undefined ? null : <EditDealDialog deal={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

const toKey = ({ deal_id: dealId }: Deal) => dealId;

function isChosen(chosen: ChosenDeals, { deal_id: dealId }: Deal): boolean {
  return chosen === 'all' || chosen.has(dealId);
}

/** The sums of every deal that matches, one line for each currency. */
function Sums({ totals }: { readonly totals: readonly { readonly currency: string; readonly amount: number }[] }) {
  return (
    <>
      {totals.map(({ currency, amount }) => (
        <div key={currency}>
          <DealAmount amount={amount} currency={currency} />
        </div>
      ))}
    </>
  );
}

/** A file of every deal that matches, also of other pages. */
function DealsDownload({ filter }: { readonly filter: DealFilter }) {
  const { start, ratio } = useDownload(async (_, onProgress) => {
    const { downloadDeals } = await import('../../features/deals/deal-download.js');
    await downloadDeals(filter, onProgress);
  });
  return (
    <Button icon={IconDownload} isBusy={ratio !== null} onClick={() => start()}>
      {ratio === null ? 'Export' : `Export ${formatPercent(ratio, 0)}`}
    </Button>
  );
}

interface Choosing {
  readonly rows: readonly Deal[];
  readonly chosen: ChosenDeals;
  readonly onChosen: (chosen: ChosenDeals) => void;
}

/** The boxes of the rows. A box that is cleared leaves the others of the page selected. */
function chooseColumn({ rows, chosen, onChosen }: Choosing): Column<Deal> {
  const known = chosen === 'all' ? new Map(rows.map((deal) => [toKey(deal), deal])) : chosen;
  const isAll = rows.every((deal) => isChosen(chosen, deal));
  return {
    key: 'choose',
    header: (
      <Check
        label="All deals of the page"
        checked={isAll}
        isPartial={!isAll && known.size > 0}
        onChange={() =>
          onChosen(isAll ? noDeals : new Map([...known, ...rows.map((deal) => [toKey(deal), deal] as const)]))
        }
      />
    ),
    width: '40px',
    phone: 'lead',
    cell: (deal) => (
      <Check
        label={deal.name ?? deal.deal_id}
        checked={isChosen(chosen, deal)}
        onChange={() => {
          const next = new Map(known);
          if (!next.delete(toKey(deal))) next.set(toKey(deal), deal);
          onChosen(next);
        }}
      />
    ),
  };
}

function buildColumns(onOpen: (deal: Deal) => void, choosing: Choosing | null): readonly Column<Deal>[] {
  return [
    ...(choosing === null ? [] : [chooseColumn(choosing)]),
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      sortBy: ({ name, deal_id: dealId }) => name ?? dealId,
      cell: (deal) => (
        <>
          <RowButton onClick={() => onOpen(deal)} {...rowAction}>
            {deal.name ?? deal.deal_id}
          </RowButton>
          <span className="second">
            {deal.name === null ? null : deal.deal_id} <CrmLink deal={deal} />
          </span>
        </>
      ),
    },
    {
      key: 'person',
      header: 'Person',
      phone: 'detail',
      sortBy: ({ repName }) => repName ?? null,
      cell: ({ repName, ownerId, ownerEmail }) =>
        repName ?? (
          <>
            <span className="dim">no rep</span>
            <span className="second">{ownerId ?? ownerEmail}</span>
          </>
        ),
    },
    {
      key: 'stage',
      header: 'Stage',
      phone: 'note',
      cell: ({ stage, isWon, isClosed }) => (
        <Badge tone={isWon ? 'good' : isClosed ? 'negative' : 'neutral'}>{stage ?? 'none'}</Badge>
      ),
    },
    {
      key: 'closed',
      header: 'Close date',
      phone: 'detail',
      sortBy: ({ closeDate }) => closeDate ?? null,
      cell: ({ closeDate }) => <span className="dim">{closeDate === null ? '–' : formatDay(closeDate, 'year')}</span>,
    },
    {
      key: 'amount',
      header: 'Amount',
      align: 'right',
      phone: 'amount',
      sortBy: ({ amount }) => amount ?? null,
      cell: ({ amount, currency }) => <DealAmount amount={amount} currency={currency} />,
    },
  ];
}
