import { type z } from 'zod';
import { type Clock } from '../../kernel/clock.js';
import { type Day } from '../../kernel/day.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type TenantCaller, type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { draw } from '../draws/draw.js';
import { compareForecasts, type DrawEffect, drawEffect, loadPayForecast } from './draw-effect.js';
import { drawWarnings } from './draw-warnings.js';

export const optionalDrawEffect = drawEffect.optional().describe('With dryRun: what the change would do to pay');

/** A draw, with what is wrong with it and with dryRun what it would change. */
export const changedDraw = draw.extend({ warnings: drawWarnings.optional(), effect: optionalDrawEffect });
export type ChangedDraw = z.input<typeof changedDraw>;

/** A change of draws that is not stored yet. */
interface DrawChange<Result> {
  readonly repIds: readonly string[];
  readonly store: () => Promise<Result>;
}

/** Stores the change. With `dryRun` everything is rolled back, and the result has the effect on open statements. */
export async function runDrawChange<Result extends object>(
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
  caller: TenantCaller,
  dryRun: boolean,
  prepare: (tx: Transaction) => Promise<DrawChange<Result>>,
): Promise<Result & { readonly effect?: DrawEffect }> {
  return withDryRun<Result & { readonly effect?: DrawEffect }>(dryRun, (end) =>
    unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const { repIds, store } = await prepare(tx);
      if (!dryRun) return end(await store());
      const { stored, effect } = await computeDrawEffect(tx, await workspaceToday(tx, clock), store, repIds);
      return end({ ...stored, effect });
    }),
  );
}

/** Stores draws of the people, and computes what that changes of open statements. */
export async function computeDrawEffect<Stored>(
  tx: Transaction,
  today: Day,
  store: () => Promise<Stored>,
  repIds: readonly string[],
): Promise<{ readonly stored: Stored; readonly effect: DrawEffect }> {
  const before = await loadPayForecast(tx, repIds, today);
  const stored = await store();
  return { stored, effect: compareForecasts(before, await loadPayForecast(tx, repIds, today)) };
}
