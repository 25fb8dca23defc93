import { isPaidElsewhere, type TeamStatement, type TeamStatements } from '../../api/team-queries.js';
import { HeroMoney } from '../../components/Money.js';
import { StatCard, StatStrip } from '../../components/StatCard.js';
import { formatCount, formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { hasAmount, isApproved, netSums, present } from './sums.js';

/** What is ready to pay, and what is not in the file yet. */
export function PayrollStrip({ team: { statements, currency } }: { readonly team: TeamStatements }) {
  const ready = statements.filter(isApproved);
  const counted = statements.filter((statement) => !isPaidElsewhere(statement));
  const others = counted.filter((statement) => !isApproved(statement));
  return (
    <StatStrip label="Sums of the period" columns="616fr 366fr">
      <SumCard
        label="Ready to pay"
        statements={ready}
        currency={currency}
        note={`${others.length === 0 ? 'all' : `${formatNumber(ready.length)} of`} ${formatCount(counted.length, 'person', 'people')}, all approved`}
      />
      <SumCard label="Not in the file yet" statements={others} currency={currency} note={noteOf(others)} />
    </StatStrip>
  );
}

function noteOf(others: readonly TeamStatement[]): string {
  if (others.length === 0) return 'no statement is missing';
  const people = formatCount(others.length, 'person', 'people');
  const without = others.filter((statement) => !hasAmount(statement)).length;
  if (without === 0) return people;
  return `${people}${without === others.length ? '' : `, ${formatNumber(without)}`} without an amount`;
}

interface SumCardProps {
  readonly label: string;
  readonly statements: readonly TeamStatement[];
  readonly currency: string;
  readonly note: string;
}

function SumCard({ label, statements, currency, note }: SumCardProps) {
  const [main, ...others] = netSums(statements, currency);
  return (
    <StatCard
      label={label}
      figure={<HeroMoney amount={main?.amount ?? '0'} currency={currency} />}
      note={
        <>
          {present(others).map((sum) => (
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
