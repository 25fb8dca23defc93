import { type AuditEntry } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { formatCounts } from '../../features/imports/history.js';
import { fieldWords, valueWords } from '../../features/plans/words.js';
import { formatNumber } from '../../shared/format/numbers.js';
import styles from './Settings.module.css';

type Row = Readonly<Record<string, unknown>>;

/** One changed row as the log has it. */
interface Change {
  readonly table?: string;
  readonly before?: Row | null;
  readonly after?: Row | null;
}

const maxVisible = 20;

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : valueWords(value);
}

/** How many rows the call changed. */
export function changedRows({ changes, moreChanges = 0, counts }: AuditEntry): number {
  return counts === undefined
    ? changes.length + moreChanges
    : (counts['created'] ?? 0) + (counts['changed'] ?? 0) + (counts['deleted'] ?? 0) + (counts['restored'] ?? 0);
}

/** The changed values before and after; values that stayed are left out. */
export function AuditChanges({ entry }: { readonly entry: AuditEntry }) {
  const changes = entry.changes as readonly Change[];
  const { counts } = entry;
  if (changes.length === 0 && counts === undefined) return <p className="dim">No stored row changed.</p>;
  return (
    <div className={blocks.stack}>
      {counts === undefined ? null : <p>{formatCounts(counts) || 'The file had no rows'}.</p>}
      {changes.slice(0, maxVisible).map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes of an entry have no other identity
        <ChangeTable key={index} change={change} />
      ))}
      {changes.length > maxVisible ? (
        <p className="dim">
          The first {maxVisible} of {formatNumber(changes.length + (entry.moreChanges ?? 0))} rows; the export has{' '}
          {entry.moreChanges ? `the first ${formatNumber(changes.length)}` : 'all'}.
        </p>
      ) : null}
    </div>
  );
}

function ChangeTable({ change: { table = '', before, after } }: { readonly change: Change }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter(
    (name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null),
  );
  return (
    <table className={styles.changes}>
      <caption className="unseen">Changes of {fieldWords(table)}</caption>
      <thead>
        <tr>
          <th scope="col">{fieldWords(table)}</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((name) => (
          <tr key={name}>
            <th scope="row">{fieldWords(name)}</th>
            <td translate="no">{valueText(before?.[name])}</td>
            <td translate="no">{valueText(after?.[name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
