import { type Rule, type Tier } from './draft.js';
import { dealCount, lineCount, tablesOf, teamEarnings } from './words.js';

/** Whether the tiers of the rule pay fixed amounts. */
export function paysAmounts({ payoutMode, tiers }: Rule): boolean {
  return !payoutMode.startsWith('rate') || tiers.some(({ flatAmount }) => flatAmount !== undefined);
}

/** Whether the tiers of the rule take their rates from a table. */
export function paysByTable(rule: Rule): boolean {
  return tablesOf(rule).length > 0;
}

/** Whether a slug or a formula reads products. */
function namesLines(slug: string | undefined): boolean {
  return slug !== undefined && (slug === lineCount || /\bline\./i.test(slug));
}

/** The first measure of a rule that pays products. */
const lineAmount = 'line.amount';

/** Counts products in place of whole deals, or whole deals again: what the other cannot read becomes the amount. */
export function linesChange(rule: Rule, isOfLines: boolean): Partial<Rule> {
  if (isOfLines) return countProducts(rule);
  const { measure, payoutBase, tierValueField, quotaMeasure, quotaCredit } = rule;
  const whole = rule.executionPhase === 'cascade' ? teamEarnings : 'amount';
  return {
    lines: undefined,
    flatPer: undefined,
    measure: namesLines(measure) ? whole : measure,
    ...(namesLines(payoutBase) ? { payoutBase: undefined } : {}),
    ...(namesLines(tierValueField) ? { tierValueField: 'amount' } : {}),
    ...(namesLines(quotaMeasure) ? { quotaMeasure: undefined } : {}),
    ...(quotaCredit?.some(({ field }) => namesLines(field)) === true ? { quotaCredit: undefined } : {}),
  };
}

/** Managers have no measure of their own: what the rate multiplies is of products, and counts. */
function countProducts({ executionPhase, measure, payoutBase, lines = {} }: Rule): Partial<Rule> {
  if (executionPhase === 'cascade')
    return { lines, measure: lineAmount, payoutBase: namesLines(payoutBase) ? payoutBase : lineAmount };
  const isDealField = payoutBase !== undefined && payoutBase !== '1' && payoutBase !== 'variable_target';
  return {
    lines,
    measure: namesLines(measure) || measure === dealCount ? measure : lineAmount,
    ...(isDealField && !namesLines(payoutBase) ? { payoutBase: undefined } : {}),
  };
}

/** Managers are paid on what the people below earn, which no field of a deal decides. A period has no customer who pays. */
export function phaseChange(rule: Rule, executionPhase: Rule['executionPhase']): Partial<Rule> {
  if (executionPhase === 'cascade')
    return {
      measure: teamEarnings,
      ...(rule.lines === undefined ? {} : linesChange({ ...rule, executionPhase }, true)),
      executionPhase,
      dependsOn: rule.dependsOn ?? '_total',
      creditKinds: undefined,
      creditRoles: undefined,
    };
  return {
    executionPhase,
    dependsOn: undefined,
    measure: rule.measure === teamEarnings ? 'amount' : rule.measure,
    ...(executionPhase === 'periodic' ? { payout: undefined } : {}),
  };
}

/** A rule without a base pays fixed amounts. */
export function baseChange(rule: Rule, value: string): Partial<Rule> {
  const payoutBase = value === '' ? undefined : value;
  if (value !== '1' || paysAmounts(rule)) return { payoutBase };
  const tiers = rule.tiers.map(({ rate: _, ...tier }) => ({ ...tier, flatAmount: 0 }));
  return { ...amountsChange(rule), payoutBase, tiers };
}

/** Thresholds of attainment and of values begin at 0, places at 1: the tiers keep their order and what they pay. */
export function tierByChange(rule: Rule, tierBy: Rule['tierBy']): Partial<Rule> {
  return {
    tierBy,
    tierValueField: tierBy === 'value' ? (rule.tierValueField ?? 'amount') : undefined,
    ...((tierBy === 'rank') === (rule.tierBy === 'rank') ? {} : { tiers: renumbered(rule, tierBy === 'rank' ? 1 : 0) }),
    ...(tierBy === 'attainment' ? {} : { tierMode: 'full_rate' }),
    ...(tierBy !== 'attainment' && rule.payoutMode !== 'flat_per_event' ? { payoutMode: 'rate' } : {}),
  };
}

