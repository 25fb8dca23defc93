import { IconFileUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { usePersistedState } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { TextArea } from '../../components/Field.js';
import { readTable, readText } from '../../features/imports/table.js';
import styles from './Import.module.css';
import { type Import } from './use-import.js';

/** A file, dropped or chosen, or pasted cells. */
export function FileStep({ currentImport }: { readonly currentImport: Import }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [pasted, setPasted, clear] = usePersistedState(`pasted:${currentImport.kind.key}`, '');
  const open = (text: string, name: string) => {
    const { header, rows } = readTable(text);
    if (header.length === 0 || rows.length === 0) setProblem(`${name} has no rows below the names of the columns.`);
    else {
      clear();
      currentImport.openText(text, name);
    }
  };
  return (
    <div className={styles.sources}>
      <FileDrop
        onFile={async (file) => {
          if (/\.(xlsx?|ods|numbers)$/i.test(file.name))
            setProblem(`${file.name} is a workbook. Save it as CSV, or copy its cells and paste them.`);
          else open(await readText(file), file.name);
        }}
      />
      <form
        className={styles.paste}
        onSubmit={(event) => {
          event.preventDefault();
          open(pasted, 'Pasted cells');
        }}
      >
        <TextArea
          label="Or paste cells of a spreadsheet, with the names of the columns"
          rows={8}
          spellCheck={false}
          placeholder={currentImport.kind.example.map((row) => row.join('\t')).join('\n')}
          value={pasted}
          onChange={({ currentTarget }) => setPasted(currentTarget.value)}
        />
        <Button type="submit" disabled={pasted.trim() === ''}>
          Use pasted cells
        </Button>
      </form>
      {problem === null ? null : (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}

function FileDrop({ onFile }: { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      className={`${styles.drop} ${isOver ? styles.isOver : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file !== undefined) onFile(file);
      }}
    >
      <IconFileUpload size={28} stroke={1.5} className="dim" aria-hidden="true" />
      <p className="strong">Drop a CSV file here</p>
      <Button kind="primary" size="final" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="File"
        className="unseen"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // The browser would not report that the same file is chosen again, such as a corrected one.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
