import { buildTimeline, findVersionInForce } from '../engine/version-timeline.js';
import { chunk } from '../kernel/chunk.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { inParallel } from '../kernel/waiting.js';
import { type StoredVersion } from '../ledger/input/rep-terms.js';
import { groupRows } from '../pay/payables/load-groups.js';
import { loadPayHistories } from '../pay/payables/load-pay-history.js';
import { type AssumedRows, listRuleTerms } from '../pay/payables/pay-facts.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { loadPayableRows, type PayableRow, toComputedRow } from '../pay/payables/payable-rows.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type Releases, releasesByPeriod } from '../pay/payables/releases-by-period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type MovedRow } from '../simulation/moved-rows.js';
import { rowKey } from '../simulation/team-calculation.js';
import { type PreviewFigures } from './preview-result.js';

type MovedRelease = NonNullable<PreviewFigures['byPayPeriod']>[number];

/** A change of a plan, with the rows that it moves. */
interface MovedPlan {
  readonly planId: string;
  /** The versions of the plan after the change. */
  readonly versions: readonly StoredVersion[];
  /** The days whose commission is compared. */
  readonly days: DayRange;
  readonly moved: readonly MovedRow[];
}

/** The groups of so many people are in memory at a time. */
const batchSize = 200;

/**
 * What the change moves between the pay periods, for managers who follow the amounts too. Null while payouts are off. A
 * change of the schedule alone moves amounts between periods, and their differences add up to 0.
 */
export async function loadMovedReleases(
  tx: Transaction,
  repIds: readonly string[],
  change: MovedPlan,
  today: Day,
): Promise<readonly MovedRelease[] | null> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return null;
  const { firstDay } = payPeriods;
  const assumed = assumeRows(change);
  const sums = new MovedSums();
  for (const batch of chunk(repIds, batchSize)) {
    const [histories, stored] = await inParallel(
      () => loadPayHistories(tx, batch),
      () => loadPayableRows(tx, { repIds: batch, firstDay }),
    );
    const inBatch = new Set(batch);
    const before = await groupRows(tx, stored, firstDay);
    const changed = assumed.replace(stored, ({ repId }) => inBatch.has(repId));
    const after = await groupRows(tx, changed, firstDay, assumed);
    for (const repId of batch) {
      const history = histories(repId);
      const releases = (groups: typeof before) =>
        releasesByPeriod({ groups: groups.get(repId) ?? [], history }, payPeriods, today);
      sums.add(releases(before), releases(after));
    }
  }
  return sums.list(payPeriods);
}

/** The stored rows with those that move, each under the rules of the version that is in force after the change. */
function assumeRows({ planId, versions, days, moved }: MovedPlan): AssumedRows {
  const movedKeys = new Set(moved.map(rowKey));
  const added = moved.flatMap((row) => toPayableRow(row) ?? []);
  const [first] = versions;
  const timeline = first?.planStatus === 'active' ? buildTimeline(versions) : [];
  const withRule = (row: PayableRow): PayableRow => {
    if (row.planId !== planId || row.frozen !== null || !isWithin(row.day, days)) return row;
    const version = findVersionInForce(timeline, row.day, (candidate) => candidate);
    const rule = version?.rules.find(({ name }) => name === row.ruleName);
    return rule === undefined ? row : { ...row, ruleId: rule.id };
  };
  const keyOf = ({ repId, key }: PayableRow) => `${repId}|${key}`;
  return {
    replace(stored, isSelected) {
      const unmoved = stored.filter((row) => row.frozen !== null || !movedKeys.has(keyOf(row)));
      return [...unmoved, ...added.filter(isSelected)].map(withRule);
    },
    rules: new Map(versions.flatMap(listRuleTerms)),
  };
}

/** The row after the change; null if there is none. */
function toPayableRow({ after, ...row }: MovedRow): PayableRow | null {
  if (after === null) return null;
  const { phase, amount, currency, earnedOn } = after;
  const { repId, planId, ruleId, ruleName, dealKey, inputs } = row;
  const ids = { repId, planId, planVersionId: null, ruleId, ruleName, dealKey };
  return toComputedRow({ ...ids, phase, category: 'commission', amount, currency, earnedOn, inputs });
}

/** The sums of the groups with a period in which the releases differ, by period and currency. */
class MovedSums {
  private readonly sums = new Map<Period | null, Map<string, { readonly before: Decimal; readonly after: Decimal }>>();

  add(before: ReadonlyMap<string, Releases>, after: ReadonlyMap<string, Releases>): void {
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const periods = [...new Set([before, after].flatMap((releases) => [...(releases.get(key)?.keys() ?? [])]))];
      const amounts = periods.map((period) => ({
        period,
        before: before.get(key)?.get(period) ?? Decimal.zero,
        after: after.get(key)?.get(period) ?? Decimal.zero,
      }));
      if (amounts.every((amount) => amount.before.equals(amount.after))) continue;
      const currency = key.slice(key.lastIndexOf('|') + 1);
      for (const amount of amounts) {
        const ofPeriod = getOrInsert(this.sums, amount.period, () => new Map());
        const sum = ofPeriod.get(currency) ?? { before: Decimal.zero, after: Decimal.zero };
        ofPeriod.set(currency, { before: sum.before.plus(amount.before), after: sum.after.plus(amount.after) });
      }
    }
  }

  /** The periods in which the sums differ, in order; what has no date is last. */
  list(payPeriods: PayPeriods): MovedRelease[] {
    return payPeriods.inOrder([...this.sums.keys()]).flatMap((period) =>
      [...(this.sums.get(period) ?? [])].flatMap(([currency, { before, after }]): MovedRelease[] => {
        const delta = after.minus(before);
        if (delta.isZero()) return [];
        return [{ period, currency, before: before.toNumber(), after: after.toNumber(), delta: delta.toNumber() }];
      }),
    );
  }
}
