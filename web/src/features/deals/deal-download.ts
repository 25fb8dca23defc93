import { api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { type Deal, type DealFilter } from '../../api/queries.js';
import { byteOrderMark, csvText } from '../imports/table.js';
import { dealRows } from './deal-file.js';

/** Saves every deal that the filter matches, page by page, as a CSV file. */
export async function downloadDeals(filter: DealFilter, onProgress: (ratio: number) => void): Promise<void> {
  const { limit: _, offset: __, ...matching } = filter;
  const { reps } = await api.listReps({});
  const deals: Deal[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await api.listDeals({ query: { ...matching, limit: '500', after: deals.at(-1)?.deal_id ?? '' } });
    deals.push(...page.deals);
    isLast = page.deals.length < 500;
    onProgress(deals.length / Math.max(1, page.count));
  }
  const rows = dealRows(deals, new Map(reps.map(({ id, email }) => [id, email])));
  saveFile(new Blob([byteOrderMark, csvText(rows)], { type: 'text/csv' }), 'deals.csv');
}
