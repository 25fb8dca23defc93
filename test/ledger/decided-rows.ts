import { type Decision } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { type LedgerRow } from '#src/ledger/input/ledger-rows.js';

/** A decision of the engine: 100 on the deal D1 of January. */
export function decided(values: Partial<Decision> = {}): Decision {
  return {
    planId: 'plan',
    planVersionId: 'version',
    ruleId: 'rule-id',
    ruleName: 'rule',
    phase: 'per_deal',
    dealKey: 'D1',
    category: 'commission',
    amount: Decimal.of('100'),
    base: Decimal.of('1000'),
    credit: Decimal.of('1000'),
    tierName: 'Base',
    attainmentKey: 'key',
    currency: 'USD',
    period: '2026-Q1',
    earnedOn: '2026-01-15',
    share: null,
    cutOff: Decimal.zero,
    trace: 'trace',
    ...values,
  };
}

/** The row that a write of the decision stores. */
export function storedRow(
  { eventId, idempotencyKey }: Pick<LedgerRow, 'eventId' | 'idempotencyKey'>,
  decision: Decision,
  status: LedgerRow['status'] = 'earned',
): LedgerRow {
  const { amount, base, credit, planVersionId, ruleId, trace, cutOff, ...row } = decision;
  return {
    ...row,
    eventId,
    idempotencyKey,
    status,
    amount: amount.toString(),
    base: base.toString(),
    credit: credit.toString(),
  };
}
