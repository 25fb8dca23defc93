import { api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { type DealFilter } from '../../api/queries.js';
import { byteOrderMark, csvText } from '../imports/table.js';
import { listAllDeals } from './all-deals.js';
import { dealRows } from './deal-file.js';

/** Saves every deal that the filter matches as a CSV file. */
export async function downloadDeals(filter: DealFilter, onProgress: (ratio: number) => void): Promise<void> {
  const { reps } = await api.listReps({});
  const { standard } = await api.getFieldMapping();
  const emails = new Map(reps.map(({ id, email }) => [id, email]));
  const rows = dealRows(await listAllDeals(filter, onProgress), emails, standard);
  saveFile(new Blob([byteOrderMark, csvText(rows)], { type: 'text/csv' }), 'deals.csv');
}
