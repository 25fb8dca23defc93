import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Alignment, type CellValue, type Row, type stream, type Worksheet } from 'exceljs';
import { currencyDigits } from '../../kernel/currency.js';
import { type Day } from '../../kernel/day.js';
import { printable } from './html.js';

/** A cell. Text may come from users; all other values come from the service. */
export type WorkbookCell =
  | { readonly text: string | null }
  | { readonly money: string; readonly currency: string; readonly bold?: boolean }
  | { readonly count: string | number | null }
  | { readonly ratio: string | null }
  | { readonly day: Day | null }
  | { readonly instant: Date | null }
  /** The sum of a column's rows, with its known result. */
  | { readonly sumOf: SummedCells; readonly money: string; readonly currency: string };

interface SummedCells {
  readonly column: number;
  readonly fromRow: number;
  readonly toRow: number;
}

export interface WorkbookColumn {
  readonly title: string;
  /** Width in characters. */
  readonly width: number;
  readonly align?: 'right';
}

/**
 * The sheets of a workbook are in the order of their creation and are stored in the order of their first rows: an
 * open sheet keeps all later ones in memory until it is closed.
 */
export interface Sheet {
  /** The number of the next row. */
  readonly nextRow: number;
  row(cells: readonly WorkbookCell[], style?: 'bold'): void;
  close(): void;
}

/** Neutralizes text that a spreadsheet could interpret as a formula. */
type EscapeFormula = (text: string) => string;

/**
 * Writes a workbook row by row into a stream, so that memory does not grow with the rows. The library is loaded on
 * first use, since loading takes half a second.
 */
export class WorkbookWriter {
  private constructor(
    private readonly workbook: stream.xlsx.WorkbookWriter,
    private readonly out: PassThrough,
    private readonly escapeFormula: EscapeFormula,
    private readonly paper: 'A4' | 'Letter',
  ) {}

  /** Streams the file while `write` fills it; an error of `write` fails the stream. */
  static stream(
    terms: { readonly escapeFormula: EscapeFormula; readonly paper: 'A4' | 'Letter'; readonly createdAt: Date },
    write: (workbook: WorkbookWriter) => Promise<void>,
  ): Readable {
    const out = new PassThrough();
    void WorkbookWriter.fill(out, terms, write).catch((error: unknown) => out.destroy(error as Error));
    return out;
  }

  private static async fill(
    out: PassThrough,
    { escapeFormula, paper, createdAt }: Parameters<typeof WorkbookWriter.stream>[0],
    write: (workbook: WorkbookWriter) => Promise<void>,
  ): Promise<void> {
    const { default: exceljs } = await import('exceljs');
    const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream: out, useStyles: true });
    workbook.creator = 'Commission service';
    workbook.created = createdAt;
    workbook.modified = createdAt;
    await write(new WorkbookWriter(workbook, out, escapeFormula, paper));
    await workbook.commit();
  }

  /** Resolves when the written rows have been flushed and more may be written. */
  async drained(): Promise<void> {
    await yieldToEventLoop();
    if (this.out.writableNeedDrain) await once(this.out, 'drain');
  }

  /** A sheet with a frozen bold header that is repeated on every printed page, and a filter over its columns. */
  sheet(name: string, columns: readonly WorkbookColumn[]): Sheet {
    const sheet = this.workbook.addWorksheet(name, {
      views: [{ state: 'frozen', ySplit: 1 }],
      pageSetup: {
        paperSize: (this.paper === 'A4' ? 9 : 1) as never,
        orientation: 'landscape',
        fitToPage: true,
        fitToWidth: 1,
        fitToHeight: 0,
        printTitlesRow: '1:1',
      },
      headerFooter: { oddFooter: '&L&A&RPage &P of &N' },
    });
    sheet.columns = columns.map(({ width }) => ({ width }));
    sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: columns.length } };
    let begun = false;
    const begin = () => {
      if (begun) return;
      begun = true;
      writeHeader(sheet, columns);
    };
    let nextRow = 2;
    return {
      get nextRow() {
        return nextRow;
      },
      row: (cells, style) => {
        begin();
        const row = sheet.addRow([]);
        cells.forEach((cell, index) => {
          this.fillCell(row, index + 1, cell);
        });
        if (style === 'bold') row.font = { bold: true };
        row.commit();
        nextRow += 1;
      },
      close: () => {
        begin();
        sheet.commit();
      },
    };
  }

  private fillCell(row: Row, column: number, cell: WorkbookCell): void {
    const at = row.getCell(column);
    if ('text' in cell) {
      if (cell.text !== null && cell.text !== '')
        at.value = escaped(this.escapeFormula(printable(cell.text)).slice(0, maxTextLength));
      at.alignment = topLeft;
      return;
    }
    const value = cellValue(cell);
    if (value !== null) at.value = value;
    at.numFmt = cellFormat(cell);
  }
}

type FormattedCell = Exclude<WorkbookCell, { readonly text: string | null }>;

function cellValue(cell: FormattedCell): CellValue {
  if ('sumOf' in cell) {
    // The writer stores no result of 0, which programs that do not calculate would show as an empty cell.
    if (Number(cell.money) === 0) return 0;
    const { column, fromRow, toRow } = cell.sumOf;
    const letter = columnLetter(column);
    return { formula: `SUM(${letter}${fromRow}:${letter}${toRow})`, result: Number(cell.money) };
  }
  if ('money' in cell) return Number(cell.money);
  if ('instant' in cell) return cell.instant;
  if ('day' in cell) return cell.day === null ? null : new Date(`${cell.day}T00:00:00Z`);
  const number = 'ratio' in cell ? cell.ratio : cell.count;
  return number === null ? null : Number(number);
}

function cellFormat(cell: FormattedCell): string {
  if ('money' in cell) return moneyFormat(cell.currency);
  if ('ratio' in cell) return '0.00##%';
  if ('count' in cell) return countFormat(Number(cell.count ?? 0));
  return 'day' in cell ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm';
}

function writeHeader(sheet: Worksheet, columns: readonly WorkbookColumn[]): void {
  const header = sheet.addRow(columns.map(({ title }) => title));
  header.font = { bold: true };
  columns.forEach(({ align }, index) => {
    if (align !== undefined) header.getCell(index + 1).alignment = { horizontal: align };
  });
  header.commit();
}

/** In a workbook, `_x0041_` stands for the letter A, so text that looks so is escaped. */
function escaped(text: string): string {
  return text.replace(/_(?=x[0-9A-F]{4}_)/gi, '_x005F_');
}

/** Max length of a cell's text. */
const maxTextLength = 32_000;
const topLeft: Partial<Alignment> = { vertical: 'top', horizontal: 'left' };

/** `#,##0.00;[Red]-#,##0.00` with as many decimals as the currency has. */
export function moneyFormat(currency: string): string {
  const digits = currencyDigits(currency);
  const plain = digits === 0 ? '#,##0' : `#,##0.${'0'.repeat(digits)}`;
  return `${plain};[Red]-${plain}`;
}

/**
 * Excel shows the dot of an optional decimal part also without decimals, so whole numbers have a format of their
 * own.
 */
function countFormat(count: number): string {
  return Number.isInteger(count) ? '#,##0' : '#,##0.######';
}

function columnLetter(column: number): string {
  const rest = (column - 1) % 26;
  const letter = String.fromCharCode(65 + rest);
  return column > 26 ? columnLetter((column - 1 - rest) / 26) + letter : letter;
}
