import { isWhole, type TeamMember, type TeamOverview } from '../../api/team-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button, LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Delta } from '../../components/Delta.js';
import { InlineSelect } from '../../components/Inline.js';
import { RowHints } from '../../components/Kbd.js';
import { personColumn } from '../../components/links.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { StatusBadge } from '../../components/StatusBadge.js';
import { changeSince, earnedTotal } from '../../features/fx/earned-sum.js';
import { type Sum, sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { hasDays, shiftPeriod, shortPeriod } from '../../shared/format/periods.js';
import { Attained } from './Attained.js';
import { mainAttainment } from './attainment.js';
import { type BandKey, bands, findBand } from './bands.js';

/** What the statement of each person pays, by currency. */
export type PayableByRep = ReadonlyMap<string, readonly Sum[]>;

interface TeamTableProps {
  readonly team: TeamOverview;
  readonly previous: TeamOverview | null;
  /** What the statements of people pay, by id; null in workspaces without payouts. */
  readonly payable: PayableByRep | null;
  /** The period whose figures stand beside those of the page; undefined for none. */
  readonly beside: string | undefined;
  readonly onBeside: (period: string | undefined) => void;
  /** Only people in this band of attainment. */
  readonly band: BandKey | undefined;
  readonly onAllBands: () => void;
}

/** One row per person. A row opens the statement. */
export function TeamTable({ team, previous, payable, beside, onBeside, band, onAllBands }: TeamTableProps) {
  const { currency, reps, period } = team;
  const visible = reps.filter(
    ({ attainment }) => band === undefined || findBand(mainAttainment(attainment, period)?.attainment) === band,
  );
  return (
    <Card
      title="People"
      note={
        band === undefined
          ? `amounts in ${currency}`
          : `${bands.find(({ key }) => key === band)?.label}, amounts in ${currency}`
      }
      isFlush
      action={
        <span className={blocks.actions}>
          {band === undefined ? (
            <RowHints action="statement" />
          ) : (
            <LinkButton onClick={onAllBands}>Show every band</LinkButton>
          )}
          <InlineSelect
            label="Period beside"
            choices={periodsBeside(period, beside)}
            value={beside ?? ''}
            onChange={({ currentTarget: { value } }) => onBeside(value === '' ? undefined : value)}
          />
        </span>
      }
    >
      {visible.length === 0 ? (
        <EmptyState title="No one in the band" actions={<Button onClick={onAllBands}>Show every band</Button>}>
          {formatCount(reps.length, 'person', 'people')} of {isWhole(team, reps) ? 'the period' : 'this page'} are not
          in this list.
        </EmptyState>
      ) : (
        <DataTable
          caption="Earnings of the team by person"
          columns={buildColumns(team, previous, payable, beside !== undefined)}
          rows={visible}
          rowKey={({ repId }) => repId}
          rowHeight={33}
          isInset
          total={visible.length === reps.length && isWhole(team, reps) ? totalRow(team, previous) : undefined}
        />
      )}
    </Card>
  );
}

/** The sums of everyone. */
function totalRow(team: TeamOverview, previous: TeamOverview | null): Readonly<Record<string, React.ReactNode>> {
  const { totals, currency } = team;
  return {
    person: 'Total',
    commission: <Money amount={totals.commission} currency={currency} unit="none" />,
    bonus: <Money amount={totals.bonus} currency={currency} unit="none" />,
    adjustments: <Money amount={totals.adjustments} currency={currency} unit="none" />,
    ...(team.bookings === undefined ? {} : { credited: <SumLines sums={creditedSums(team) ?? []} main={currency} /> }),
    earned: <EarnedTotal team={team} />,
    ...(previous === null ? {} : { earnedBefore: <EarnedTotal team={previous} /> }),
  };
}

function EarnedTotal({ team: { totals, converted, currency } }: { readonly team: TeamOverview }) {
  return (
    <>
      <LedgerTotal amount={totals.total} currency={currency} />
      <InAll converted={converted} currency={currency} />
    </>
  );
}

/** The twelve periods before, and one of the address that is none of them. */
function periodsBeside(period: string, beside: string | undefined): readonly (readonly [string, string])[] {
  const before = Array.from({ length: 12 }, (_, index) => shiftPeriod(period, -1 - index)).filter(hasDays);
  const offered = beside === undefined || before.includes(beside) ? before : [beside, ...before];
  return [['', 'No period beside'], ...offered.map((each) => [each, `Beside ${shortPeriod(each)}`] as const)];
}

const kindsOfPay = [
  ['commission', 'Commission'],
  ['bonus', 'Bonus'],
  ['adjustments', 'Adjusted'],
] as const;

function buildColumns(
  team: TeamOverview,
  previous: TeamOverview | null,
  payable: TeamTableProps['payable'],
  isBeside: boolean,
): readonly Column<TeamMember>[] {
  const { currency, period, reps } = team;
  const before = new Map(previous?.reps.map((rep) => [rep.repId, rep]));
  const change = (rep: TeamMember) => {
    const then = previous?.currency === currency ? before.get(rep.repId) : undefined;
    return then === undefined ? null : changeSince(rep, then, currency);
  };
  const amount = ([key, header]: (typeof kindsOfPay)[number]): Column<TeamMember> => ({
    key,
    header,
    align: 'right',
    sortBy: ({ earnings }) => earnings[key],
    cell: ({ earnings }) => <Money amount={earnings[key]} currency={currency} unit="none" dimsZero />,
  });
  const kinds = [
    ...(team.bookings === undefined ? [] : [creditedColumn(currency)]),
    // The column of what is paid takes the room of empty ones.
    ...kindsOfPay.filter(([key]) => payable === null || reps.some(({ earnings }) => earnings[key] !== 0)).map(amount),
  ];
  return [
    personColumn(period, '150px'),
    ...(isBeside && previous !== null ? columnsBeside(before, previous) : []),
    attainmentColumn(period),
    ...(isBeside ? [] : kinds),
    {
      key: 'earned',
      header: 'Earned',
      align: 'right',
      phone: 'amount',
      sortBy: earnedTotal,
      cell: (rep) => <Earned rep={rep} currency={currency} />,
    },
    {
      key: 'change',
      header: previous === null ? 'Change' : `vs ${shortPeriod(previous.period)}`,
      align: 'right',
      phone: 'note',
      sortBy: (rep) => {
        const amount = change(rep)?.amount;
        return amount === undefined ? null : Number(amount);
      },
      cell: (rep) => {
        const { amount, currency: of } = change(rep) ?? { amount: null, currency };
        return <Delta amount={amount} currency={of} unit={of === currency ? 'none' : 'code'} />;
      },
    },
    ...(payable === null ? [] : [payableColumn(payable, currency)]),
    {
      key: 'status',
      header: 'Statement',
      phone: 'detail',
      sortBy: ({ statementStatus }) => statementStatus,
      cell: ({ statementStatus }) => <StatusBadge status={statementStatus} />,
    },
  ];
}

/** The same figures of the other period. They take the room of the kinds of pay. */
function columnsBeside(
  before: ReadonlyMap<string, TeamMember>,
  { period, currency }: TeamOverview,
): readonly Column<TeamMember>[] {
  const short = shortPeriod(period);
  const attained = ({ repId }: TeamMember) => mainAttainment(before.get(repId)?.attainment ?? [], period);
  return [
    {
      key: 'attainmentBefore',
      header: `Attainment, ${short}`,
      align: 'right',
      sortBy: (rep) => attained(rep)?.attainment ?? null,
      cell: (rep) => <Attained attainment={attained(rep)} />,
    },
    {
      key: 'earnedBefore',
      header: `Earned, ${short}`,
      align: 'right',
      sortBy: ({ repId }) => {
        const rep = before.get(repId);
        return rep === undefined ? null : earnedTotal(rep);
      },
      cell: ({ repId }) => {
        const rep = before.get(repId);
        return rep === undefined ? <span className="dim">–</span> : <Earned rep={rep} currency={currency} />;
      },
    },
  ];
}

/** What people are credited with by currency; null in workspaces without shared deals. */
function creditedSums({
  bookings,
  currency,
}: Pick<TeamMember, 'bookings'> & { readonly currency: string }): readonly Sum[] | null {
  if (bookings === undefined) return null;
  return sumByCurrency(
    bookings.map((sold) => ({ currency: sold.currency, amount: sold.credited })),
    currency,
  );
}

/** Shared deals count with the share of each person. */
function creditedColumn(currency: string): Column<TeamMember> {
  return {
    key: 'credited',
    header: 'Credited',
    align: 'right',
    sortBy: ({ bookings }) => Number(creditedSums({ bookings, currency })?.[0]?.amount ?? 0),
    cell: ({ bookings }) => <SumLines sums={creditedSums({ bookings, currency }) ?? []} main={currency} />,
  };
}

/** What the statement pays, in the currency of the bank. */
function payableColumn(payable: PayableByRep, currency: string): Column<TeamMember> {
  return {
    key: 'payable',
    header: 'Payable',
    align: 'right',
    sortBy: ({ repId }) => Number(payable.get(repId)?.[0]?.amount ?? 0),
    cell: ({ repId }) => <SumLines sums={payable.get(repId) ?? []} main={currency} />,
  };
}

function attainmentColumn(period: string): Column<TeamMember> {
  return {
    key: 'attainment',
    header: 'Attainment',
    align: 'right',
    phone: 'detail',
    sortBy: ({ attainment }) => mainAttainment(attainment, period)?.attainment ?? null,
    cell: ({ attainment }) => <Attained attainment={mainAttainment(attainment, period)} />,
  };
}

/** The sum of all currencies in that of the workspace, below what was earned in it. */
function InAll({ converted, currency }: { readonly converted: TeamMember['converted']; readonly currency: string }) {
  if (converted === undefined) return null;
  return (
    <span className="num second">
      {converted.total === null
        ? `no exchange rate of ${converted.missing.join(', ')}`
        : `${formatMoney(converted.total, currency, { unit: 'code' })} in all`}
    </span>
  );
}

function Earned({ rep, currency }: { readonly rep: TeamMember; readonly currency: string }) {
  const earned = [{ currency, earnings: rep.earnings }, ...rep.otherCurrencies];
  return (
    <>
      <span className="strong brand">
        <SumLines
          sums={sumByCurrency(
            earned.map((each) => ({ currency: each.currency, amount: each.earnings.total })),
            currency,
          )}
          main={currency}
        />
      </span>
      <InAll converted={rep.converted} currency={currency} />
    </>
  );
}
