import { type CurvePoint, pointAt } from '../features/plans/curve.js';
import { formatCompact, formatPercent } from '../shared/format/numbers.js';
import styles from './PayoutCurve.module.css';

interface PayoutCurveProps {
  readonly now: readonly CurvePoint[];
  readonly nowName: string;
  readonly before: readonly CurvePoint[] | null;
  readonly beforeName: string | null;
  /** Where tiers begin. */
  readonly thresholds: readonly number[];
  readonly currency: string;
  /** The attainment of the person who looks at it. */
  readonly own?: number | undefined;
}

const width = 240;
const height = 140;

/** Payout by attainment of the draft as a line, and of the version before as a dashed line. */
export function PayoutCurve({ now, nowName, before, beforeName, thresholds, currency, own }: PayoutCurveProps) {
  const last = now.at(-1);
  if (last === undefined) return null;
  const top = Math.max(1, ...now.map(({ payout }) => payout), ...(before ?? []).map(({ payout }) => payout));
  const x = (attainment: number) => (attainment / last.attainment) * width;
  const y = (payout: number) => height - (payout / top) * height;
  const line = (points: readonly CurvePoint[]) =>
    points
      .map(
        ({ attainment, payout }, index) =>
          `${index === 0 ? 'M' : 'L'}${x(attainment).toFixed(1)} ${y(payout).toFixed(1)}`,
      )
      .join('');
  const marks = thresholds.filter((threshold) => threshold > 0 && threshold < last.attainment);
  const here = own === undefined ? null : pointAt(now, own);
  const at100 = [...now].reverse().find(({ attainment }) => attainment <= 1);
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span>Payout by attainment</span>
        <span className={styles.keys}>
          <i aria-hidden="true" /> {nowName}
          {before === null || beforeName === null ? null : (
            <>
              {' '}
              <i className={styles.dashed} aria-hidden="true" /> {beforeName}
            </>
          )}
          {here === null ? null : (
            <>
              {' '}
              <i className={styles.dot} aria-hidden="true" /> you are here
            </>
          )}
        </span>
      </figcaption>
      <svg
        viewBox={`-48 -8 ${width + 56} ${height + 28}`}
        className={styles.chart}
        role="img"
        aria-label={`At 100 % attainment it pays ${formatCompact(Math.round(at100?.payout ?? 0), currency)}, at ${formatPercent(last.attainment, 0)} ${formatCompact(Math.round(last.payout), currency)}${here === null ? '' : `; you are at ${formatCompact(Math.round(here.payout), currency)}`}`}
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line x1={0} x2={width} y1={y(top * part)} y2={y(top * part)} className={styles.grid} />
            <text x={-6} y={y(top * part) + 4} textAnchor="end">
              {formatCompact(Math.round(top * part), currency)}
            </text>
          </g>
        ))}
        {marks.map((mark) => (
          <line key={mark} x1={x(mark)} x2={x(mark)} y1={0} y2={height} className={styles.mark} />
        ))}
        <path d={`${line(now)}L${x(last.attainment)} ${height}L0 ${height}Z`} className={styles.area} />
        {before === null ? null : <path d={line(before)} className={styles.old} />}
        <path d={line(now)} className={styles.line} />
        {here === null ? null : (
          <>
            <line
              x1={x(here.attainment)}
              x2={x(here.attainment)}
              y1={y(here.payout)}
              y2={height}
              className={styles.drop}
            />
            <circle cx={x(here.attainment)} cy={y(here.payout)} r={4} className={styles.here} />
            <text {...besidePoint(x(here.attainment), y(here.payout))}>
              {formatCompact(Math.round(here.payout), currency)}
            </text>
          </>
        )}
        {[0, ...(marks.length === 0 ? [1] : marks)].map((mark, index, all) =>
          index > 0 && x(mark) - x(all[index - 1] ?? 0) < 32 ? null : (
            <text key={mark} x={x(mark)} y={height + 16} textAnchor={index === 0 ? 'start' : 'middle'}>
              {formatPercent(mark, 0)}
            </text>
          ),
        )}
      </svg>
    </figure>
  );
}

/** Where the amount of a point is legible: above the line at its left, or near the left edge at its right. */
function besidePoint(x: number, y: number) {
  return x < 48
    ? ({ x: x + 8, y: y + 4, textAnchor: 'start' } as const)
    : ({ x: x - 8, y: Math.max(8, y - 4), textAnchor: 'end' } as const);
}
