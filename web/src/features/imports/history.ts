import { type Answer } from '../../api/client.js';
import { type ImportRecord } from '../../api/import-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';

/** The name of the file; edits in the app and requests of the API have none. */
export function importTitle({ fileName, actor }: Pick<ImportRecord, 'fileName' | 'actor'>): string {
  return fileName ?? (actor.startsWith('rep:') ? 'Edited in the app' : 'Sent by the API');
}

const countLabels: Readonly<Record<string, string>> = {
  created: 'new',
  changed: 'changed',
  unchanged: 'unchanged',
  stale: 'older than stored',
  rejected: 'rejected',
  deleted: 'deleted',
  restored: 'restored',
};

/** What a call did with many deals, such as "4,990 new, 10 rejected". */
export function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${formatNumber(count)} ${countLabels[name] ?? name}`)
    .join(', ');
}

export type ImportedDeal = Answer<'getImport'>['deals'][number];
type Values = ImportedDeal['after'];

function describeValues({ name, amount, currency, stage, closeDate, owner }: Values): Readonly<Record<string, string>> {
  return {
    name: name ?? '–',
    amount: amount === null ? '–' : currency === null ? formatNumber(amount) : formatMoney(amount, currency),
    stage: stage ?? '–',
    'close date': closeDate === null ? '–' : formatDay(closeDate, 'year'),
    owner: owner ?? '–',
  };
}

/** The values that the import changed, such as "amount $100.00 → $150.00"; all values of a new deal. */
export function listValueChanges({ before, after }: Pick<ImportedDeal, 'before' | 'after'>): readonly string[] {
  const now = describeValues(after);
  if (before === null) return Object.values(now).filter((text) => text !== '–' && text !== now['name']);
  const was = describeValues(before);
  const changes = Object.entries(now).flatMap(([name, text]) =>
    text === was[name] ? [] : [`${name} ${was[name]} → ${text}`],
  );
  return changes.length === 0 ? ['other fields'] : changes;
}
