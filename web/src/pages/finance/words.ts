import { type AccountingMonth, type Company, type JournalLine, type LiabilityRow } from '../../api/finance-queries.js';

export type Movement =
  | 'earned'
  | 'corrections'
  | 'adjustments'
  | 'takenBack'
  | 'topUps'
  | 'recovered'
  | 'paid'
  | 'writtenOff';

/** What moves the liability, in the order of the roll-forward. */
export const movements: readonly (readonly [Movement, string])[] = [
  ['earned', 'Earned'],
  ['corrections', 'Corrections of earlier months'],
  ['adjustments', 'Adjustments'],
  ['takenBack', 'Taken back'],
  ['topUps', 'Guarantees and advances'],
  ['recovered', 'Kept for draws'],
  ['paid', 'Paid'],
  ['writtenOff', 'Written off'],
];

export const states: readonly (readonly [keyof LiabilityRow['states'], string])[] = [
  ['waiting', 'Waiting'],
  ['held', 'Held'],
  ['payable', 'Payable'],
  ['approved', 'Approved'],
  ['inBatch', 'In an open batch'],
  ['toRecover', 'To recover'],
];

export const kinds: Readonly<Record<JournalLine['kind'], string>> = {
  opening: 'Opening balance',
  earned: 'Earned',
  adjusted: 'Adjustment',
  correction: 'Correction',
  clawback: 'Taken back',
  amortisation: 'Amortisation',
  catch_up: 'Amortisation of earlier months',
  contract_end: 'End of a contract',
  impairment: 'Impairment',
  topUp: 'Guarantee or advance',
  payment: 'Paid',
  draw_recovery: 'Kept for a draw',
  draw_forgiven: 'Draw forgiven',
  write_off: 'Written off',
  receivable: 'Owed by the person',
  exchange: 'Exchange difference',
  payroll_tax: 'Payroll tax',
  estimate: 'Estimate',
  estimate_reversal: 'Reversal of an estimate',
};

type Finding =
  | AccountingMonth['checklist']['blocking'][number]['code']
  | AccountingMonth['checklist']['warnings'][number]['code'];

/** A point of the checklist in words, with the page where it is solved. */
export const findings: Readonly<Record<Finding, { readonly words: string; readonly to?: string }>> = {
  close_in_order: { words: 'An earlier month is open' },
  month_not_over: { words: 'The month has not ended' },
  no_fiscal_period: { words: 'Its fiscal year is not defined', to: '/fiscal-calendar' },
  calculation_pending: { words: 'Commission is being calculated', to: '/recalculations' },
  unassigned_lots: { words: 'Rows about which no policy decides' },
  policy_proposed: { words: 'Policies that wait for an approval' },
  fx_rate_missing: { words: 'Exchange rates are missing', to: '/fx-rates' },
  open_discrepancies: { words: 'Open discrepancies', to: '/discrepancies' },
  open_disputes: { words: 'Open questions', to: '/questions' },
  statements_not_approved: { words: 'Statements that are not approved', to: '/payroll' },
  receivables: { words: 'People who owe' },
  receivables_of_leavers: { words: 'People who have left and owe' },
  contracts_changed: { words: 'Contracts that were changed after the latest closing' },
  estimates_missing: { words: 'Estimates of the month before without one of this month' },
};

export const accountNames = {
  accrued_commission: 'Accrued commission',
  commission_receivable: 'Commission receivable',
  contract_cost: 'Contract cost, an asset',
  unassigned: 'Rows without a policy',
  draws_receivable: 'Draws receivable',
  accrued_estimate: 'Estimates accrued',
  contract_cost_estimate: 'Contract cost that is estimated',
  accrued_payroll_tax: 'Accrued payroll tax',
  commission_expense: 'Commission expense',
  amortisation_expense: 'Amortisation expense',
  impairment_expense: 'Impairment expense',
  draw_expense: 'Guarantees and forgiven draws',
  payroll_tax_expense: 'Payroll tax expense',
  write_off_expense: 'Debts written off',
  fx_gain_loss: 'Exchange gains and losses',
  payroll_clearing: 'Payroll clearing',
  payroll_tax_clearing: 'Payroll tax clearing',
  opening_balance: 'Opening balance',
  datev_clearing: 'DATEV clearing',
} as const satisfies Readonly<Record<JournalLine['account'], string>>;

export const frameworks: Readonly<Record<Company['framework'], string>> = {
  us_gaap: 'US GAAP',
  ifrs: 'IFRS',
  frs102: 'FRS 102',
};
