import { hull } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type PeriodCalendar } from '../../kernel/period-calendar.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type CalculationRequest } from '../../ledger/requests/calculation-requests.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Quota } from './quota.js';
import { assertPeriodOf, type QuotaRule } from './quota-rule.js';
import { lockLanes, type QuotaSetting, upsertQuotas } from './quota-store.js';
import { listQuotas } from './quota-views.js';

interface ComparedSetting {
  readonly setting: QuotaSetting;
  readonly before: Quota | undefined;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** Compares each setting with the stored quota of its key. */
async function compareQuotas(tx: Transaction, settings: readonly QuotaSetting[]): Promise<ComparedSetting[]> {
  const stored = await storedQuotas(tx, settings);
  return settings.map((setting) => {
    const before = stored.get(settingKey(setting));
    return { setting, before, outcome: compareSetting(before, setting) };
  });
}

/**
 * Writes the settings and requests the calculation of every rep whose amounts change. Returns the stored quotas in the
 * order of the settings. No two settings may have the same quota.
 */
export async function applyQuotas(
  tx: Transaction,
  recalculate: Recalculate,
  settings: readonly QuotaSetting[],
): Promise<Quota[]> {
  const repIds = [...new Set(settings.map(({ repId }) => repId))];
  await lockLanes(tx, repIds);
  const compared = await compareQuotas(tx, settings);
  await upsertQuotas(
    tx,
    compared
      .filter(({ setting, before, outcome }) => outcome !== 'unchanged' || before?.planRuleId !== setting.rule.ruleId)
      .map(({ setting }) => setting),
  );
  const changed = compared.filter(({ outcome }) => outcome !== 'unchanged').map(({ setting }) => setting);
  await tx.changeTerms({ repIds: [...new Set(changed.map(({ repId }) => repId))] });
  await recalculate(requestsFor(changed, await loadCalendar(tx)));
  const after = await storedQuotas(tx, settings);
  return settings.map((setting) => after.get(settingKey(setting)) as Quota);
}

/** One request for each rep, for the days of all changed periods and those between them. */
function requestsFor(changed: readonly QuotaSetting[], calendar: PeriodCalendar): CalculationRequest[] {
  return [...groupBy(changed, ({ repId }) => repId)].map(([repId, settings]) => ({
    repId,
    days: settings.map(({ period }) => calendar.range(period)).reduce(hull),
    trigger: 'quota_change',
  }));
}

/** A target of a request. */
export interface RequestedQuota {
  readonly repId: string;
  readonly period: string;
  readonly target: number;
  /** Undefined keeps what is stored, null removes it. */
  readonly variableTarget?: number | null | undefined;
  readonly prorate?: boolean | undefined;
}

export function toQuotaSetting(
  rule: QuotaRule,
  { repId, period, target, variableTarget, prorate }: RequestedQuota,
  calendar: PeriodCalendar,
): QuotaSetting {
  assertPeriodOf(rule, period, calendar);
  return {
    repId,
    rule,
    period,
    target: Decimal.of(target),
    prorate,
    variableTarget: variableTarget == null ? variableTarget : Decimal.of(variableTarget),
  };
}

/** Positions of settings for a quota that an earlier setting is for too, each with the position of the earlier one. */
export function repeatedSettings(settings: readonly QuotaSetting[]): { readonly at: number; readonly first: number }[] {
  const positions = settings.map((setting, position) => ({ key: settingKey(setting), position }));
  return [...groupBy(positions, ({ key }) => key).values()].flatMap(([first, ...repeated]) =>
    repeated.map(({ position }) => ({ at: position, first: first?.position ?? 0 })),
  );
}

async function storedQuotas(tx: Transaction, settings: readonly QuotaSetting[]): Promise<Map<string, Quota>> {
  const quotas = await listQuotas(tx, {
    repIds: [...new Set(settings.map(({ repId }) => repId))],
    periods: [...new Set(settings.map(({ period }) => period))],
  });
  return new Map(quotas.map((quota) => [storedKey(quota.repId, quota.planId, quota.measure, quota.period), quota]));
}

function settingKey({ repId, rule, period }: QuotaSetting): string {
  return storedKey(repId, rule.planId, rule.attainmentKey, period);
}

function storedKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function compareSetting(
  before: Quota | undefined,
  { target, variableTarget, prorate }: QuotaSetting,
): ComparedSetting['outcome'] {
  if (before === undefined) return 'created';
  const keepsVariable = variableTarget === undefined || before.variableTarget === (variableTarget?.toNumber() ?? null);
  const keepsProration = prorate === undefined || (before.prorate ?? true) === prorate;
  return before.target === target.toNumber() && keepsVariable && keepsProration ? 'unchanged' : 'changed';
}
