import { type AuditEntry } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { fieldWords } from '../../plans/words.js';
import styles from './Settings.module.css';

type Row = Readonly<Record<string, unknown>>;

/** One changed row as the log has it. */
interface Change {
  readonly table?: string;
  readonly before?: Row | null;
  readonly after?: Row | null;
}

const maxShown = 20;

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The changed values before and after; values that stayed are left out. */
export function AuditChanges({ entry }: { readonly entry: AuditEntry }) {
  const changes = entry.changes as readonly Change[];
  if (changes.length === 0) return <p className="dim">No stored row changed.</p>;
  return (
    <div className={blocks.stack}>
      {changes.slice(0, maxShown).map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes of an entry have no other identity
        <ChangeTable key={index} change={change} />
      ))}
      {changes.length > maxShown ? (
        <p className="dim">
          The first {maxShown} of {changes.length} rows; the export has all.
        </p>
      ) : null}
    </div>
  );
}

function ChangeTable({ change: { table = '', before, after } }: { readonly change: Change }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => valueText(before?.[name]) !== valueText(after?.[name]));
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
            <td>{valueText(before?.[name])}</td>
            <td>{valueText(after?.[name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
