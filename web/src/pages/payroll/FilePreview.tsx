import { type PayrollFile } from '../../api/payroll-queries.js';
import { formatCount } from '../../shared/format/numbers.js';
import { layouts } from './layouts.js';
import styles from './Payroll.module.css';
import { asInFile, type FileTotal } from './sums.js';

const previewedRows = 6;

interface FilePreviewProps {
  readonly file: PayrollFile;
  readonly totals: readonly FileTotal[];
}

/** The first rows with the texts of the cells as they are in the file, and the sums of the columns. */
export function FilePreview({ file: { layout, header, rows }, totals }: FilePreviewProps) {
  const { amounts } = layouts[layout];
  const alignment = (name: string) => (amounts.includes(name) ? styles.right : undefined);
  const hiddenRows = rows.length - previewedRows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, and the keyboard must reach it
    <section className={styles.preview} aria-label="First rows of the file" tabIndex={0}>
      <table translate="no">
        <caption className="unseen">First rows of the file</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Row</span>
            </th>
            {header.map((name) => (
              <th key={name} scope="col" className={alignment(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, previewedRows).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row of a file is its position
            <tr key={index}>
              <td className="num dim">{index + 1}</td>
              {header.map((name, column) => (
                <td key={name} className={alignment(name)}>
                  {row[column]}
                </td>
              ))}
            </tr>
          ))}
          {hiddenRows > 0 || rows.length === 0 ? (
            <tr>
              <td />
              <td colSpan={header.length} className="dim">
                {rows.length === 0 ? 'No rows: no amount is approved yet' : formatCount(hiddenRows, 'more row')}
              </td>
            </tr>
          ) : null}
        </tbody>
        <tfoot>
          {totals.map((total) => (
            <TotalRow key={total.currency} total={total} hasOthers={totals.length > 1} header={header} rows={rows} />
          ))}
        </tfoot>
      </table>
    </section>
  );
}

interface TotalRowProps {
  readonly total: FileTotal;
  /** Whether the file has other currencies; then the row names its own. */
  readonly hasOthers: boolean;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function TotalRow({ total: { currency, columns }, hasOthers, header, rows }: TotalRowProps) {
  const first = header.findIndex((name) => columns.has(name));
  return (
    <tr>
      <td />
      <td colSpan={first}>Column totals{hasOthers ? ` in ${currency}` : ''}</td>
      {header.slice(first).map((name, index) => {
        const sum = columns.get(name);
        return (
          <td key={name} className={sum === undefined ? undefined : styles.right}>
            {sum === undefined
              ? null
              : asInFile(
                  sum,
                  rows.map((row) => row[first + index] ?? ''),
                )}
          </td>
        );
      })}
    </tr>
  );
}
