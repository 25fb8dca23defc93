import { z } from 'zod';
import { type Rule } from '../../engine/plan-config.js';
import { groupBy } from '../../kernel/group-by.js';
import { loadRepTerms, payingVersions } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Draw } from '../draws/draw.js';

const drawWarning = z
  .object({
    code: z.enum(['draw_currency_not_earned', 'guarantee_covers_waiting_pay']).describe('What may be wrong'),
    message: z.string().describe('The consequence, and what to do'),
  })
  .describe('A warning about the draw');

export const drawWarnings = z.array(drawWarning).describe('What may be wrong; absent if nothing is');
type DrawWarning = z.input<typeof drawWarning>;

type WarnedTerms = Pick<Draw, 'repId' | 'kind' | 'recoverable' | 'currency'>;

/** What may be wrong with a draw, by the plans of the person that are in force. */
export async function findDrawWarnings(
  tx: Transaction,
  { repId, kind, recoverable, currency }: WarnedTerms,
): Promise<{ readonly warnings?: DrawWarning[] }> {
  const { versions } = await loadRepTerms(tx, repId);
  const inForce = [...groupBy(versions, ({ planId }) => planId).values()].flatMap(payingVersions);
  const warnings: DrawWarning[] = [];
  if (inForce.length > 0 && inForce.every((version) => version.currency !== currency))
    warnings.push({
      code: 'draw_currency_not_earned',
      message: `No plan of this person pays in ${currency}. A draw counts beside what is earned in its own currency only, so nothing is set off against it.`,
    });
  if (kind === 'guarantee' && !recoverable && inForce.some(({ rules }) => rules.some(waitsForCustomer)))
    warnings.push({
      code: 'guarantee_covers_waiting_pay',
      message:
        'A rule of this person pays when the customer pays. The guarantee replaces pay that only waits and comes later in full. A recoverable guarantee takes it back then.',
    });
  return warnings.length === 0 ? {} : { warnings };
}

function waitsForCustomer({ payout }: Rule): boolean {
  return (
    payout !== undefined &&
    'schedule' in payout &&
    payout.schedule.some(({ on }) => on === 'paid' || on === 'paid_in_full')
  );
}
