import { Fragment, useRef } from 'react';
import styles from './DataCards.module.css';
import { type Column, computeLook, type DataTableProps, renderBelow, startsGroup } from './DataTable.js';
import { useVisibleRows } from './visible-rows.js';

const cardHeight = 57;

/** The rows of a table on a phone: title and amount, below them details. */
export function DataCards<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, total } = props;
  const lead = columns.find((column) => column.phone === 'lead');
  const list = useRef<HTMLUListElement>(null);
  const { from, to } = useVisibleRows(list, rows.length, cardHeight);
  return (
    <>
      <ul ref={list} aria-label={caption}>
        {from > 0 ? <li aria-hidden="true" style={{ height: from * cardHeight }} /> : null}
        {rows.slice(from, to).map((row, index) => (
          <Fragment key={rowKey(row)}>
            {startsGroup(rows, from + index, props.groups) ? (
              <li className={styles.group}>{props.groups?.head(row)}</li>
            ) : null}
            <li className={styles[computeLook(rowKey(row), props) ?? 'card']}>
              <div className={styles.facts}>
                {lead?.cell(row)}
                <div className={styles.lines}>
                  <CardLine row={row} columns={columns} left="title" right="amount" />
                  <CardLine row={row} columns={columns} left="detail" right="note" />
                </div>
              </div>
              {renderBelow(row, props)}
            </li>
          </Fragment>
        ))}
        {to < rows.length ? <li aria-hidden="true" style={{ height: (rows.length - to) * cardHeight }} /> : null}
      </ul>
      {total === undefined ? null : (
        <div className={styles.total}>
          {columns.map(({ key, phone }) =>
            total[key] === undefined || phone === undefined ? null : <span key={key}>{total[key]}</span>,
          )}
        </div>
      )}
    </>
  );
}

interface CardLineProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly left: 'title' | 'detail';
  readonly right: 'amount' | 'note';
}

function CardLine<Row>({ row, columns, left, right }: CardLineProps<Row>) {
  const cells = (position: Column<Row>['phone']) => columns.filter((column) => column.phone === position);
  if (cells(left).length + cells(right).length === 0) return null;
  return (
    <div className={styles[left]}>
      <span className={styles.left}>
        {cells(left).map((column) => (
          <span key={column.key}>{column.cell(row)}</span>
        ))}
      </span>
      <span className={styles.right}>
        {cells(right).map((column) => (
          <span key={column.key}>{column.cell(row)}</span>
        ))}
      </span>
    </div>
  );
}
