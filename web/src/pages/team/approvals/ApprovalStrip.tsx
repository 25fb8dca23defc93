import { type TeamStatement, type TeamStatements } from '../../../api/team-queries.js';
import { ProgressBar } from '../../../components/ProgressBar.js';
import { HeroText, StatCard, StatStrip } from '../../../components/StatCard.js';
import {
  earnedSums,
  hasPayouts,
  netSums,
  type Sum,
  servedSums,
  sumWords,
  visibleSums,
} from '../../../features/statements/pay-sums.js';
import { SumCard } from '../../../features/statements/SumCard.js';
import { formatCount, formatNumber, formatPercent } from '../../../shared/format/numbers.js';
import styles from './Approvals.module.css';
import { type ApprovalRow, isBlockedBy, isCounted, isUnready } from './approval-rows.js';

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
  const statements = rows.map(({ statement }) => statement);
  const unready = rows.filter(isUnready);
  const [drafts, approved] = (['draft', 'approved'] as const).map((status) =>
    statements.filter((statement) => statement.status === status),
  ) as [TeamStatement[], TeamStatement[]];
  const [main] = visibleSums(netSums(statements, currency)) as [Sum];
  const [done] = netSums(approved, main.currency) as [Sum];
  const share = Number(main.amount) > 0 ? Number(done.amount) / Number(main.amount) : 0;
  const pays = hasPayouts(statements);
  return (
    <StatStrip label="Sums of the period" columns="1.35fr 1fr 1fr 1fr">
      <SumCard
        label={`${pays ? 'Payable' : 'Net payout'}${isOfSome ? ` of ${formatCount(rows.length, 'person', 'people')}` : ''}`}
        sums={netSums(statements, currency)}
        note={
          <div className={styles.progress}>
            {pays ? <p className="num">{sumWords(earnedSums(statements, currency))} earned</p> : null}
            <ProgressBar ratio={share} label={`${formatPercent(share, 0)} of the amount is approved`} />
          </div>
        }
      />
      <SumCard
        label="Draft"
        sums={netSums(drafts, currency)}
        size="second"
        note={formatCount(drafts.length, 'person', 'people')}
      />
      <SumCard
        label="Approved"
        sums={netSums(approved, currency)}
        size="second"
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

/** How many people there are, whatever the status of their statement is. */
export function countOfAll({ statuses }: TeamStatements): number {
  return statuses === undefined ? 0 : statuses.none + statuses.draft + statuses.approved;
}

interface LargeStripProps {
  readonly team: TeamStatements;
  readonly isOfSome: boolean;
}

/** The sums of a period whose statements are on several pages, as the service adds them up. */
export function LargeStrip({ team, isOfSome }: LargeStripProps) {
  const { currency, statuses, sums: byStatus = [] } = team;
  const sumsOf = (...wanted: readonly TeamStatement['status'][]) =>
    servedSums(
      byStatus.filter(({ status }) => wanted.includes(status)),
      currency,
    );
  const people = (count = 0) => formatCount(count, 'person', 'people');
  return (
    <StatStrip label="Sums of the period" columns="1.35fr 1fr 1fr 1fr">
      <SumCard
        label={`${byStatus.some(({ summary }) => summary.payable !== undefined) ? 'Payable' : 'Net payout'}${isOfSome ? ` of ${people(countOfAll(team))}` : ''}`}
        sums={sumsOf('none', 'draft', 'approved')}
        note={people(countOfAll(team))}
      />
      <SumCard label="Draft" sums={sumsOf('draft')} size="second" note={people(statuses?.draft)} />
      <SumCard label="Approved" sums={sumsOf('approved')} size="second" note={people(statuses?.approved)} />
      <StatCard
        label="Not generated"
        figure={<HeroText size="second">{formatNumber(statuses?.none ?? 0)}</HeroText>}
        note="people without a draft"
      />
    </StatStrip>
  );
}

/** How many statements lack what; only a missing quota is a mistake. */
function Causes({ rows }: { readonly rows: readonly ApprovalRow[] }) {
  return causes
    .map(([reason, words]) => ({ reason, words, count: rows.filter(isBlockedBy(reason)).length }))
    .filter(({ count }) => count > 0)
    .map(({ reason, words, count }, index) => (
      <span key={reason} className={reason === 'quota_missing' ? 'negative' : undefined}>
        {index > 0 ? ', ' : ''}
        {count} {words}
      </span>
    ));
}
