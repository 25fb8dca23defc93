import { type Day } from '../kernel/day.js';
import { type Decimal } from '../kernel/decimal.js';

export const movementKinds = [
  'earned',
  'clawback',
  'adjusted',
  'topUp',
  'payment',
  'draw_recovery',
  'draw_forgiven',
  'amortisation',
  'contract_end',
  'impairment',
  'opening',
  'payroll_tax',
] as const;
export type MovementKind = (typeof movementKinds)[number];

/** What a movement is about. */
export interface Origin {
  readonly dealId: string | null;
  readonly planId: string | null;
  readonly ruleName: string | null;
  /** The pay period whose statement contains it. */
  readonly period: string | null;
  readonly batchId: string | null;
  readonly drawId: string | null;
}

export const noOrigin: Origin = {
  dealId: null,
  planId: null,
  ruleName: null,
  period: null,
  batchId: null,
  drawId: null,
};

/** A fact that changes what a person is owed, or owes of draws that are paid back. */
export interface Movement {
  readonly kind: MovementKind;
  /** Identifies what moves among all of the person, whatever its day and amount are. */
  readonly source: string;
  readonly day: Day;
  readonly currency: string;
  /** The change of what the person is owed. */
  readonly amount: Decimal;
  /** The change of what the person owes of draws. */
  readonly draws: Decimal;
  /** The change of the asset, in the currency of the entity. */
  readonly asset: Decimal;
  /** Policies decide about such rows, and none about this one. */
  readonly isUnassigned?: true;
  readonly origin: Origin;
}

const sourceKinds: Readonly<Record<string, MovementKind>> = {
  earned: 'earned',
  clawback: 'clawback',
  adjusted: 'adjusted',
  topUp: 'topUp',
  payment: 'payment',
  recovery: 'draw_recovery',
  forgiven: 'draw_forgiven',
  amortisation: 'amortisation',
  contract_end: 'contract_end',
  impairment: 'impairment',
  opening: 'opening',
  payroll_tax: 'payroll_tax',
};

/** The kind of what moves; null for what no movement posts, such as the receivable. */
export function kindOfSource(source: string): MovementKind | null {
  return sourceKinds[source.slice(0, source.indexOf('|'))] ?? null;
}
