import { useQuery } from '@tanstack/react-query';
import { type Payable, payablesOfRepQuery } from '../../api/payout-queries.js';
import { type Statement } from '../../api/queries.js';
import blocks from '../../components/Blocks.module.css';
import { Facing } from '../../components/Facing.js';
import { DealLink } from '../../components/links.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { describeLine, kindWords } from '../../features/draws/words.js';
import { describePayable, describeRate, statusWords } from '../../features/payables/words.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

type PayLine = NonNullable<Statement['payable']>['lines'][number];

/** What a statement pays of what is earned, and why less or more; nothing in workspaces without payouts. */
export function StatementPayable({ statement }: { readonly statement: Statement }) {
  const { payable, repId } = statement;
  if (payable === undefined) return null;
  return (
    <div className={blocks.stack}>
      {payable.totals.map((total) => (
        <TotalsCard key={total.currency} total={total} />
      ))}
      {payable.pay === undefined ? null : <PayCard pay={payable.pay} />}
      <DrawsCard draws={payable.draws ?? []} />
      <LinesCard lines={payable.lines.filter(isInPart)} />
      <WaitingCard statement={statement} key={`${repId} ${knownAt(statement)}`} />
    </div>
  );
}

function TotalsCard({ total }: { readonly total: NonNullable<Statement['payable']>['totals'][number] }) {
  const { currency, released, carriedIn, added, recovered, closing, payable: paid, drawn = 0, repaid = 0 } = total;
  const optional = (label: string, amount: number, signed = false) =>
    amount === 0 ? [] : [[label, <Money key={label} amount={amount} currency={currency} signed={signed} />] as const];
  return (
    <Card title="What this statement pays">
      <Facing
        rows={[
          ['Released', <Money key="released" amount={released} currency={currency} />],
          ...optional('Corrections of earlier periods', carriedIn, true),
          ...optional('Kept of it, for what was paid too early', -recovered, true),
          ...optional('Paid by draws', drawn, true),
          ...optional('Kept of it, to repay draws', -repaid, true),
          ['Payable', <LedgerTotal key="payable" amount={paid} currency={currency} unit="symbol" />],
          ...optional('Taken back, kept of later statements', added),
          ...optional('Still owed after it', closing),
        ]}
      />
    </Card>
  );
}

/** What is paid in the currency of the person, with the rate of each earned currency. */
function PayCard({
  pay: { currency, amount, parts },
}: {
  readonly pay: NonNullable<NonNullable<Statement['payable']>['pay']>;
}) {
  return (
    <Card title={`Paid in ${currency}`}>
      <Facing
        rows={[
          ...parts.map(
            (part) =>
              [
                describeRate(part, currency),
                <Money key={part.currency} amount={part.amount} currency={currency} />,
              ] as const,
          ),
          ['Paid', <LedgerTotal key="paid" amount={amount} currency={currency} unit="code" />],
        ]}
      />
      {amount === null ? (
        <p className="negative">An exchange rate is missing, so the statement cannot be approved.</p>
      ) : null}
    </Card>
  );
}

type DrawLine = NonNullable<NonNullable<Statement['payable']>['draws']>[number];

/** What draws pay and what is kept of it, with how each amount was calculated. */
function DrawsCard({ draws }: { readonly draws: readonly DrawLine[] }) {
  if (draws.length === 0) return null;
  return (
    <Card title="Draws of this statement">
      <ul className={blocks.rows} aria-label="Draws of this statement">
        {draws.map((line) => (
          <li key={`${line.drawId} ${line.kind} ${line.sourcePeriod ?? ''}`}>
            <span>
              <b className="strong">{kindWords[line.drawKind]}</b> <span className="dim">{describeLine(line)}</span>
              <span className="second num">{line.formula}</span>
            </span>
            <Money amount={line.amount} currency={line.currency} signed />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** How many lines are displayed at once. */
const maxShown = 50;

/** What is paid at once and in full is the line of the statement itself. */
function isInPart({ kind, amount, earned, late }: PayLine): boolean {
  return kind === 'correction' || amount !== earned || late === true;
}

/** What is paid in parts, late, or taken back, by deal. */
function LinesCard({ lines }: { readonly lines: readonly PayLine[] }) {
  if (lines.length === 0) return null;
  return (
    <Card title="Released in parts, by deal">
      <ul className={blocks.rows} aria-label="Released by deal">
        {lines.slice(0, maxShown).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and their order is that of the statement
          <Line key={index} line={line} />
        ))}
      </ul>
      <More count={lines.length} />
    </Card>
  );
}

function More({ count }: { readonly count: number }) {
  return count <= maxShown ? null : <p className="dim">{formatCount(count - maxShown, 'further line')}</p>;
}

function Line({ line }: { readonly line: PayLine }) {
  const { kind, dealId, dealName, ruleName, amount, currency, earned, released, late, sourcePeriod } = line;
  const why =
    kind === 'correction'
      ? `correction of ${formatPeriod(sourcePeriod ?? '')}`
      : `${formatMoney(released, currency)} of ${formatMoney(earned, currency)} released`;
  return (
    <li>
      <span>
        {dealId === null ? null : <DealLink dealId={dealId} name={dealName} />}{' '}
        <span className="dim">
          {ruleName ?? 'adjustment'}, {why}
        </span>{' '}
        {late === true ? <Badge tone="info">Late</Badge> : null}
        {late === true ? <span className="second">It was entered after an earlier statement was approved.</span> : null}
      </span>
      <Money amount={amount} currency={currency} signed={amount < 0} />
    </li>
  );
}

/** The instant of the approval, or of the correction after it; none for what is not approved. */
function knownAt({ approvedAt, generatedAt }: Statement): string | undefined {
  return approvedAt === undefined || generatedAt === null || generatedAt < approvedAt ? approvedAt : generatedAt;
}

/** What is earned in the period and waits or is held: why the statement pays less than it earns. */
function WaitingCard({ statement }: { readonly statement: Statement }) {
  const { repId, lineItems } = statement;
  const payables = useQuery(payablesOfRepQuery(repId, knownAt(statement))).data?.payables ?? [];
  const earned = new Set(lineItems.map(({ dealId, ruleName }) => `${dealId} ${ruleName}`));
  const waiting = payables.filter(
    ({ status, dealId, ruleName }) =>
      (status === 'waiting' || status === 'held') && earned.has(`${dealId} ${ruleName}`),
  );
  if (waiting.length === 0) return null;
  return (
    <Card title="Earned, and not paid yet">
      <ul className={blocks.rows} aria-label="Earned, and not paid yet">
        {waiting.slice(0, maxShown).map((payable, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an amount have no id
          <Waiting key={index} payable={payable} />
        ))}
      </ul>
      <More count={waiting.length} />
    </Card>
  );
}

function Waiting({ payable }: { readonly payable: Payable }) {
  const { dealId, dealName, ruleName, status, amount, currency } = payable;
  return (
    <li>
      <span>
        {dealId === null ? <b className="strong">{ruleName}</b> : <DealLink dealId={dealId} name={dealName} />}{' '}
        <span className="dim">
          {statusWords[status].toLowerCase()} {describePayable(payable)}
        </span>
      </span>
      <Money amount={amount} currency={currency} />
    </li>
  );
}
