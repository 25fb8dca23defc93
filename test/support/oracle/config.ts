import type { PeriodKind } from './calendar.js';
import { type Amount, amount } from './decimal.js';
import { type LinesOfRule, tierOfLines } from './lines.js';
import type { Policy } from './refunds.js';
import type { CreditKind, WorldPlanVersion } from './world.js';

export interface Leaf {
  field: string;
  fieldType: string;
  operator: string;
  value?: unknown;
}

interface Group {
  operator: 'and' | 'or';
  rules: Leaf[];
}

export type Condition = Leaf | Group;

interface PostedTier {
  tierIndex?: number;
  minThreshold?: number;
  min?: number;
  name?: string | null;
  rate?: number | null;
  flatAmount?: number | null;
  amount?: number | null;
  table?: string;
  column?: string;
  repId?: string | null;
}

interface PostedRule {
  name?: string;
  measure?: string;
  baseField?: string;
  tiers: PostedTier[];
  executionPhase?: Phase;
  attainmentPeriod?: PeriodKind;
  tierBy?: string;
  tierMode?: TierMode;
  tierValueField?: string;
  payoutBase?: string;
  payoutMode?: PayoutMode;
  dependsOn?: string;
  cap?: number;
  floor?: number;
  capMultiplier?: number;
  floorAttainment?: number;
  quotaGroup?: string;
  quotaMeasure?: string;
  quotaCredit?: { field: string; weight?: number }[];
  conditions?: Condition[];
  quotaProration?: QuotaProration;
  calendar?: 'calendar' | 'fiscal';
  effectiveStart?: string | null;
  effectiveEnd?: string | null;
  creditKinds?: CreditKind[];
  creditRoles?: string[];
  clawback?: Policy | null;
  lines?: { conditions?: Condition[]; withoutLines?: 'none' | 'deal' };
  flatPer?: LinesOfRule['flatPer'];
}

interface PostedConfig {
  quotaPeriod?: PeriodKind;
  dealConditions?: Condition[];
  clawback?: Policy;
  rules: PostedRule[];
}

type Phase = 'per_deal' | 'cascade' | 'periodic';
type QuotaProration = 'none' | 'calendar_days' | 'whole_months';
type TierMode = 'full_rate' | 'marginal' | 'retroactive';
type PayoutMode = 'rate' | 'rate_times_attainment' | 'flat_per_event' | 'flat_per_tier' | 'stepped_bonus';

export interface Tier {
  tierIndex: number;
  minThreshold: Amount;
  name: string | null;
  rate: Amount | null;
  flatAmount: Amount | null;
  /** The table that says what the tier pays, and the column of it. */
  table: string | null;
  column: string | null;
  repId: string | null;
}

export interface Rule {
  name: string;
  measure: string;
  tiers: Tier[];
  phase: Phase;
  attainmentPeriod: PeriodKind;
  tierBy: 'attainment' | 'value' | 'rank';
  tierValueField: string | null;
  tierMode: TierMode;
  payoutMode: PayoutMode;
  payoutBase: string | null;
  dependsOn: string | null;
  cap: Amount | null;
  floor: Amount | null;
  capMultiplier: Amount | null;
  floorAttainment: Amount | null;
  quotaGroup: string | null;
  quotaMeasure: string | null;
  quotaCredit: { field: string; weight: Amount }[] | null;
  conditions: Condition[];
  quotaProration: QuotaProration;
  calendar: 'calendar' | 'fiscal';
  effectiveStart: string | null;
  effectiveEnd: string | null;
  creditKinds: CreditKind[];
  creditRoles: string[] | null;
  /** That of the rule or the plan; null exempts it. */
  clawback: Policy | null | undefined;
  /** Null: the rule is on deals. */
  lines: LinesOfRule | null;
}

export interface Config {
  dealConditions: Condition[];
  rules: Rule[];
}

function optional(value: number | null | undefined): Amount | null {
  return value === null || value === undefined ? null : amount(value);
}

/** Section 8, "Second shape to canonical". */
export function canonical(config: unknown): Config {
  const posted = config as PostedConfig;
  return {
    dealConditions: posted.dealConditions ?? [],
    rules: posted.rules.map((rule, position) => {
      const canonicalOne = {
        ...canonicalRule(rule, position, posted.quotaPeriod),
        clawback: rule.clawback === undefined ? posted.clawback : rule.clawback,
      };
      return { ...canonicalOne, lines: linesOfRule(rule, canonicalOne) };
    }),
  };
}

