import { type ImportRow } from './import-row.js';

/**
 * Rejects rows with the id of an earlier row of the file. The newer of two rows applies if both say when they changed;
 * otherwise it is unknown which of them is right.
 */
export class RepeatedIds {
  private readonly firstRows = new Map<string, { readonly row: number; readonly isDated: boolean }>();

  check(row: ImportRow): ImportRow {
    if (!('deal' in row)) return row;
    const { dealId, sourceUpdatedAt } = row.deal;
    const isDated = sourceUpdatedAt !== null;
    const first = this.firstRows.get(dealId);
    if (first === undefined) {
      this.firstRows.set(dealId, { row: row.row, isDated });
      return row;
    }
    if (first.isDated && isDated) return row;
    return { row: row.row, dealId, reason: `${dealId}: row ${first.row} has the same id` };
  }
}
