import { addDays, type Day, earliestDay, latestDay } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { type Condition, type ConditionSet, compileConditions, leavesOf } from './condition.js';
import { type CompiledFx, compileFx, listFields, listFormulas } from './convert-deal.js';
import { type CountedLines } from './credit-lines.js';
import { isLineSlug, nameInLine } from './deal-line.js';
import { fieldReaders, type ReaderOf } from './field-readers.js';
import { asDay } from './field-value.js';
import { foldedSlug } from './folded-slug.js';
import { fieldsIn } from './formula.js';
import { type CompiledFormula, compileFormula } from './formula-trace.js';
import { isPersonField } from './person-facts.js';
import { attainmentKey, type PlanTerms, type Rule, type TierPay } from './plan-config.js';
import { computePlanCost } from './plan-cost.js';
import { type PlanFx } from './plan-fx.js';
import { type RateTable } from './rate-table.js';
import { flatPerOf, hasBaseOfLines, hasTierOfLines, namesLines } from './rule-lines.js';
import { compileTable, findTable, isAttainmentField, type RuleTable, type TableReference } from './rule-table.js';
import {
  currencyReader,
  type Deal,
  dealAmount,
  dealCount,
  fieldReader,
  lineCount,
  type ReadField,
  type SlugMapping,
  teamEarnings,
} from './slug.js';
import { computeStretches, findVersionInForce, type Stretch } from './version-timeline.js';

/** A rule with its id. Ids differ between versions; the name links attainment, caps and quotas across versions. */
export type IdentifiedRule = Rule & { readonly id: string };

/** A plan version as it is stored. */
export interface PlanVersion {
  readonly planId: string;
  readonly planVersionId: string;
  readonly version: number;
  readonly effectiveStart: Day | null;
  readonly effectiveEnd: Day | null;
  readonly currency: string;
  /** Without it, deals in other currencies pay nothing. */
  readonly fx?: PlanFx | null;
  readonly fieldMapping: SlugMapping;
  readonly dealConditions: PlanTerms['dealConditions'];
  readonly rules: readonly IdentifiedRule[];
}

/** An override of one tier for one rep: the threshold stays the global tier's. */
export interface TierOverride extends TierPay {
  readonly tierIndex: number;
  /** Its first and last day; a missing one is that of the version. */
  readonly from?: Day;
  readonly to?: Day;
}

/** The overrides of one rep, by the id of the rule. */
export type Overrides = ReadonlyMap<string, readonly TierOverride[]>;

export interface EffectiveTier {
  readonly tierIndex: number;
  readonly name: string | null;
  readonly threshold: Decimal;
  /** Exactly one of the three is set. */
  readonly rate: Decimal | null;
  readonly flatAmount: Decimal | null;
  readonly table: TierTable | null;
}

/** A tier that pays what a rate table says. */
interface TierTable {
  readonly reference: TableReference;
  /** Null for a table that does not exist, and where no row is looked up. */
  readonly compiled: RuleTable | null;
}

/** What a rule says about refunds. */
export interface RefundTerms {
  readonly rule: IdentifiedRule;
  /** The day of the deal from which the policy counts; null for the close date. */
  readonly readWindowDay: ((deal: Deal) => Day | null) | null;
  /** Whether a cascade follows inputs in other currencies. */
  readonly converts: boolean;
}

export interface CompiledRule extends RefundTerms {
  readonly position: number;
  readonly key: string;
  readonly conditions: ConditionSet;
  readonly readMeasure: ReadField;
  /** Decides whether a deal is a credit note. */
  readonly readAmount: ReadField;
  /** Whether the measure of a cascade rule is what the people below earned on the deal. */
  readonly measuresEarnings: boolean;
  /** Null when no field is the base. */
  readonly readBase: ReadField | null;
  /** The currencies of the measure and of the base, which must be the plan's; none in a plan that converts. */
  readonly readCurrencies: readonly ReadField[];
  readonly readTierValue: ReadField | null;
  /** What is summed to credit; null when the measure is the credit. */
  readonly credits: readonly CompiledCredit[] | null;
  /** Set in a rule that counts and pays lines. */
  readonly lines: CompiledLines | null;
  readonly tiers: readonly EffectiveTier[];
  /** The thresholds of the tiers as credit (attainment) or unchanged (value, rank); null for attainment without a target. */
  readonly boundsFor: (target: Decimal | null) => readonly Decimal[] | null;
  /** A single tier from 0, which pays whatever the attainment is: a flat-rate plan, which needs no quota. */
  readonly isFlatRate: boolean;
  readonly cap: Decimal | null;
  readonly floor: Decimal | null;
  readonly capMultiplier: Decimal | null;
  readonly floorAttainment: Decimal | null;
  readonly countedLines: CountedLines;
  /** The fields that the rule, its conditions and those of the plan name; read only in a plan that converts. */
  readonly fields: ReadonlySet<string>;
  /** The formulas that the rule, its conditions and those of the plan name. */
  readonly formulas: readonly CompiledFormula[];
}

