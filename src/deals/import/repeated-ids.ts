import { idLengths } from '../../kernel/opportunity-id.js';
import { type ImportRow, withDealId } from './import-row.js';

/**
 * Rejects rows with the id of an earlier row of the file. The newer of two rows applies if both say when they changed;
 * otherwise it is unknown which of them is right.
 */
export class RepeatedIds {
  private readonly firstRows = new Map<
    string,
    { readonly row: number; readonly dealId: string; readonly isDated: boolean }
  >();

  check(row: ImportRow): ImportRow {
    if (!('deal' in row)) return row;
    const { dealId, sourceUpdatedAt } = row.deal;
    const isDated = sourceUpdatedAt !== null;
    const key = idLengths(dealId)?.long ?? dealId;
    const first = this.firstRows.get(key);
    if (first === undefined) {
      this.firstRows.set(key, { row: row.row, dealId, isDated });
      return row;
    }
    if (first.isDated && isDated) return withDealId(row, first.dealId);
    return { row: row.row, dealId, reason: `${dealId}: row ${first.row} has the same id` };
  }
}
