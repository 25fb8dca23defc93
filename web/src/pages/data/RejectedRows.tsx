import { IconDownload } from '@tabler/icons-react';
import { saveFile } from '../../api/download.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineInput } from '../../components/Inline.js';
import { type Rejected, skipColumn } from '../../features/imports/kind.js';
import { byteOrderMark, csvText } from '../../features/imports/table.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import styles from './Import.module.css';
import { correctionKey, type Import } from './use-import.js';

/** Rows that can be corrected in place; the others are in the file to download. */
const maxVisible = 100;

/** The rejected rows with the reason, which can be corrected here or in the downloaded file. */
export function RejectedRows({
  currentImport,
  rejected,
}: {
  readonly currentImport: Import;
  readonly rejected: readonly Rejected[];
}) {
  const reasons = new Map<number, string>();
  for (const { row, reason } of rejected) if (!reasons.has(row)) reasons.set(row, reason);
  const rows = [...reasons.keys()];
  return (
    <section className={blocks.stack} aria-label="Rejected rows">
      <div className={styles.panelHead}>
        <h2>Rejected, {formatCount(rows.length, 'row')}</h2>
        <Button icon={IconDownload} onClick={() => download(currentImport, reasons)}>
          Download
        </Button>
      </div>
      <p className="dim">Correct the cells here, or in the downloaded file and import that file.</p>
      <DataTable
        caption="Rejected rows"
        columns={buildColumns(currentImport, reasons)}
        rows={rows.slice(0, maxVisible)}
        rowKey={String}
        rowHeight={45}
      />
      {rows.length > maxVisible ? (
        <p className="dim">
          The first {maxVisible} of {formatNumber(rows.length)} rows.
        </p>
      ) : null}
    </section>
  );
}

/** The cell as it is in the file, or as the person corrected it. */
function readCell({ file, state }: Import, row: number, index: number): string {
  return state.corrections[correctionKey(row, index)] ?? file.rows[row - 1]?.[index] ?? '';
}

function buildColumns(currentImport: Import, reasons: ReadonlyMap<number, string>): readonly Column<number>[] {
  const { file, state, change } = currentImport;
  const used = state.columns.flatMap((target, index) => (target === skipColumn ? [] : [index])).slice(0, 6);
  return [
    { key: 'row', header: 'Row', width: '56px', phone: 'title', cell: (row) => <span className="num">{row}</span> },
    {
      key: 'reason',
      header: 'Why',
      phone: 'detail',
      cell: (row) => <span className={styles.reason}>{reasons.get(row)}</span>,
    },
    ...used.map((index): Column<number> => {
      const name = file.header[index] ?? '';
      return {
        key: String(index),
        header: name,
        phone: 'note',
        cell: (row) => (
          <InlineInput
            label={`${name} of row ${row}`}
            value={readCell(currentImport, row, index)}
            onChange={({ currentTarget }) =>
              change({ corrections: { ...state.corrections, [correctionKey(row, index)]: currentTarget.value } })
            }
          />
        ),
      };
    }),
  ];
}

/** The rows of the file with their corrections, and the reason in a further column. */
function download(currentImport: Import, reasons: ReadonlyMap<number, string>): void {
  const { file, kind } = currentImport;
  const rows = [...reasons].map(([row, reason]) => [
    ...file.header.map((_, index) => readCell(currentImport, row, index)),
    reason,
  ]);
  const text = csvText([[...file.header, 'Rejected because'], ...rows], file.delimiter);
  saveFile(new Blob([byteOrderMark, text], { type: 'text/csv' }), `${kind.key}-rejected.csv`);
}