interface CompiledCredit {
  readonly read: ReadField;
  readonly weight: Decimal;
  /** Whether it is summed over the lines. */
  readonly isOfLines: boolean;
}

/** How a rule reads the lines of a deal. */
export interface CompiledLines {
  readonly conditions: ConditionSet;
  /** Whether a deal without lines is one line with its amount. */
  readonly takesDeal: boolean;
  /** Whether the measure and the base are sums over lines, and whether each line has the tier of its own value. */
  readonly hasMeasure: boolean;
  readonly hasBase: boolean;
  readonly hasTiers: boolean;
  readonly flatPer: NonNullable<Rule['flatPer']>;
  readonly readQuantity: ReadField;
  /** The readers that are summed over lines. */
  readonly fields: ReadonlySet<ReadField>;
  /** The names after `line.`, in small letters, that the rule reads, and those that the conditions of lines read. */
  readonly names: ReadonlySet<string>;
  readonly conditionNames: ReadonlySet<string>;
  /** Whether the measure, the base or the credit name values of lines, which have a currency. */
  readonly hasCurrency: boolean;
}

export interface CompiledVersion {
  readonly version: PlanVersion;
  /** Null for a plan that converts nothing. */
  readonly fx: CompiledFx | null;
  /** The cost of one deal; see plan-cost.ts. */
  readonly cost: number;
  readonly dealConditions: ConditionSet;
  readonly rules: readonly CompiledRule[];
}

/**
 * Compiles the versions of a timeline for one rep. A version is divided where an override begins or ends on one of its
 * days; each part has the overrides of its days.
 */
export function compileTimeline(
  timeline: readonly PlanVersion[],
  repId: string,
  overrides: Overrides,
  measures: SlugMapping,
  timeZone: string,
  calendar?: PeriodCalendar,
  tables: readonly RateTable[] = [],
): CompiledVersion[] {
  const stretches = new Map(computeStretches(timeline).map((stretch) => [stretch.planVersionId, stretch]));
  return timeline.flatMap((version) => {
    const stretch = stretches.get(version.planVersionId);
    const starts = stretch === undefined ? [] : startsWithin(version, overrides, stretch);
    return [version.effectiveStart, ...starts].map((effectiveStart) =>
      compileVersion(
        { ...version, effectiveStart },
        repId,
        overridesOn(overrides, effectiveStart ?? earliestDay),
        measures,
        timeZone,
        calendar,
        tables,
      ),
    );
  });
}

/** The days of the stretch after its first one on which an override of the version begins, or has just ended. */
function startsWithin({ rules }: PlanVersion, overrides: Overrides, { from, to }: Stretch): Day[] {
  const days = rules
    .flatMap(({ id }) => overrides.get(id) ?? [])
    .flatMap((override) => [
      override.from,
      override.to === undefined || override.to === latestDay ? undefined : addDays(override.to, 1),
    ])
    .filter((day) => day !== undefined);
  return [...new Set(days)].filter((day) => day > (from ?? earliestDay) && day <= (to ?? latestDay)).sort();
}

function overridesOn(overrides: Overrides, day: Day): Overrides {
  const holds = ({ from = earliestDay, to = latestDay }: TierOverride) => from <= day && day <= to;
  return new Map([...overrides].map(([ruleId, tiers]) => [ruleId, tiers.filter(holds)]));
}

