import type { Condition } from './config.js';
import type { WorldFiscalYear } from './fiscal.js';

export type StandardName =
  | 'dealAmount'
  | 'dealStage'
  | 'closeDate'
  | 'dealName'
  | 'ownerId'
  | 'currency'
  | 'createdDate';

export type FieldValue = string | number | boolean | null | string[];

export interface ReportingLine {
  managerId: string;
  from: string | null;
  to: string | null;
}

interface WorldRep {
  repId: string;
  /** Both days inclusive; a missing end is open. */
  lines: ReportingLine[];
  hireDate?: string | null;
  endDate?: string | null;
  email?: string;
  /** The person's id in the CRM. */
  memberId?: string;
}

export interface WorldAbsence {
  repId: string;
  from: string;
  to: string;
  /** Percent, default 100. */
  quotaRelief?: number;
  variableRelief?: number;
}

export interface WorldRamp {
  /** Null: the start of the assignment, or else the hire date. */
  from: string | null;
  steps: { months: number; quotaPercent: number; variablePercent?: number; ratePercent?: number }[];
}

export interface WorldOverride {
  repId: string;
  ruleName: string;
  tiers: { tierIndex: number; rate?: number; flatAmount?: number; from?: string; to?: string }[];
}

export interface WorldFx {
  date: 'close_date' | 'period_start' | 'period_end' | 'fixed';
  day?: string;
  table?: string;
}

export interface WorldRate {
  /** Default `default`. */
  table?: string;
  from: string;
  to: string;
  day: string;
  rate: string;
}

export type PlanStatus = 'draft' | 'active' | 'archived' | 'deleted';

export interface WorldPlanVersion {
  planVersionId: string;
  version: number;
  /** The version that this one replaces while it is active. */
  supersedes: string | null;
  status: PlanStatus;
  /** Whether it has been active at some time, whatever its status is now. */
  hasBeenActive: boolean;
  effectiveStart: string | null;
  effectiveEnd: string | null;
  currency: string | null;
  /** Absent: deals in other currencies pay nothing. */
  fx?: WorldFx | null;
  fieldMapping: Record<string, string> | null;
  /** Either config shape, as posted. */
  config: unknown;
  overrides: WorldOverride[];
}

export interface WorldPlan {
  planId: string;
  /** The status of the identity. */
  status: PlanStatus;
  versions: WorldPlanVersion[];
}

export interface WorldAssignment {
  repId: string;
  planId: string;
  effectiveStart: string | null;
  effectiveEnd: string | null;
  ramp?: WorldRamp;
}

export interface WorldQuota {
  repId: string;
  planId: string;
  /** The attainment key: the quota group, or else the rule's name. */
  key: string;
  period: string;
  target: number | string;
  variableTarget: number | string | null;
  /** False: ramps, absences and dates do not change it. */
  prorate?: boolean;
}

export interface GivenValues {
  dealAmount?: number;
  dealStage?: string;
  dealName?: string;
  ownerId?: string;
  currency?: string;
  createdDate?: string;
}

export interface WorldDeal {
  dealId: string;
  repId: string | null;
  fields: Record<string, FieldValue>;
  /** Already a day, in the workspace's time zone. */
  closeDate: string | null;
  /** Standard values that were given by name. */
  given?: GivenValues;
  credits?: WorldCredit[];
  refunds?: WorldRefund[];
  lines?: WorldLine[];
}

type LineNumber = number | string | null;

export interface WorldLine {
  lineId: string;
  productCode?: string | null;
  name?: string | null;
  family?: string | null;
  quantity?: LineNumber;
  unitPrice?: LineNumber;
  listPrice?: LineNumber;
  cost?: LineNumber;
  discount?: LineNumber;
  amount: LineNumber;
  currency?: string | null;
  months?: LineNumber;
  fields?: Record<string, string | number | boolean | null>;
}

type TableValue = number | { rate: number } | { amount: number } | { perUnit: number };

export interface WorldTable {
  name: string;
  keys: { name: string; field: string; match: 'exact' | 'prefix' | 'range' }[];
  columns: { name: string; kind: 'rate' | 'amount' | 'perUnit' }[];
  rows: {
    keys: Record<string, string | number | { from?: number; to?: number }>;
    values: Record<string, TableValue>;
    effectiveStart?: string | null;
    effectiveEnd?: string | null;
  }[];
  noMatch: 'exception' | 'zero';
}

export interface WorldRefund {
  refundId: string;
  day: string;
  cause: 'cancellation' | 'refund' | 'non_payment';
  /** Absent: all that earlier refunds left. */
  amount?: number;
  /** In place of an amount: what it gives back of lines, each in part or all that earlier refunds left of it. */
  lines?: { lineId: string; amount?: number }[];
  waivers?: { repId: string | null; percent: number }[];
}

export type CreditKind = 'split' | 'overlay';

export interface WorldCredit {
  source: 'api' | 'crm';
  /** Null: the house, no rep earns. */
  repId: string | null;
  kind: CreditKind;
  role?: string;
  percent: number;
  /** Default both. */
  affects?: 'both' | 'quota' | 'payout';
}

/** A credit rule has a percent or a field with the percent. */
export interface WorldCreditRule {
  name: string;
  kind: CreditKind;
  role: string | null;
  personField: string;
  percent?: number;
  percentField?: string;
  conditions: Condition[];
  effectiveStart: string | null;
  effectiveEnd: string | null;
}

export interface FrozenPeriod {
  repId: string;
  period: string;
  /** The rows that the latest true-up stored. They may be dated outside the period. Null: no true-up. */
  truedUp: LedgerRow[] | null;
}

export interface World {
  /** YYYY-MM-DD, today in the workspace's time zone. */
  asOf: string;
  workspace: {
    currency: string;
    timeZone: string;
    standard: Partial<Record<StandardName, string>>;
    measures: Record<string, string>;
    /** Default 25. */
    minQuotaPercent?: number;
    /** Default 45; null: no limit. */
    fxMaxAgeDays?: number | null;
    /** Fields whose type is `currency`. */
    currencyFields?: string[];
  };
  fiscalYears?: WorldFiscalYear[];
  absences?: WorldAbsence[];
  creditRules?: WorldCreditRule[];
  fxRates?: WorldRate[];
  tables?: WorldTable[];
  reps: WorldRep[];
  plans: WorldPlan[];
  assignments: WorldAssignment[];
  quotas: WorldQuota[];
  /** Contains only live deals. */
  deals: WorldDeal[];
  frozen: FrozenPeriod[];
  /** The ledger before the calculation. Only rows in approved periods and on stopped days have an effect. */
  storedRows: LedgerRow[];
}

/** Decimals are strings without exponent and without trailing zeros. */
export interface LedgerRow {
  repId: string;
  /** The period string, for a periodic event. */
  dealId: string;
  planId: string;
  planVersionId: string;
  ruleName: string;
  amount: string;
  base: string;
  credit: string;
  tierName: string | null;
  category: 'commission' | 'bonus';
  attainmentKey: string;
  currency: string;
  period: string;
  earnedOn: string;
  /** The s of the event. Absent: 1. */
  share?: { credit: string; pay: string };
  /** Amount before the cap minus amount after it, exactly. Absent: 0. */
  cutOff?: string;
  /** The counted lines of the event of a rule with lines. */
  lines?: RowLine[];
}

/** A counted line as refunds take it back. */
export interface RowLine {
  lineId: string;
  /** In its own currency. */
  net: string | null;
  credit: string;
  /** What it paid before limits. 0 where the deal was paid as a whole. */
  raw: string;
}