function renumbered({ tiers }: Rule, first: number): Rule['tiers'] {
  const places = [...new Set(tiers.map(({ minThreshold }) => minThreshold))].sort((a, b) => a - b);
  return tiers.map((tier) => ({ ...tier, minThreshold: places.indexOf(tier.minThreshold) + first }));
}

export function modeChange(rule: Rule, payoutMode: Rule['payoutMode']): Partial<Rule> {
  if (payoutMode === 'rate') return { payoutMode };
  if (payoutMode === 'rate_times_attainment')
    return {
      payoutMode,
      tiers: paysByTable(rule) ? rule.tiers : withPay(rule, false),
      tierBy: 'attainment',
      tierMode: rule.tierMode === 'retroactive' ? 'retroactive' : 'full_rate',
      tierValueField: undefined,
    };
  const tiers = withPay(rule, true);
  if (payoutMode === 'flat_per_event') return { payoutMode, ...amountsChange(rule) };
  return { payoutMode, tiers, tierBy: 'attainment', tierMode: 'full_rate', tierValueField: undefined };
}

/** Tiers that pay amounts, between which nothing lies. */
export function amountsChange(rule: Rule, before: Rule['tiers'] = []): Partial<Rule> {
  const mode = rule.tierMode === 'interpolated' ? ({ tierMode: 'full_rate' } as const) : {};
  return { tiers: withPay(rule, true, before), ...mode };
}

/** Tiers that pay amounts or rates; `before` has what they paid before the last choice between both. */
export function withPay({ tiers }: Rule, isFlat: boolean, before: Rule['tiers'] = []): Rule['tiers'] {
  return tiers.map(({ rate, flatAmount, table: _, column: __, ...tier }, position) =>
    isFlat
      ? { ...tier, flatAmount: flatAmount ?? before[position]?.flatAmount ?? 0 }
      : { ...tier, rate: rate ?? before[position]?.rate ?? 0 },
  );
}

/** Tiers whose rates are in a table. */
export function withTable({ tiers }: Rule, table: string, column: string | undefined): Rule['tiers'] {
  return tiers.map(({ rate: _, flatAmount: __, ...tier }) => ({ ...tier, ...tableOf(table, column) }));
}

/** The column is absent if the table has one only. */
export function tableOf(table: string, column: string | undefined): Pick<Tier, 'table' | 'column'> {
  return column === undefined ? { table } : { table, column };
}

/** Terms that a first rule does not need, in words, for the line that hides them. */
export function furtherTerms(rule: Rule): readonly string[] {
  const isPayee = rule.creditKinds !== undefined || rule.creditRoles !== undefined;
  const hasLimit = [rule.cap, rule.floor, rule.capMultiplier, rule.floorAttainment].some((one) => one !== undefined);
  const hasQuotaTerms = [rule.quotaGroup, rule.quotaMeasure, rule.quotaCredit, rule.quotaProration].some(
    (one) => one !== undefined,
  );
  const terms: readonly (readonly [words: string, isSet: boolean])[] = [
    ['what the rate multiplies', rule.payoutBase !== undefined],
    ['tiers', rule.tierBy !== 'attainment' || rule.payoutMode !== 'rate'],
    ['whose credit', isPayee],
    ['limits', hasLimit],
    ['quota', hasQuotaTerms || rule.calendar !== undefined],
    ['days', rule.effectiveStart !== undefined || rule.effectiveEnd !== undefined],
    ['payment', rule.payout !== undefined],
    ['refunds', rule.clawback !== undefined],
  ];
  return terms.filter(([, isSet]) => isSet).map(([words]) => words);
}
