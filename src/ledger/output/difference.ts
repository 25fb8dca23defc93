import { type Decision, type RepResult } from '../../engine/model.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { deriveId } from '../../kernel/ids.js';
import { EventLoopSlice } from '../../kernel/waiting.js';
import { type LedgerRow } from '../input/ledger-rows.js';
import { type LoadedRepInput } from '../input/rep-input.js';

/** The difference between the engine's decisions and the stored rows. */
export interface Difference {
  readonly writes: readonly Write[];
  readonly reversals: readonly LedgerRow[];
}

export interface Write {
  readonly eventId: string;
  readonly idempotencyKey: string;
  readonly change: 'inserted' | 'changed' | 'restored';
  readonly decision: Decision;
  readonly before: LedgerRow | null;
}

const decisionsPerCheck = 50;

/**
 * The writes and reversals that make the rep's rows equal to the engine's decisions. Frozen and retained rows are
 * not written. A row elsewhere whose key an approved period owns is reversed, because that period pays it.
 */
export async function computeDifference(
  repId: string,
  input: StoredRows,
  result: Decided,
  slice = new EventLoopSlice(),
): Promise<Difference> {
  const { pairs, reversals } = await pairRows(repId, input, result, slice);
  const writes: Write[] = [];
  for (const [index, { decision, before }] of pairs.entries()) {
    if (index % decisionsPerCheck === 0) await slice.pause();
    const write = toWrite(repId, decision, before);
    if (write !== null) writes.push(write);
  }
  return { writes, reversals };
}

type StoredRows = Pick<LoadedRepInput, 'stored' | 'fixed' | 'frozenIds'>;
type Decided = Pick<RepResult, 'decisions' | 'blocked'>;

/** Every decision with its stored row, equal or not, and the rows to reverse. */
export async function pairRows(
  repId: string,
  { stored, fixed, frozenIds }: StoredRows,
  { decisions, blocked: blockedChanges }: Decided,
  slice: EventLoopSlice,
): Promise<{
  readonly pairs: readonly { readonly decision: Decision; readonly before: LedgerRow | null }[];
  readonly reversals: readonly LedgerRow[];
}> {
  const rest = new RowsByKey(stored);
  const pairs = decisions.map((decision) => ({ decision, before: rest.remove(decision) }));
  await slice.pause();
  // A retained row is reversed if its key would be earned in an approved period, whose true-up pays it.
  const blocked = new Set(
    blockedChanges.filter(({ change }) => change === 'insert').map((change) => deriveEventId(repId, change)),
  );
  for (const event of fixed)
    if ((event.kind === 'retained' || event.kind === 'stopped') && !blocked.has(deriveEventId(repId, event)))
      rest.remove(event);
  return {
    pairs,
    reversals: rest.left().filter((row) => row.status === 'earned' && !frozenIds.has(row.eventId)),
  };
}

/** Null if the stored row equals the decision. */
function toWrite(repId: string, decision: Decision, before: LedgerRow | null): Write | null {
  const idempotencyKey = deriveIdempotencyKey(decision);
  if (before === null)
    return { eventId: deriveEventId(repId, decision), idempotencyKey, change: 'inserted', decision, before };
  if (before.status !== 'reversed' && before.idempotencyKey === idempotencyKey) return null;
  const change = before.status === 'reversed' ? 'restored' : 'changed';
  return { eventId: before.eventId, idempotencyKey, change, decision, before };
}

/** The rows by natural key. Nested maps: joining three texts per row costs more than three lookups. */
class RowsByKey {
  private readonly plans = new Map<string, Map<string, Map<string, LedgerRow>>>();

  constructor(rows: readonly LedgerRow[]) {
    for (const row of rows) {
      const rules = getOrInsert(this.plans, row.planId, () => new Map<string, Map<string, LedgerRow>>());
      getOrInsert(rules, row.ruleName, () => new Map<string, LedgerRow>()).set(row.dealKey, row);
    }
  }

  /** Removes and returns the row of the key; null if there is none. */
  remove({ planId, ruleName, dealKey }: NaturalKey): LedgerRow | null {
    const deals = this.plans.get(planId)?.get(ruleName);
    const row = deals?.get(dealKey);
    if (row === undefined) return null;
    deals?.delete(dealKey);
    return row;
  }

  left(): LedgerRow[] {
    return [...this.plans.values()].flatMap((rules) => [...rules.values()].flatMap((deals) => [...deals.values()]));
  }
}

/** The natural key of a rep's row: the deal and the rule's name within its plan. */
type NaturalKey = Pick<Decision, 'planId' | 'ruleName' | 'dealKey'>;

/** The event id, derived from the natural key: one row per key is enforced by the primary key. */
function deriveEventId(repId: string, key: NaturalKey): string {
  return deriveId(`${repId}|${key.planId}|${key.ruleName}|${key.dealKey}`);
}

/** Equal for equal decisions, including the trace. */
function deriveIdempotencyKey(decision: Decision): string {
  const {
    amount,
    base,
    credit,
    tierName,
    ruleId,
    planVersionId,
    period,
    earnedOn,
    category,
    attainmentKey,
    currency,
    trace,
  } = decision;
  return deriveId(
    `${amount}|${base}|${credit}|${tierName ?? ''}|${ruleId}|${planVersionId}|${period}|${earnedOn}|${category}|${attainmentKey}|${currency}|${trace}`,
  );
}

/** Whether the write leaves the rep's credit unchanged, so that nothing derived from credit changes. */
export function isSameCredit({ change, before, decision }: Write): boolean {
  return (
    change === 'changed' &&
    before !== null &&
    decision.credit.equals(Decimal.of(before.credit)) &&
    before.period === decision.period &&
    before.attainmentKey === decision.attainmentKey
  );
}