/** Lines of deals, L7 and L16. */
function linesOfRule({ lines, flatPer }: PostedRule, rule: Omit<Rule, 'lines'>): LinesOfRule | null {
  if (lines === undefined) return null;
  const terms = { conditions: lines.conditions ?? [], takesDeal: lines.withoutLines === 'deal' };
  const usual: LinesOfRule = { ...terms, flatPer: 'deal' };
  return { ...terms, flatPer: flatPer ?? (tierOfLines({ ...rule, lines: usual }) ? 'line' : 'deal') };
}

function canonicalRule(
  rule: PostedRule,
  position: number,
  quotaPeriod: PeriodKind | undefined,
): Omit<Rule, 'clawback' | 'lines'> {
  return {
    ...tierSource(rule),
    name: rule.name ?? `Rule ${position + 1}`,
    measure: rule.measure ?? rule.baseField ?? '_earned',
    tiers: rule.tiers.map(canonicalTier),
    phase: rule.executionPhase ?? 'per_deal',
    attainmentPeriod: rule.attainmentPeriod ?? quotaPeriod ?? 'quarterly',
    tierMode: rule.tierMode ?? 'full_rate',
    payoutMode: rule.payoutMode ?? 'rate',
    payoutBase: rule.payoutBase ?? null,
    dependsOn: rule.dependsOn ?? null,
    ...limitsAndQuota(rule),
    conditions: rule.conditions ?? [],
    ...quotaTerms(rule),
    creditKinds: rule.creditKinds ?? ['split'],
    creditRoles: rule.creditRoles ?? null,
  };
}

/** Money model, sections 4 and 7. */
function quotaTerms({ quotaProration, calendar, effectiveStart, effectiveEnd }: PostedRule) {
  return {
    quotaProration: quotaProration ?? 'none',
    calendar: calendar ?? 'calendar',
    effectiveStart: effectiveStart ?? null,
    effectiveEnd: effectiveEnd ?? null,
  };
}

/** A tierBy that is no kind of its own names the field whose value decides. */
function tierSource({ tierBy = 'attainment', tierValueField }: PostedRule): Pick<Rule, 'tierBy' | 'tierValueField'> {
  if (tierBy !== 'attainment' && tierBy !== 'value' && tierBy !== 'rank')
    return { tierBy: 'value', tierValueField: tierBy };
  return { tierBy, tierValueField: tierValueField ?? null };
}

function limitsAndQuota(rule: PostedRule) {
  return {
    cap: optional(rule.cap),
    floor: optional(rule.floor),
    capMultiplier: optional(rule.capMultiplier),
    floorAttainment: optional(rule.floorAttainment),
    quotaGroup: rule.quotaGroup ?? null,
    quotaMeasure: rule.quotaMeasure ?? null,
    quotaCredit: rule.quotaCredit?.map((part) => ({ field: part.field, weight: amount(part.weight ?? 1) })) ?? null,
  };
}

function canonicalTier(tier: PostedTier, position: number): Tier {
  return {
    tierIndex: tier.tierIndex ?? position,
    minThreshold: amount(tier.minThreshold ?? tier.min ?? 0),
    name: tier.name ?? null,
    rate: optional(tier.rate),
    flatAmount: optional(tier.flatAmount ?? tier.amount),
    table: tier.table ?? null,
    column: tier.column ?? null,
    repId: tier.repId ?? null,
  };
}

/** Section 7, first paragraph, and "`repId` on a tier in a config is the same thing as an override". */
export function effectiveTiers(rule: Rule, version: WorldPlanVersion, repId: string, day: string): Tier[] {
  const byIndex = new Map<number, Tier>();
  for (const tier of rule.tiers.filter((each) => each.repId === null)) byIndex.set(tier.tierIndex, tier);
  for (const tier of rule.tiers.filter((each) => each.repId === repId)) byIndex.set(tier.tierIndex, tier);
  for (const override of version.overrides) {
    if (override.repId !== repId || override.ruleName !== rule.name) continue;
    for (const change of override.tiers) {
      const global = rule.tiers.find((each) => each.repId === null && each.tierIndex === change.tierIndex);
      const holds = (change.from ?? day) <= day && day <= (change.to ?? day);
      if (global === undefined || !holds) continue;
      byIndex.set(change.tierIndex, {
        ...global,
        rate: optional(change.rate),
        flatAmount: optional(change.flatAmount),
        table: null,
        column: null,
      });
    }
  }
  return [...byIndex.values()].sort((a, b) => a.minThreshold.comparedTo(b.minThreshold) || a.tierIndex - b.tierIndex);
}

/** Section 6: the quota group, or else the rule's name. */
export function attainmentKey(rule: Rule): string {
  return rule.quotaGroup ?? rule.name;
}
