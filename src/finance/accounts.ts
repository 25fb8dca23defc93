import { type MovementKind } from './movement.js';

/** The roles of accounts. An entity maps each of them to an account of its books. */
export const accountRoles = [
  'accrued_commission',
  'commission_receivable',
  'contract_cost',
  'unassigned',
  'draws_receivable',
  'accrued_payroll_tax',
  'accrued_estimate',
  'contract_cost_estimate',
  'commission_expense',
  'amortisation_expense',
  'impairment_expense',
  'draw_expense',
  'payroll_tax_expense',
  'write_off_expense',
  'fx_gain_loss',
  'payroll_clearing',
  'payroll_tax_clearing',
  'opening_balance',
  'datev_clearing',
] as const;
export type AccountRole = (typeof accountRoles)[number];

/** An account in the books of the entity. */
export interface Account {
  readonly number: string;
  readonly name: string;
}

export const entryKinds = [
  'opening',
  'earned',
  'adjusted',
  'correction',
  'clawback',
  'amortisation',
  'catch_up',
  'contract_end',
  'impairment',
  'topUp',
  'payment',
  'draw_recovery',
  'draw_forgiven',
  'write_off',
  'receivable',
  'exchange',
  'payroll_tax',
  'estimate',
  'estimate_reversal',
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** The account that a movement is posted against. */
export const contraAccounts: Readonly<Record<MovementKind, AccountRole>> = {
  earned: 'commission_expense',
  clawback: 'commission_expense',
  adjusted: 'commission_expense',
  topUp: 'draw_expense',
  payment: 'payroll_clearing',
  draw_recovery: 'draw_expense',
  draw_forgiven: 'draw_expense',
  amortisation: 'amortisation_expense',
  contract_end: 'impairment_expense',
  impairment: 'impairment_expense',
  opening: 'opening_balance',
  payroll_tax: 'payroll_tax_expense',
};

/** The kind of the entry of a movement that becomes known late. */
export const lateKinds: Readonly<Record<MovementKind, EntryKind>> = {
  earned: 'correction',
  clawback: 'correction',
  adjusted: 'correction',
  topUp: 'correction',
  payment: 'payment',
  draw_recovery: 'draw_recovery',
  draw_forgiven: 'draw_forgiven',
  amortisation: 'catch_up',
  contract_end: 'contract_end',
  impairment: 'impairment',
  opening: 'opening',
  payroll_tax: 'payroll_tax',
};
