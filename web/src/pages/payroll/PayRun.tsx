import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { heldPayablesQuery } from '../../api/payout-queries.js';
import { type TeamStatements } from '../../api/team-queries.js';
import blocks from '../../components/Blocks.module.css';
import { type Column, DataTable } from '../../components/DataTable.js';
import { personColumn } from '../../components/links.js';
import { HeroMoney, Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { StatCard, StatStrip } from '../../components/StatCard.js';
import { StatusBadge } from '../../components/StatusBadge.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import { listHeld, listRunRows, type RunRow, sumRun } from './pay-run.js';
import { type Sum } from './sums.js';

interface PayRunProps {
  readonly team: TeamStatements;
  /** Whether the person passes the filter of the page. */
  readonly isFound: (repId: string, name: string) => boolean;
}

/** A run of payroll: what is new, held and negative, by person and currency. */
export function PayRun({ team: { statements, currency, period }, isFound }: PayRunProps) {
  const rows = listRunRows(statements);
  const payables = useQuery(heldPayablesQuery).data?.payables ?? [];
  const held = listHeld(payables.filter(({ repId, repName }) => isFound(repId, repName)));
  const negative = rows.filter(({ added, owed }) => added > 0 || owed > 0);
  const first = useFirstRows(rows);
  return (
    <>
      <StatStrip label="Sums of the run" columns="1fr 1fr 1fr">
        <RunCard
          label="New, in no batch yet"
          sums={sumRun(
            rows.map((row) => ({ currency: row.paidIn, amount: row.fresh })),
            currency,
          )}
          note="approved, and not in a payout batch"
        />
        <RunCard label="Held now" sums={sumRun(held, currency)} note={formatCount(held.length, 'person', 'people')} />
        <RunCard
          label="Negative, still owed"
          sums={sumRun(
            negative.map((row) => ({ currency: row.currency, amount: row.owed })),
            currency,
          )}
          note="later statements keep it; none pays less than 0"
        />
      </StatStrip>
      {rows.length === 0 ? null : (
        <Card title="This run, by person" note={`amounts in ${currency}, unless they name another currency`} isFlush>
          <DataTable
            caption="This run by person"
            columns={buildColumns(
              period,
              currency,
              rows.some(({ drawn }) => drawn > 0),
            )}
            rows={first.shown}
            rowKey={({ key }) => key}
            rowHeight={37}
            isInset
          />
          <ShowAll rows={first} one="line" />
        </Card>
      )}
      {held.length === 0 ? null : (
        <Card title="Held now" action={<Link to="/holds">Holds</Link>}>
          <ul className={blocks.rows} aria-label="Held now">
            {held.map(({ key, repName, reasons, amount, currency: of }) => (
              <li key={key}>
                <span>
                  <b className="strong">{repName}</b> <span className="dim">{reasons.join('; ')}</span>
                </span>
                <Money amount={amount} currency={of} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

interface RunCardProps {
  readonly label: string;
  readonly sums: readonly Sum[];
  readonly note: string;
}

function RunCard({ label, sums: [main, ...others], note }: RunCardProps) {
  return (
    <StatCard
      label={label}
      figure={<HeroMoney amount={main?.amount ?? '0'} currency={main?.currency ?? ''} />}
      note={
        <>
          {others.map((sum) => (
            <p key={sum.currency} className="num">
              and {formatMoney(sum.amount, sum.currency, { unit: 'code' })}
            </p>
          ))}
          {note}
        </>
      }
    />
  );
}

function buildColumns(period: string, main: string, hasDraws: boolean): readonly Column<RunRow>[] {
  const amount = (
    key: 'released' | 'drawn' | 'kept' | 'payable' | 'batched' | 'fresh' | 'owed',
    header: string,
  ): Column<RunRow> => ({
    key,
    header,
    align: 'right',
    ...(key === 'payable' ? { phone: 'amount' as const } : key === 'fresh' ? { phone: 'note' as const } : {}),
    sortBy: (row) => Number(row[key]),
    cell: (row) => {
      const currency = key === 'batched' || key === 'fresh' ? row.paidIn : row.currency;
      return <Money amount={row[key]} currency={currency} unit={currency === main ? 'none' : 'code'} dimsZero />;
    },
  });
  return [
    personColumn(period),
    {
      key: 'status',
      header: 'Statement',
      phone: 'detail',
      sortBy: ({ status }) => status,
      cell: ({ status, version }) => <StatusBadge status={status} version={version} />,
    },
    amount('released', 'Released'),
    ...(hasDraws ? [amount('drawn', 'Draws')] : []),
    amount('kept', 'Kept of it'),
    amount('payable', 'Payable'),
    amount('batched', 'In batches'),
    amount('fresh', 'New'),
    amount('owed', 'Still owed'),
  ];
}
