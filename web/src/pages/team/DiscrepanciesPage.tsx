import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Discrepancy, discrepanciesQuery } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Check } from '../../components/Field.js';
import { RowHints } from '../../components/Kbd.js';
import { Loaded } from '../../components/Loaded.js';
import { HeroMoney, Money } from '../../components/Money.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { StatCard, StatStrip } from '../../components/StatCard.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { toggled } from '../../components/toggled.js';
import { formatInstant } from '../../shared/format/dates.js';
import { signOf, sumAmounts } from '../../shared/format/exact.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { DiscrepancyDetails } from './DiscrepancyDetails.js';
import { DiscrepancySelection } from './DiscrepancySelection.js';
import styles from './Team.module.css';

const route = getRouteApi('/_shell/discrepancies');

/** What changed under approved periods. Nothing is paid until someone decides. */
export function DiscrepanciesPage() {
  const { status = 'open' } = route.useSearch();
  const discrepancies = useQuery(discrepanciesQuery(status));
  return (
    <Page
      title="Discrepancies"
      crumbs={[{ label: 'Team', to: '/team' }, { label: 'Discrepancies' }]}
      facts={[
        'changes under approved periods',
        discrepancies.data === undefined ? null : formatCount(discrepancies.data.length, 'entry', 'entries'),
      ]}
    >
      <Loaded query={discrepancies} height={480}>
        {(loaded) => (
          <>
            {status === 'open' && loaded.length > 0 ? <Strip discrepancies={loaded} /> : null}
            <List discrepancies={loaded} status={status} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Sums in the currency of the workspace; other currencies are listed and never added. */
function Strip({ discrepancies }: { readonly discrepancies: readonly Discrepancy[] }) {
  const { workspace } = useSession();
  const inCurrency = (code: string) =>
    discrepancies.filter(({ currency }) => currency === code).map(({ delta }) => delta);
  const main = inCurrency(workspace.currency);
  const others = [...new Set(discrepancies.map(({ currency }) => currency))].filter(
    (code) => code !== workspace.currency,
  );
  return (
    <StatStrip label="Sums of the open discrepancies" columns="1.35fr 1fr 1fr">
      <StatCard
        label="Owed in total"
        figure={<HeroMoney amount={sumAmounts(main)} currency={workspace.currency} />}
        note={others.map((other) => formatMoney(sumAmounts(inCurrency(other)), other, { unit: 'code' })).join(', ')}
      />
      <StatCard
        label="To pay"
        figure={
          <HeroMoney
            amount={sumAmounts(main.filter((delta) => signOf(delta) > 0))}
            currency={workspace.currency}
            size="second"
          />
        }
        note="people earned more than was approved"
      />
      <StatCard
        label="To recover"
        figure={
          <HeroMoney
            amount={sumAmounts(main.filter((delta) => signOf(delta) < 0))}
            currency={workspace.currency}
            size="second"
          />
        }
        note="people earned less than was approved"
      />
    </StatStrip>
  );
}

interface ListProps {
  readonly discrepancies: readonly Discrepancy[];
  readonly status: Discrepancy['status'];
}

function List({ discrepancies, status }: ListProps) {
  const navigate = useNavigate({ from: '/discrepancies' });
  const { open } = route.useSearch();
  const toggle = (id: string) => navigate({ search: { status, open: id === open ? undefined : id } });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { role, repId } = useSession();
  const resolvable =
    status === 'open' && (role === 'manager' || role === 'admin')
      ? discrepancies.filter((discrepancy) => discrepancy.repId !== repId)
      : [];
  return (
    <div>
      <Tabs
        label="Discrepancies by state"
        current={status}
        onChange={(next) => navigate({ search: { status: next } })}
        tabs={[
          { key: 'open', label: 'Open' },
          { key: 'dismissed', label: 'Dismissed' },
          { key: 'resolved', label: 'Resolved' },
        ]}
        side={<RowHints action="open" />}
      />
      {discrepancies.length === 0 ? (
        <Nothing status={status} />
      ) : (
        <div className={styles.table}>
          <DataTable
            caption="Discrepancies"
            columns={[...chooseColumn(resolvable, chosen, setChosen), ...columns(open, toggle)]}
            rows={discrepancies}
            rowKey={({ discrepancyId }) => discrepancyId}
            selectedKeys={chosen}
            markedKey={open ?? null}
            rowHeight={35}
            hasBelow={({ discrepancyId }) => discrepancyId === open}
            below={(discrepancy) => (
              <div className={styles.details}>
                <DiscrepancyDetails discrepancy={discrepancy} />
              </div>
            )}
          />
          <DiscrepancySelection
            chosen={resolvable.filter(({ discrepancyId }) => chosen.has(discrepancyId))}
            onDone={() => setChosen(new Set())}
          />
        </div>
      )}
    </div>
  );
}

/** Boxes of the discrepancies that the person may resolve; no column if there are none. */
function chooseColumn(
  resolvable: readonly Discrepancy[],
  chosen: ReadonlySet<string>,
  onChosen: (chosen: ReadonlySet<string>) => void,
): readonly Column<Discrepancy>[] {
  if (resolvable.length === 0) return [];
  const ids = new Set(resolvable.map(({ discrepancyId }) => discrepancyId));
  const all = resolvable.every(({ discrepancyId }) => chosen.has(discrepancyId));
  return [
    {
      key: 'choose',
      header: (
        <Check
          label="All discrepancies"
          checked={all}
          isPartial={!all && chosen.size > 0}
          onChange={() => onChosen(all ? new Set() : ids)}
        />
      ),
      width: '40px',
      phone: 'lead',
      cell: ({ discrepancyId, repName, period }) =>
        ids.has(discrepancyId) ? (
          <Check
            label={`Select ${repName}, ${formatPeriod(period)}`}
            checked={chosen.has(discrepancyId)}
            onChange={() => onChosen(toggled(chosen, discrepancyId))}
          />
        ) : null,
    },
  ];
}

function Nothing({ status }: { readonly status: Discrepancy['status'] }) {
  if (status !== 'open')
    return <EmptyState title={`Nothing was ${status}`}>Entries appear here with who decided, when and why.</EmptyState>;
  return (
    <EmptyState title="No discrepancies">
      When a deal, a quota or a plan changes under an approved statement, the difference appears here within seconds.
    </EmptyState>
  );
}

function columns(open: string | undefined, toggle: (id: string) => void): readonly Column<Discrepancy>[] {
  const amount = (key: 'approved' | 'live', header: string): Column<Discrepancy> => ({
    key,
    header,
    align: 'right',
    sortBy: (discrepancy) => discrepancy[key],
    cell: (discrepancy) => <Money amount={discrepancy[key]} currency={discrepancy.currency} unit="none" />,
  });
  return [
    {
      key: 'person',
      header: 'Person',
      phone: 'title',
      sortBy: ({ repName }) => repName,
      cell: ({ discrepancyId, repName, period }) => (
        <RowButton
          aria-expanded={discrepancyId === open}
          aria-label={`${repName}, ${formatPeriod(period)}`}
          onClick={() => toggle(discrepancyId)}
          {...rowAction}
        >
          {repName}
        </RowButton>
      ),
    },
    {
      key: 'period',
      header: 'Period',
      phone: 'detail',
      sortBy: ({ period }) => period,
      cell: ({ period }) => formatPeriod(period),
    },
    amount('approved', 'Approved'),
    amount('live', 'Now'),
    {
      key: 'delta',
      header: 'Difference',
      align: 'right',
      phone: 'amount',
      sortBy: ({ delta }) => delta,
      cell: ({ delta, currency }) => (
        <span className="strong">
          <Money amount={delta} currency={currency} signed />
        </span>
      ),
    },
    {
      key: 'since',
      header: 'Since',
      phone: 'detail',
      sortBy: ({ since }) => since,
      cell: ({ since }) => <span className="dim">{formatInstant(since)}</span>,
    },
    { key: 'status', header: 'State', phone: 'note', cell: (discrepancy) => <State discrepancy={discrepancy} /> },
  ];
}

const actionWords = {
  true_up: 'Paid in the same period',
  carry_forward: 'Paid in a later period',
  dismiss: 'Dismissed',
  cleared: 'Cleared',
  unlocked: 'Opened again',
} as const;

function State({ discrepancy: { status, resolution } }: { readonly discrepancy: Discrepancy }) {
  if (status === 'open') return <Badge tone="warning">Open</Badge>;
  return (
    <Badge tone={status === 'resolved' ? 'good' : 'neutral'}>
      {resolution === null ? 'Closed' : actionWords[resolution.action]}
    </Badge>
  );
}