/** Compiles a version for one rep: field readers, condition tests and the rep's effective tiers. */
export function compileVersion(
  version: PlanVersion,
  repId: string,
  overrides: Overrides,
  measures: SlugMapping,
  timeZone: string,
  calendar?: PeriodCalendar,
  tables: readonly RateTable[] = [],
): CompiledVersion {
  const { ofDeal: reader, ofLine: lineReader } = fieldReaders(version.fieldMapping, measures);
  const compile = (conditions: readonly Condition[], readerOf = reader) =>
    compileConditions(conditions, readerOf, timeZone, calendar);
  const keysOf = ({ id, tiers }: IdentifiedRule) => keyFields([...tiers, ...(overrides.get(id) ?? [])], tables);
  const fx = compileFx(version, measures, keysOf);
  const compileRule = (rule: IdentifiedRule, position: number): CompiledRule => {
    const readerOf = rule.lines === undefined ? reader : lineReader;
    const tiers = effectiveTiers(rule, repId, overrides.get(rule.id) ?? [], (reference) =>
      compileTable(reference, tables, readerOf),
    );
    const base = baseField(rule);
    return {
      ...compileRefundTerms(rule, version, measures, timeZone),
      position,
      key: attainmentKey(rule),
      conditions: compile(rule.conditions),
      readMeasure: readerOf(rule.measure),
      readAmount: reader(dealAmount),
      measuresEarnings: rule.measure === teamEarnings,
      readBase: base === null ? null : readerOf(base),
      readCurrencies: fx === null ? currencyReaders(rule, version.fieldMapping, measures) : [],
      readTierValue: rule.tierValueField === undefined ? null : readerOf(rule.tierValueField),
      credits: creditReaders(rule, readerOf),
      lines: rule.lines === undefined ? null : compileLines(rule, keysOf(rule), lineReader, compile),
      tiers,
      boundsFor: tierBounds(rule, tiers),
      isFlatRate: needsNoQuota(rule, tiers),
      cap: decimalOrNull(rule.cap),
      floor: decimalOrNull(rule.floor),
      capMultiplier: decimalOrNull(rule.capMultiplier),
      floorAttainment: decimalOrNull(rule.floorAttainment),
      countedLines: { kinds: rule.creditKinds ?? ['split'], roles: rule.creditRoles ?? null },
      fields: fx === null ? noFields : new Set(listFields(rule, version.dealConditions, keysOf(rule))),
      formulas: listFormulas(rule, version.dealConditions).map((formula) => compileFormula(formula, reader)),
    };
  };
  return {
    version,
    fx,
    cost: computePlanCost(version),
    dealConditions: compile(version.dealConditions),
    rules: version.rules.map(compileRule),
  };
}

function compileLines(
  rule: IdentifiedRule,
  keys: readonly string[],
  readerOf: ReaderOf,
  compile: (conditions: readonly Condition[], readerOf: ReaderOf) => ConditionSet,
): CompiledLines {
  const { conditions = [], withoutLines } = rule.lines ?? {};
  const paid = [
    rule.measure,
    baseField(rule),
    rule.quotaMeasure,
    ...(rule.quotaCredit ?? []).map(({ field }) => field),
  ];
  const valued = [...paid, rule.tierValueField, ...keys];
  const compared = leavesOf(conditions).map(({ field }) => field);
  return {
    conditions: compile(conditions, readerOf),
    takesDeal: withoutLines === 'deal',
    hasMeasure: namesLines(rule.measure),
    hasBase: hasBaseOfLines(rule),
    hasTiers: hasTierOfLines(rule),
    flatPer: flatPerOf(rule),
    readQuantity: readerOf('line.quantity'),
    fields: new Set(
      valued
        .filter((slug) => slug !== null && slug !== undefined && namesLines(slug))
        .map((slug) => readerOf(slug as string)),
    ),
    conditionNames: lineNames(compared),
    names: lineNames([...compared, ...valued]),
    hasCurrency: lineNames(paid).size > 0,
  };
}

/** The fields of deals and lines that the keys of the tables read. */
function keyFields(pays: readonly TierPay[], tables: readonly RateTable[]): string[] {
  const named = pays.flatMap(({ table }) => (table === undefined ? [] : (findTable(tables, table)?.keys ?? [])));
  return named.map(({ field }) => field).filter((field) => !isPersonField(field) && !isAttainmentField(field));
}

function lineNames(slugs: readonly (string | null | undefined)[]): ReadonlySet<string> {
  const fields = slugs.filter((slug) => slug !== null && slug !== undefined).flatMap(fieldsIn);
  return new Set(fields.filter(isLineSlug).map((field) => foldedSlug(nameInLine(field))));
}

/** What a rule of the version says about refunds. */
export function compileRefundTerms(
  rule: IdentifiedRule,
  { fieldMapping, fx = null }: Pick<PlanVersion, 'fieldMapping' | 'fx'>,
  measures: SlugMapping,
  timeZone: string,
): RefundTerms {
  const from = rule.clawback?.window?.from ?? closeDate;
  const converts = fx !== null;
  if (from === closeDate) return { rule, readWindowDay: null, converts };
  const read = fieldReader(from, fieldMapping, measures);
  return { rule, readWindowDay: (deal) => asDay(read(deal), timeZone), converts };
}

const closeDate = 'close_date';

const noFields: ReadonlySet<string> = new Set();

