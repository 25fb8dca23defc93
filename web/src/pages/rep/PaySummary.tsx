import { Link } from '@tanstack/react-router';
import { countsMoney } from '#src/client.js';
import { type Dashboard, type OwnStatement } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { Change } from '../../components/Delta.js';
import { FailedPart, LoadFailure } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { HeroMoney } from '../../components/Money.js';
import { HeroAttainment, StatCard, StatStrip } from '../../components/StatCard.js';
import { amountWords } from '../../components/TierMeter.js';
import { EarnedParts } from '../../features/fx/EarnedParts.js';
import { earnedTotal } from '../../features/fx/earned-sum.js';
import { computeTrend } from '../../features/lines/trend.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { paidWords } from '../../features/payslip/words.js';
import { isCounted, type MainQuota, prorationWords } from '../../features/plans/attainment.js';
import { DownloadLink } from '../../features/statements/DownloadLink.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { absolute, difference, signOf } from '../../shared/format/exact.js';
import { formatMoney, formatPercent } from '../../shared/format/numbers.js';
import {
  countedPeriod,
  formatPeriod,
  periodAt,
  shiftPeriod,
  shortPeriod,
  toPeriodLength,
} from '../../shared/format/periods.js';

interface PaySummaryProps {
  readonly dashboard: Dashboard;
  readonly main: MainQuota | null;
  /** Whether a rule of the person pays nothing without a quota. */
  readonly needsQuota: boolean;
  /** The statements of the person, latest first. */
  readonly statements: readonly OwnStatement[] | LoadFailure;
  readonly period: string;
}

const lengthWords = { 1: 'this month', 3: 'this quarter', 6: 'this half-year', 12: 'this year' } as const;

/** Earned, attainment, and the latest statement. */
export function PaySummary({ dashboard, main, needsQuota, statements, period }: PaySummaryProps) {
  const { currency, otherCurrencies } = dashboard;
  const today = useToday();
  const isPresent = period === periodAt(today, toPeriodLength(period));
  return (
    <StatStrip label="Summary" columns="1.25fr 1fr 1fr">
      <StatCard
        label={`Earned ${isPresent ? lengthWords[toPeriodLength(period)] : `in ${formatPeriod(period)}`}`}
        figure={<HeroMoney amount={earnedTotal(dashboard)} currency={currency} />}
        note={
          otherCurrencies.length === 0 ? (
            <Comparison dashboard={dashboard} period={period} />
          ) : (
            <EarnedParts sums={dashboard} />
          )
        }
      />
      <StatCard
        label={
          main === null ? 'Attainment' : `Attainment ${countedPeriod(main.quota.period, main.quota.through, today)}`
        }
        figure={<HeroAttainment ratio={main?.quota.attainment} />}
        note={main === null ? withoutQuota(dashboard, needsQuota) : <QuotaNote main={main} currency={currency} />}
      />
      <LatestStatement statements={statements} period={period} />
    </StatStrip>
  );
}

/** Why there is no attainment. */
function withoutQuota({ attainment }: Dashboard, needsOne: boolean): string {
  if (!needsOne) return 'Your rules need no quota';
  const waiting = attainment.find((quota) => quota.target > 0 && !isCounted(quota));
  return waiting === undefined ? 'No quota is set' : `Counted at the end of ${formatPeriod(waiting.period)}`;
}

function QuotaNote({ main: { quota, rule }, currency }: { readonly main: MainQuota; readonly currency: string }) {
  const isMoney = countsMoney(rule);
  const prorated = prorationWords(quota);
  return (
    <span className="num">
      {amountWords(quota.credit, currency, isMoney)} of {amountWords(quota.target, currency, isMoney)}
      {prorated === null ? null : <span className="second">{prorated}</span>}
      {quota.countsAtEnd === undefined ? null : <span className="second">counts at the end</span>}
    </span>
  );
}

/** The change since the period of the same length before, of which the trend has at most half a year. */
function Comparison({ dashboard: { trend, currency }, period }: Pick<PaySummaryProps, 'dashboard' | 'period'>) {
  const { sum, before } = computeTrend(trend, toPeriodLength(period));
  if (before === null) return null;
  const change = difference(sum, before);
  const sign = signOf(change);
  const earlier = shortPeriod(shiftPeriod(period, -1));
  if (sign === 0) return <>The same as in {earlier}</>;
  const money = formatMoney(absolute(change), currency);
  const share =
    signOf(before) > 0 ? `${formatPercent(Number(absolute(change)) / Number(before), 1)} vs ${earlier}, ` : '';
  return (
    <Change sign={sign}>
      {share}
      {money} {sign > 0 ? 'more' : 'less'}
      {share === '' ? ` than in ${earlier}` : ''}
    </Change>
  );
}

function LatestStatement({ statements, period }: Pick<PaySummaryProps, 'statements' | 'period'>) {
  const { repId, workspace } = useSession();
  if (statements instanceof LoadFailure)
    return (
      <StatCard
        label="Statement"
        figure={<HeroMoney amount={null} currency={workspace.currency} />}
        note={<FailedPart what="Your statements" failure={statements} />}
      />
    );
  const before = shiftPeriod(period, -1);
  const latest = statements.find((statement) => statement.period === before) ?? statements[0];
  if (latest === undefined)
    return (
      <StatCard
        label="Statement"
        figure={<HeroMoney amount={null} currency={workspace.currency} />}
        note={<Link to="/statements">No statement yet</Link>}
      />
    );
  const { status, netPayout, currency, approvedAt, generatedAt, payslip } = latest;
  const [pays] = payslip?.pays ?? [{ currency, amount: netPayout }];
  return (
    <StatCard
      label={
        <StatementLink repId={repId} period={latest.period} className="dim">
          {shortPeriod(latest.period)} statement
        </StatementLink>
      }
      badge={<PaidBadge status={status} payslip={payslip} isShort shrinks />}
      figure={<HeroMoney amount={pays?.amount} currency={pays?.currency ?? currency} />}
      note={
        <>
          {(payslip === undefined ? null : paidWords(payslip)) ??
            (approvedAt === null
              ? `Generated ${formatTimestamp(generatedAt)}`
              : `Approved ${formatTimestamp(approvedAt)}`)}{' '}
          <DownloadLink repId={repId} period={latest.period}>
            View PDF
          </DownloadLink>
        </>
      }
    />
  );
}
