import { type Decimal } from '../kernel/decimal.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type Lot } from './lot.js';
import { type Month } from './month.js';

/** What a lot is about: a row, or what another system has left of one. */
export type LotRow = Pick<PayableRow, 'repId' | 'key' | 'dealKey' | 'planId' | 'ruleName' | 'day' | 'frozen'>;

/** A lot with the row that it was made from. */
export interface RowLot extends Lot {
  readonly row: LotRow;
  /** The name of the policy; null for a lot that began in another system. */
  readonly policy: string | null;
  /** The part of its cost that is payroll tax. */
  readonly tax: Decimal;
}

/** What tests of impairment write down of the lot of a row in an entity, by month. */
export type WrittenDownOf = (entity: string, row: Pick<LotRow, 'repId' | 'key'>) => ReadonlyMap<Month, Decimal>;