function needsNoQuota({ tierBy, payoutMode }: Rule, tiers: readonly EffectiveTier[]): boolean {
  if (tierBy !== 'attainment' || payoutMode === 'rate_times_attainment') return false;
  return tiers.length === 1 && tiers[0]?.threshold.isZero() === true;
}

/** The version of the plan's timeline that is in force on the day. */
export function applicableVersion(timeline: readonly CompiledVersion[], day: Day): CompiledVersion | null {
  return findVersionInForce(timeline, day, ({ version }) => version);
}

/**
 * For each tierIndex the rep's own tier if there is one, otherwise the global tier; ordered by threshold, then
 * index.
 */
export function effectiveTiers(
  rule: Rule,
  repId: string,
  overrides: readonly TierOverride[],
  compile: (reference: TableReference) => RuleTable | null = () => null,
): EffectiveTier[] {
  const byIndex = new Map<number, EffectiveTier>();
  const toTable = ({ table, column }: TierPay): TierTable | null =>
    table === undefined ? null : { reference: { table, column }, compiled: compile({ table, column }) };
  const take = (tierIndex: number, name: string | undefined, threshold: number, pay: TierPay) =>
    byIndex.set(tierIndex, {
      tierIndex,
      name: name ?? null,
      threshold: Decimal.of(threshold),
      rate: decimalOrNull(pay.rate),
      flatAmount: decimalOrNull(pay.flatAmount),
      table: toTable(pay),
    });
  const global = rule.tiers.filter((tier) => tier.repId === undefined);
  const own = rule.tiers.filter((tier) => tier.repId === repId);
  for (const tier of [...global, ...own]) take(tier.tierIndex, tier.name, tier.minThreshold, tier);
  for (const override of overrides) {
    const tier = global.find((candidate) => candidate.tierIndex === override.tierIndex);
    if (tier !== undefined) take(tier.tierIndex, tier.name, tier.minThreshold, override);
  }
  return [...byIndex.values()].sort((a, b) => a.threshold.compare(b.threshold) || a.tierIndex - b.tierIndex);
}

/** Keeps the bounds of the last target: the deals of a rep in one period have the same. */
function tierBounds({ tierBy }: Rule, tiers: readonly EffectiveTier[]): CompiledRule['boundsFor'] {
  const thresholds = tiers.map((tier) => tier.threshold);
  if (tierBy !== 'attainment') return () => thresholds;
  let last: { readonly target: Decimal; readonly bounds: readonly Decimal[] } | null = null;
  return (target) => {
    if (target === null || target.isZero()) return null;
    if (last?.target !== target) last = { target, bounds: thresholds.map((threshold) => threshold.times(target)) };
    return last.bounds;
  };
}

/** The field that is the base; null if the base is the measure, the variable target or 1. */
function baseField({ payoutBase }: Rule): string | null {
  return payoutBase === undefined || payoutBase === 'variable_target' || payoutBase === '1' ? null : payoutBase;
}

/**
 * The fields of the deal whose values a rule pays on; with lines, those that it counts too. A number of deals or lines
 * has no currency; earnings are those of the plan's.
 */
function moneySlugs(rule: Rule): string[] {
  const credits = [rule.quotaMeasure, ...(rule.quotaCredit ?? []).map(({ field }) => field)];
  const paid = [rule.measure, baseField(rule) ?? rule.measure, ...(rule.lines === undefined ? [] : credits)];
  const slugs = new Set(paid.filter((slug) => slug !== undefined));
  return [...slugs].filter((slug) => slug !== dealCount && slug !== lineCount && slug !== teamEarnings);
}

function currencyReaders(rule: Rule, mapping: SlugMapping, measures: SlugMapping): ReadField[] {
  const fields = moneySlugs(rule).flatMap(fieldsIn);
  const ofDeal = rule.lines === undefined ? fields : fields.filter((field) => !isLineSlug(field));
  return ofDeal.map((slug) => currencyReader(slug, mapping, measures));
}

function creditReaders(rule: Rule, reader: ReaderOf): CompiledRule['credits'] {
  const toCredit = (field: string, weight: Decimal): CompiledCredit => ({
    read: reader(field),
    weight,
    isOfLines: rule.lines !== undefined && namesLines(field),
  });
  if (rule.quotaCredit !== undefined)
    return rule.quotaCredit.map(({ field, weight }) => toCredit(field, Decimal.of(weight)));
  return rule.quotaMeasure === undefined ? null : [toCredit(rule.quotaMeasure, Decimal.one)];
}

function decimalOrNull(value: number | undefined): Decimal | null {
  return value === undefined ? null : Decimal.of(value);
}
