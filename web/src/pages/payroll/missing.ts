import { type Person } from '../../api/person-list-queries.js';
import { isPaidElsewhere, type TeamStatement } from '../../api/team-queries.js';
import { typeWords } from '../../features/disputes/words.js';
import { livePaid, paidAmount } from '../../features/statements/pay-sums.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { hasAmount, isApproved } from './sums.js';

/** A person who is not in the file, and the reason. */
export interface Missing {
  readonly statement: TeamStatement;
  readonly manager: Person | null;
  readonly reason: string;
  readonly detail: string;
  readonly disputeId: string | null;
}

/** Everyone whose statement is not approved, in the order of the statements. */
export function missingPeople(
  statements: readonly TeamStatement[],
  byId: ReadonlyMap<string, Person>,
): readonly Missing[] {
  return statements
    .filter((statement) => !isApproved(statement) && !isPaidElsewhere(statement))
    .map((statement) => {
      const manager = byId.get(byId.get(statement.repId)?.managerId ?? '') ?? null;
      const [dispute] = statement.openDisputes;
      return {
        statement,
        manager,
        disputeId: dispute?.disputeId ?? null,
        ...describeReason(statement, manager?.name ?? 'An admin'),
      };
    });
}

export function largestFirst(missing: readonly Missing[]): readonly Missing[] {
  return missing.toSorted((left, other) => paidAmount(other.statement) - paidAmount(left.statement));
}

function describeReason(statement: TeamStatement, approver: string) {
  const { status, pending, stale, currency, version, openDisputes } = statement;
  const live = livePaid(statement);
  const [dispute] = openDisputes;
  if (dispute !== undefined)
    return { reason: 'Open question', detail: `${typeWords(dispute.type)}, about ${formatPeriod(dispute.period)}` };
  if (pending === true) return { reason: 'Still calculating', detail: 'The calculation is outstanding or has failed' };
  if (status === 'none' && !hasAmount(statement))
    return { reason: 'No amount', detail: 'Nothing was earned in this period so far' };
  if (status === 'none') return { reason: 'No statement', detail: `${approver} has not generated it` };
  if (stale === true)
    return {
      reason: 'Draft is out of date',
      detail:
        live === undefined
          ? `The amounts have changed since v${version}`
          : `Now ${formatMoney(live, currency)}, changed since v${version}`,
    };
  return { reason: 'Not approved', detail: `${approver} has not approved v${version}` };
}
