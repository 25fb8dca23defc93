import { IconCalculator } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countsMoney } from '#src/client.js';
import { type Deal, overridesQuery, simulationQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { FailedPart, LoadFailure } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { amountWords, TierMeter } from '../../components/TierMeter.js';
import { type MainQuota, type TierPosition, tierPosition } from '../../features/plans/attainment.js';
import { wonUnder } from '../../features/plans/what-if.js';
import { attainmentPeriodWords, payWords } from '../../features/plans/words.js';
import { daysBetween, formatDay } from '../../shared/format/dates.js';
import { difference } from '../../shared/format/exact.js';
import { formatAttainment, formatCount, formatMoney } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../shared/format/periods.js';
import styles from './TierCard.module.css';

interface TierCardProps {
  readonly main: MainQuota;
  /** The deals that may still be won. */
  readonly openDeals: readonly Deal[] | LoadFailure;
  readonly currency: string;
}

/** The way to the next tier in money, not in per cent. */
export function TierCard({ main, openDeals, currency }: TierCardProps) {
  const { repId } = useSession();
  const overrides = useQuery(overridesQuery(main.plan.planVersionId, repId)).data;
  const today = useToday();
  const { to } = daysOf(main.quota.period);
  const isOver = to < today;
  // A month that has ended, of a period that has not: what is missing now is on the page of this month.
  const isEarlier = !isOver && main.quota.through < today;
  const isPast = isOver || isEarlier;
  const position = tierPosition(main, repId, isPast ? main.quota.through : today, overrides);
  const isMoney = countsMoney(main.rule);
  return (
    <Card>
      <div className={styles.tierHead}>
        <div>
          {isPast ? (
            <Past main={main} position={position} isOver={isOver} />
          ) : (
            <>
              <Lead main={main} position={position} currency={currency} isMoney={isMoney} />
              <Effect main={main} position={position} currency={currency} />
            </>
          )}
        </div>
        {isPast ? null : (
          <Link to="/me/simulate" className={buttonClass()}>
            <ButtonContent icon={IconCalculator}>If I close …</ButtonContent>
          </Link>
        )}
      </div>
      <TierMeter
        quota={main.quota}
        position={isPast ? { ...position, next: null } : position}
        currency={currency}
        isMoney={isMoney}
      />
      {isPast || position.next === null || !isMoney ? null : (
        <CrossingDeals main={main} openDeals={openDeals} currency={currency} />
      )}
    </Card>
  );
}

interface LeadProps extends Pick<TierCardProps, 'main' | 'currency'> {
  readonly position: TierPosition;
  readonly isMoney: boolean;
}

function Lead({ main: { quota }, position: { current, next }, currency, isMoney }: LeadProps) {
  if (next === null || quota.nextTier === undefined)
    return (
      <h2 className={styles.lead}>
        {current === null ? 'No tier yet' : `You are in the highest tier, ${current.name}`}
      </h2>
    );
  return (
    <h2 className={styles.lead}>
      <span className="brand num">{amountWords(quota.nextTier.remaining, currency, isMoney)}</span> more reaches{' '}
      {next.name}
    </h2>
  );
}

interface PastProps extends Pick<LeadProps, 'main' | 'position'> {
  readonly isOver: boolean;
}

/** The result of an attainment period that is over, or of its months until then. */
function Past({ main: { quota, rule }, position: { current }, isOver }: PastProps) {
  const period = formatPeriod(quota.period);
  const attained = formatAttainment(quota.attainment);
  return (
    <>
      <h2 className={styles.lead}>
        {isOver ? `${period} ended at ${attained}` : `${attained} of ${period} by ${formatDay(quota.through)}`}
      </h2>
      <p className={styles.words}>
        {current === null
          ? 'No tier was reached.'
          : `The tier reached ${isOver ? 'is' : 'by then was'} ${current.name}.${byDayWords(rule)}`}
      </p>
    </>
  );
}

/** A refund lowers the attainment, and leaves the tier of deals that were paid by a higher one. */
function byDayWords({ executionPhase, tierMode }: MainQuota['rule']): string {
  if (executionPhase === 'periodic' || tierMode === 'retroactive') return '';
  return ' A deal is paid by the attainment of its day, which a later refund does not change.';
}

/** What the next tier changes, and the days until the end of the period. */
function Effect({ main: { quota, rule }, position: { current, next }, currency }: Omit<LeadProps, 'isMoney'>) {
  const left = `${formatCount(daysBetween(useToday(), daysOf(quota.period).to), 'day')} left in ${formatPeriod(quota.period)}.`;
  if (next === null) return <p className={styles.words}>{left}</p>;
  const [now, then] = [current === null ? 'nothing' : payWords(current, currency), payWords(next, currency)];
  const effects = {
    marginal: `Every ${currency === 'USD' ? 'dollar' : currency} above it pays ${then} instead of ${now}.`,
    full_rate: `The deal that crosses it, and every deal after it, pays ${then} instead of ${now}.`,
    retroactive: `Every deal of the ${attainmentPeriodWords(rule)} then pays ${then} instead of ${now}.`,
    interpolated: `On the way there the rate rises from ${now} to ${then}.`,
  };
  const effect =
    rule.executionPhase === 'periodic'
      ? `At the end of the ${attainmentPeriodWords(rule)} it then pays ${then} instead of ${now}.`
      : effects[rule.tierMode];
  return (
    <p className={styles.words}>
      {effect} {left}
    </p>
  );
}

const maxDeals = 2;

function CrossingDeals({ main, openDeals, currency }: TierCardProps) {
  if (openDeals instanceof LoadFailure)
    return (
      <div className={styles.crossing}>
        <FailedPart what="Your open deals" failure={openDeals} />
      </div>
    );
  return <CrossingList main={main} openDeals={openDeals} currency={currency} />;
}

/** Open deals that would reach the next tier, and what each would add. */
function CrossingList({ main, openDeals, currency }: TierCardProps & { readonly openDeals: readonly Deal[] }) {
  const { repId } = useSession();
  const today = useToday();
  const { quota, plan } = main;
  const deals = openDeals.filter((deal) => isCrossing(deal, main, currency)).slice(0, maxDeals);
  const simulated = deals.map((deal) => wonUnder(plan, [{ dealId: deal.deal_id, closeDate: deal.closeDate ?? today }]));
  const results = useQueries({
    queries:
      deals.length === 0
        ? []
        : [[], ...simulated].map((chosen) => simulationQuery(plan.planId, repId, quota.period, chosen)),
  });
  if (deals.length === 0) return null;
  const base = results[0]?.data?.total;
  return (
    <div className={styles.crossing}>
      <span>Open deals that cross it</span>
      <ul>
        {deals.map((deal, index) => {
          const total = results[index + 1]?.data?.total;
          return (
            <li key={deal.deal_id}>
              <b>{deal.name ?? deal.deal_id}</b>{' '}
              <span className="num">{formatMoney(deal.amount ?? 0, currency, { trim: true })}</span>,{' '}
              {deal.stageLabel?.toLowerCase()}, {formatDay(deal.closeDate ?? today)}
              <i className="num">
                {total === undefined || base === undefined
                  ? '…'
                  : formatMoney(difference(total, base), currency, { signed: true })}
              </i>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function isCrossing(
  { isClosed, amount, closeDate, currency: of }: Deal,
  { quota }: MainQuota,
  currency: string,
): boolean {
  if (isClosed || amount === null || closeDate === null || (of ?? currency) !== currency) return false;
  return amount >= (quota.nextTier?.remaining ?? Number.POSITIVE_INFINITY) && closeDate <= daysOf(quota.period).to;
}
