import { useMediaQuery } from '@mantine/hooks';
import { type Attainment, prorationWords, type TierPosition } from '../features/plans/attainment.js';
import { type OwnTier } from '../features/plans/rules.js';
import { payWords } from '../features/plans/words.js';
import { isLabelLeft, visibleThresholds, withoutOverlap } from '../shared/format/labels.js';
import { formatAttainment, formatMoney, formatUnits } from '../shared/format/numbers.js';
import { phone } from '../shared/theme/breakpoints.js';
import styles from './TierMeter.module.css';

interface TierMeterProps {
  readonly quota: Attainment;
  readonly position: TierPosition;
  readonly currency: string;
  /** Whether the measure is money; otherwise it is counted. */
  readonly isMoney: boolean;
}

/** The tiers of a quota: rates above, thresholds below, the reached part filled, the part to the next tier hatched. */
export function TierMeter({ quota, position, currency, isMoney }: TierMeterProps) {
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false }) ?? false;
  const { tiers, current, next } = position;
  const end = Math.max(1.5, quota.attainment * 1.15, (tiers.at(-1)?.minThreshold ?? 0) * 1.2);
  const at = (attainment: number) => (Math.min(Math.max(attainment, 0), end) / end) * 100;
  const now = at(quota.attainment);
  const units = (attainment: number) => amountWords(attainment * quota.target, currency, isMoney);
  const places = tiers.map(({ minThreshold }) => at(minThreshold));
  const room = isPhone ? 28 : 9;
  const isNowLeft = isLabelLeft(places, now, room);
  const visible = visibleThresholds(places, now, room, isNowLeft);
  const rateRoom = isPhone ? 22 : 12;
  const rates = withoutOverlap(
    places.map((place) => Math.min(place, 100 - rateRoom)),
    rateRoom,
    current === null ? [] : [tiers.indexOf(current)],
  );
  return (
    <div role="img" aria-label={sentence(quota, position, currency, isMoney)} className={styles.meter}>
      <div className={styles.rates}>
        {tiers.map((tier, index) =>
          rates[index] ? (
            <Rate
              key={tier.tierIndex}
              tier={tier}
              left={at(tier.minThreshold)}
              isCurrent={tier === current}
              currency={currency}
            />
          ) : null,
        )}
      </div>
      <div className={styles.bar}>
        <span className={styles.filled} style={{ width: `${now}%` }} />
        {next === null ? null : (
          <span className={styles.hatched} style={{ left: `${now}%`, width: `${at(next.minThreshold) - now}%` }} />
        )}
        {tiers.slice(1).map(({ tierIndex, minThreshold }) => (
          <span key={tierIndex} className={styles.gap} style={{ left: `${at(minThreshold)}%` }} />
        ))}
      </div>
      <span className={styles.now} style={{ left: `${now}%` }} />
      <div className={styles.thresholds}>
        {tiers.map(({ tierIndex, minThreshold }, index) =>
          visible[index] ? (
            <span
              key={tierIndex}
              className={minThreshold === 0 ? styles.first : styles.threshold}
              style={{ left: `${at(minThreshold)}%` }}
            >
              {formatAttainment(minThreshold)}
              <br />
              {isPhone && minThreshold > 0 ? null : units(minThreshold)}
            </span>
          ) : null,
        )}
        <span className={isNowLeft ? styles.nowLeft : styles.nowRight} style={{ left: `${now}%` }}>
          {formatAttainment(quota.attainment)}
          <br />
          {amountWords(quota.credit, currency, isMoney)}
        </span>
      </div>
    </div>
  );
}

interface RateProps {
  readonly tier: OwnTier;
  readonly left: number;
  readonly isCurrent: boolean;
  readonly currency: string;
}

function Rate({ tier, left, isCurrent, currency }: RateProps) {
  return (
    <span
      className={isCurrent ? styles.currentRate : styles.rate}
      style={{ gridTemplateColumns: `minmax(0, ${left}%) max-content` }}
    >
      <span className="num">{payWords(tier, currency)}</span>
      <span className={styles.name}>{tier.name}</span>
    </span>
  );
}

export function amountWords(amount: number, currency: string, isMoney: boolean): string {
  return isMoney ? formatMoney(Math.round(amount * 100) / 100, currency, { trim: true }) : formatUnits(amount);
}

function sentence(quota: Attainment, { current, next }: TierPosition, currency: string, isMoney: boolean): string {
  const prorated = prorationWords(quota);
  const reached = `Attainment ${formatAttainment(quota.attainment)}, ${amountWords(quota.credit, currency, isMoney)} of ${amountWords(quota.target, currency, isMoney)}${prorated === null ? '' : `, ${prorated}`}.`;
  const tier = current === null ? '' : ` Tier ${current.name} pays ${payWords(current, currency)}.`;
  const ahead =
    next === null
      ? ''
      : ` ${next.name} begins at ${formatAttainment(next.minThreshold)} and pays ${payWords(next, currency)}.`;
  return `${reached}${tier}${ahead}`;
}
