import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useRef } from 'react';
import { phone } from '../shared/theme/breakpoints.js';
import { DataCards } from './DataCards.js';
import styles from './DataTable.module.css';
import { Spacer } from './Spacer.js';
import { type SortValue, sortedRows } from './sorted-rows.js';
import { useVisibleRows } from './visible-rows.js';

export interface Column<Row> {
  readonly key: string;
  readonly header: React.ReactNode;
  /** Numbers are right-aligned. */
  readonly align?: 'left' | 'right';
  readonly width?: string;
  readonly cell: (row: Row) => React.ReactNode;
  /** The value to sort by; without it the column cannot be sorted. */
  readonly sortBy?: (row: Row) => SortValue;
  /** Where a phone displays the cell: title and amount above, detail and note below, lead before. Default: nowhere. */
  readonly phone?: 'lead' | 'title' | 'amount' | 'detail' | 'note';
}

export interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The row that is marked, such as the one in the drawer. */
  readonly markedKey?: string | null;
  /** Rows that are selected, which have a tint. */
  readonly selectedKeys?: ReadonlySet<string>;
  /** Cells of the last line, by column key. */
  readonly total?: Readonly<Record<string, React.ReactNode>>;
  /** Lines that follow a row over the full width, such as a warning. */
  readonly below?: (row: Row) => React.ReactNode;
  /** Which rows have something below. Default: those for which `below` returns something. */
  readonly hasBelow?: (row: Row) => boolean;
  /** Height of a row in pixels, for long tables: 33 with one line, 50 with two. */
  readonly rowHeight?: number;
  /** Padding at the left and right edge: inside of a card 24, otherwise 0. */
  readonly isInset?: boolean;
  /** Whether the rows come in the order of the address, because they are a page of a longer list. */
  readonly isSorted?: boolean;
  /** Divides the rows, which are in the order of their groups: the head precedes the first row of each group. */
  readonly groups?: RowGroups<Row>;
}

interface RowGroups<Row> {
  readonly keyOf: (row: Row) => string;
  /** The head of the group that begins with the row. */
  readonly head: (row: Row) => React.ReactNode;
}

interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/**
 * A table of any length: `j` and `k` move between rows and `Enter` opens one. A row opens the cell with
 * {@link rowAction}. On a phone every row becomes a card.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const [sorting, setSorting] = useSorting();
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const rows = props.isSorted === true ? props.rows : sorted(props.rows, props.columns, sorting);
  return (
    <div className={props.isInset ? styles.inset : undefined}>
      {isPhone ? (
        <DataCards {...props} rows={rows} />
      ) : (
        <WideTable {...props} rows={rows} sorting={sorting} onSort={setSorting} />
      )}
    </div>
  );
}

/** The sorting is in the address, so that it is the same after a reload and on the way back. */
function useSorting(): readonly [Sorting | null, (sorting: Sorting) => void] {
  const { sort } = useSearch({ strict: false }) as { readonly sort?: string };
  const navigate = useNavigate();
  const sorting = sort === undefined ? null : { key: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') };
  const change = ({ key, isDescending }: Sorting) =>
    void navigate({
      to: '.',
      search: ((search: object) => ({ ...search, sort: `${isDescending ? '-' : ''}${key}` })) as never,
      replace: true,
    });
  return [sorting, change];
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null): readonly Row[] {
  const sortBy = columns.find(({ key }) => key === sorting?.key)?.sortBy;
  return sorting === null || sortBy === undefined ? rows : sortedRows(rows, sortBy, sorting.isDescending);
}

interface WideTableProps<Row> extends DataTableProps<Row> {
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting) => void;
}

function WideTable<Row>(props: WideTableProps<Row>) {
  const { caption, columns, rows, rowKey, total, rowHeight = 33, sorting, onSort } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to } = useVisibleRows(body, rows.length, rowHeight);
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-rowcount={rows.length}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer height={from * rowHeight} />
          {rows.slice(from, to).map((row, index) => (
            <Fragment key={rowKey(row)}>
              {startsGroup(rows, from + index, props.groups) ? (
                <tr className={styles.group}>
                  <th colSpan={columns.length} scope="rowgroup">
                    {props.groups?.head(row)}
                  </th>
                </tr>
              ) : null}
              <TableRow
                row={row}
                columns={columns}
                look={computeLook(rowKey(row), props)}
                below={renderBelow(row, props)}
              />
            </Fragment>
          ))}
          <Spacer height={(rows.length - to) * rowHeight} />
        </tbody>
        {total === undefined ? null : (
          <tfoot>
            <tr>
              {columns.map(({ key, align }) => (
                <td key={key} className={align === 'right' ? styles.right : undefined}>
                  {total[key]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting) => void;
}

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const { key, header, align, width, sortBy } = column;
  const direction = sorting?.key === key ? (sorting.isDescending ? 'descending' : 'ascending') : undefined;
  const Arrow = direction === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <th scope="col" className={align === 'right' ? styles.right : undefined} style={{ width }} aria-sort={direction}>
      {sortBy === undefined ? (
        header
      ) : (
        <button
          type="button"
          className={styles.sort}
          onClick={() => onSort({ key, isDescending: direction === 'ascending' })}
        >
          {header}
          {direction === undefined ? null : <Arrow size={12} aria-hidden="true" />}
        </button>
      )}
    </th>
  );
}

export function startsGroup<Row>(rows: readonly Row[], index: number, groups: RowGroups<Row> | undefined): boolean {
  if (groups === undefined) return false;
  const [before, row] = [rows[index - 1], rows[index] as Row];
  return before === undefined || groups.keyOf(before) !== groups.keyOf(row);
}

/** What follows the row over the full width. */
export function renderBelow<Row>(row: Row, { below, hasBelow }: DataTableProps<Row>): React.ReactNode {
  return hasBelow?.(row) === false ? null : below?.(row);
}

/** How a row is highlighted. */
export function computeLook(
  key: string,
  { markedKey, selectedKeys }: { readonly markedKey?: string | null; readonly selectedKeys?: ReadonlySet<string> },
): 'marked' | 'selected' | undefined {
  if (markedKey === key) return 'marked';
  return selectedKeys?.has(key) === true ? 'selected' : undefined;
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly look: 'marked' | 'selected' | undefined;
  readonly below: React.ReactNode;
}

function TableRow<Row>({ row, columns, look, below }: TableRowProps<Row>) {
  return (
    <>
      <tr className={look === undefined ? undefined : styles[look]} data-has-below={below ? true : undefined}>
        {columns.map(({ key, align, cell }) => (
          <td key={key} className={align === 'right' ? styles.right : undefined}>
            {cell(row)}
          </td>
        ))}
      </tr>
      {below ? (
        <tr className={styles.below}>
          <td colSpan={columns.length}>{below}</td>
        </tr>
      ) : null}
    </>
  );
}
