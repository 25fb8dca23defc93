import { Button } from '../../components/Button.js';
import { TextField } from '../../components/Field.js';
import styles from './DatedFields.module.css';

/** A value of a form from a day on. */
export interface EnteredFrom {
  readonly from: string;
}

interface DatedFieldsProps<Row extends EnteredFrom> {
  /** What a row is, such as "Percentage". */
  readonly name: string;
  readonly rows: readonly Row[];
  /** A row that is added. */
  readonly blank: Row;
  /** What the day is called. Default: From. */
  readonly dayLabel?: string;
  readonly fromHint?: string;
  readonly onChange: (rows: readonly Row[]) => void;
  /** The field of the value. */
  readonly children: (row: Row, change: (part: Partial<Row>) => void) => React.ReactNode;
}

/** Values that hold from their day until the next one, which are stored together. */
export function DatedFields<Row extends EnteredFrom>(props: DatedFieldsProps<Row>) {
  const { name, rows, blank, dayLabel = 'From', fromHint, onChange, children } = props;
  const change = (index: number, part: Partial<Row>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a removal renders all rows again
        <fieldset key={index} aria-label={`${name} ${index + 1}`} className={styles.dated}>
          <TextField
            label={dayLabel}
            type="date"
            hint={fromHint}
            value={row.from}
            onChange={({ currentTarget }) => change(index, { from: currentTarget.value } as Partial<Row>)}
          />
          {children(row, (part) => change(index, part))}
          <Button
            aria-label={`Remove ${name.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...rows, blank])}>
          Add {/^[aeiou]/i.test(name) ? 'an' : 'a'} {name.toLowerCase()}
        </Button>
      </div>
    </>
  );
}
