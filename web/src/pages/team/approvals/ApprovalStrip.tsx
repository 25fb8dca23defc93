import { HeroMoney } from '../../../components/Money.js';
import { ProgressBar } from '../../../components/ProgressBar.js';
import { HeroText, StatCard, StatStrip } from '../../../components/StatCard.js';
import { sumAmounts } from '../../../shared/format/exact.js';
import { formatCount, formatMoney, formatPercent } from '../../../shared/format/numbers.js';
import styles from './Approvals.module.css';
import { type ApprovalRow, isBlockedBy, isCounted, isUnready } from './approval-rows.js';
import { netByCurrency } from './net-sums.js';

interface ApprovalStripProps {
  /** The currency of the workspace. */
  readonly currency: string;
  readonly rows: readonly ApprovalRow[];
  /** Whether the rows are those of filtered people. */
  readonly isOfSome: boolean;
}

const causes = [
  ['quota_missing', 'without a quota'],
  ['no_draft', 'not generated'],
  ['calculating', 'still calculating'],
] as const;

/** The sums of the period by state. The bar is the approved share of the money. */
export function ApprovalStrip({ currency, rows: all, isOfSome }: ApprovalStripProps) {
  const rows = all.filter(isCounted);
  const rowsWith = (status: string) => rows.filter(({ statement }) => statement.status === status);
  const sum = (some: readonly ApprovalRow[]) =>
    sumAmounts(some.flatMap(({ statement }) => (statement.currency === currency ? statement.summary.netPayout : [])));
  const [drafts, approved, unready] = [rowsWith('draft'), rowsWith('approved'), rows.filter(isUnready)];
  const net = sum(rows);
  const payable = sumPayable(rows, currency);
  const share = Number(net) > 0 ? Number(sum(approved)) / Number(net) : 0;
  return (
    <StatStrip label="Sums of the period" columns="1.35fr 1fr 1fr 1fr">
      <StatCard
        label={`${payable === null ? 'Net payout' : 'Earned'}${isOfSome ? ` of ${formatCount(rows.length, 'person', 'people')}` : ''}`}
        figure={<HeroMoney amount={net} currency={currency} />}
        note={
          <div className={styles.progress}>
            {payable === null ? null : <p className="num">{formatMoney(payable, currency)} payable</p>}
            <ProgressBar ratio={share} label={`${formatPercent(share, 0)} of the net payout is approved`} />
            {netByCurrency(rows)
              .filter((other) => other.currency !== currency)
              .map((other) => (
                <p key={other.currency} className="num">
                  {formatMoney(other.amount, other.currency, { unit: 'code' })}
                </p>
              ))}
          </div>
        }
      />
      <StatCard
        label="Draft"
        figure={<HeroMoney amount={sum(drafts)} currency={currency} size="second" />}
        note={formatCount(drafts.length, 'person', 'people')}
      />
      <StatCard
        label="Approved"
        figure={<HeroMoney amount={sum(approved)} currency={currency} size="second" />}
        note={formatCount(approved.length, 'person', 'people')}
      />
      <StatCard
        label="Not ready"
        figure={<HeroText size="second">{unready.length}</HeroText>}
        note={unready.length === 0 ? 'nothing is missing' : <Causes rows={unready} />}
      />
    </StatStrip>
  );
}

/** What the statements pay; null in workspaces without payouts. */
function sumPayable(rows: readonly ApprovalRow[], currency: string): string | null {
  const amounts = rows.flatMap(({ statement }) =>
    statement.currency === currency && statement.summary.payable !== undefined ? [statement.summary.payable] : [],
  );
  return amounts.length === 0 ? null : sumAmounts(amounts);
}

/** How many statements lack what; only a missing quota is a mistake. */
function Causes({ rows }: { readonly rows: readonly ApprovalRow[] }) {
  return causes
    .map(([because, words]) => ({ because, words, count: rows.filter(isBlockedBy(because)).length }))
    .filter(({ count }) => count > 0)
    .map(({ because, words, count }, index) => (
      <span key={because} className={because === 'quota_missing' ? 'negative' : undefined}>
        {index > 0 ? ', ' : ''}
        {count} {words}
      </span>
    ));
}
