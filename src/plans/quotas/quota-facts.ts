import { allDays } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type FactChange, factOf, factsOf } from '../../platform/files/facts.js';
import { type Quota } from './quota.js';
import { deleteQuotas, lockLanes, type QuotaSetting, upsertQuotas } from './quota-store.js';
import { listQuotas } from './quota-views.js';

/** A quota as a file states it. Of the rule that it names, the measure identifies it. */
export interface QuotaFact extends Pick<Quota, 'repId' | 'planId' | 'measure' | 'period' | 'target'> {
  readonly quotaId?: string;
  /** Absent for one that is restored: its rule stays. */
  readonly planRuleId?: string;
  /** Undefined keeps the stored value. */
  readonly variableTarget?: number | null | undefined;
  readonly prorate?: boolean | undefined;
}

export const quotaFacts = factsOf<QuotaFact>({
  key: ['repId', 'planId', 'measure', 'period'],
  terms: ['target', 'variableTarget', 'prorate'],
  async load(tx, quotas) {
    const stored = await listQuotas(tx, {
      repIds: [...new Set(quotas.map(({ repId }) => repId))],
      periods: [...new Set(quotas.map(({ period }) => period))],
    });
    return stored.map(({ prorate = true, ...quota }) => ({ ...quota, prorate }));
  },
  async store(tx, changes) {
    const quotas = changes.map(factOf);
    const repIds = [...new Set(quotas.map(({ repId }) => repId))];
    await lockLanes(tx, repIds);
    await deleteQuotas(
      tx,
      changes.flatMap(({ before, after }) => (after === null ? (before?.quotaId ?? []) : [])),
    );
    await upsertQuotas(tx, changes.flatMap(toSettings));
    await tx.changeTerms({ repIds });
    const calendar = await loadCalendar(tx);
    return quotas.map(({ repId, period }) => ({ repId, days: calendar.findRange(period) ?? allDays }));
  },
});

function toSettings({ before, after }: FactChange<QuotaFact>): QuotaSetting[] {
  if (after === null) return [];
  const { repId, planId, measure: attainmentKey, period, variableTarget = null } = after;
  const ruleId = (after.planRuleId ?? before?.planRuleId) as string;
  return [
    {
      repId,
      rule: { ruleId, planId, attainmentKey },
      period,
      target: Decimal.of(after.target),
      variableTarget: variableTarget === null ? null : Decimal.of(variableTarget),
      prorate: after.prorate ?? true,
    },
  ];
}
