import { parseRefundKey } from '../engine/clawback.js';
import { Decimal } from '../kernel/decimal.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type Movement, type MovementKind, noOrigin } from './movement.js';

/** What a counted row, an adjustment or a clawback by hand changes. */
export function toRowMovement(row: PayableRow): Movement {
  const { key, currency, day, amount, dealKey, planId, ruleName, frozen } = row;
  const refund = dealKey === null ? null : parseRefundKey(dealKey);
  const kind = kindOf(row, refund !== null);
  return {
    kind,
    source: `${kind}|${key}`,
    day,
    currency,
    amount: Decimal.of(amount),
    draws: Decimal.zero,
    asset: Decimal.zero,
    origin: {
      ...noOrigin,
      dealId: refund?.dealId ?? dealKey,
      planId,
      ruleName,
      period: frozen?.period ?? null,
    },
  };
}

function kindOf({ category }: PayableRow, isRefund: boolean): MovementKind {
  if (category === 'adjustment') return 'adjusted';
  return isRefund ? 'clawback' : 'earned';
}
