import { type Statement } from '../../api/queries.js';
import { DealLink } from '../../components/links.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import styles from './PayslipLines.module.css';
import { listSteps, type Step } from './waterfall.js';
import {
  lineWords,
  type Payslip,
  type PayslipLine,
  type PayslipPart,
  type PayslipRow,
  rateWords,
  rowWords,
} from './words.js';

interface PayslipLinesProps {
  readonly payslip: Payslip;
  /** The rates of payment; absent for people who are paid in the currency in which they earn. */
  readonly pay: NonNullable<Statement['payable']>['pay'];
  readonly period: string;
}

/** From what is earned to what is paid, in one column that adds up. A line opens its rows. */
export function PayslipLines({ payslip: { parts, pays, currency }, pay, period }: PayslipLinesProps) {
  const isConverted = parts.length > 1 || parts.some(({ rate }) => rate !== undefined);
  return (
    <div className={styles.payslip}>
      {parts.map((part) => (
        <Part key={part.currency} part={part} pay={pay} period={period} paidIn={currency} isTotal={!isConverted} />
      ))}
      {isConverted ? (
        <ul className={styles.lines} aria-label="Sums">
          {pays.map((sum) => (
            <li key={sum.currency} className={styles.total}>
              <span className={styles.line}>
                <span>Payable in {sum.currency}</span>
                <LedgerTotal amount={sum.amount} currency={sum.currency} unit="code" />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

interface PartProps extends Pick<PayslipLinesProps, 'pay'> {
  readonly part: PayslipPart;
  readonly period: string;
  readonly paidIn: string;
  /** Whether the last line is all that is paid. */
  readonly isTotal: boolean;
}

function Part({ part, pay, period, paidIn, isTotal }: PartProps) {
  const { currency, lines } = part;
  const steps = listSteps(lines);
  const rate = rateWords(part, pay);
  return (
    <div>
      <ul className={styles.lines} aria-label={`What is paid, ${currency}`}>
        {lines.map((line, index) => (
          <li key={line.kind} className={styles[line.kind]}>
            <Line {...{ line, currency, period, paidIn, isTotal }} step={steps[index] ?? { from: 0, to: 0 }} />
          </li>
        ))}
      </ul>
      {rate === null ? null : <p className="dim">{rate}</p>}
    </div>
  );
}

interface LineProps extends Omit<PartProps, 'part' | 'pay'> {
  readonly line: PayslipLine;
  readonly currency: string;
  readonly step: Step;
}

function Line(props: LineProps) {
  const { line, currency } = props;
  if (line.rows.length === 0)
    return (
      <span className={styles.line}>
        <Head {...props} />
      </span>
    );
  return (
    <details>
      <summary className={styles.line}>
        <Head {...props} />
      </summary>
      <Rows rows={line.rows} currency={currency} />
    </details>
  );
}

function Head({ line, currency, period, paidIn, isTotal, step }: LineProps) {
  const { kind, amount, converted } = line;
  const Figure = kind === 'payable' && isTotal ? LedgerTotal : Money;
  return (
    <>
      <span>
        {lineWords(line, period)}
        <span className={styles.track} aria-hidden="true">
          <span
            className={amount < 0 ? styles.less : styles.more}
            style={{ left: `${step.from * 100}%`, width: `${(step.to - step.from) * 100}%` }}
          />
        </span>
      </span>
      <span>
        <Figure amount={amount} currency={currency} unit={isTotal ? 'symbol' : 'code'} />
        {converted === undefined ? null : (
          <span className="num second">{formatMoney(converted, paidIn, { unit: 'code' })}</span>
        )}
      </span>
    </>
  );
}

/** How many rows are displayed at once. */
const maxVisible = 50;

function Rows({ rows, currency }: { readonly rows: readonly PayslipRow[]; readonly currency: string }) {
  return (
    <ul className={styles.rows}>
      {rows.slice(0, maxVisible).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and their order is that of the statement
        <li key={index} className={styles.line}>
          <span>
            {row.dealId == null ? null : <DealLink dealId={row.dealId} name={row.dealName ?? null} />}{' '}
            <span className="dim">{rowWords(row, currency)}</span>{' '}
            {row.late === true ? (
              <>
                <Badge tone="info">Late</Badge>
                <span className="second">It was entered after an earlier statement was approved.</span>
              </>
            ) : null}
          </span>
          <Money amount={row.amount} currency={currency} unit="none" />
        </li>
      ))}
      {rows.length > maxVisible ? (
        <li className="dim">{formatCount(rows.length - maxVisible, 'further line')}</li>
      ) : null}
    </ul>
  );
}
