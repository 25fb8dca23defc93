import { isCalendarDay } from '../../kernel/day.js';

/** A cell as text or as a whole number; null is SQL null. */
export type Cell = string | number | null;

/**
 * One array parameter in PostgreSQL's binary format, with the type in which it arrives. The server decodes it in a
 * fifth of the time that it needs to split and parse text, and no string per cell is created here. Types without an
 * encoding arrive as text; the caller casts them.
 */
export function binaryArray(
  type: string,
  cells: readonly Cell[],
): { readonly parameter: Buffer; readonly type: string } {
  const sentType = Object.hasOwn(encodings, type) ? type : 'text';
  const { oid, write } = encodings[sentType] as Encoding;
  const writer = new Writer();
  writer.int32(1);
  writer.int32(cells.includes(null) ? 1 : 0);
  writer.int32(oid);
  writer.int32(cells.length);
  writer.int32(1);
  for (const cell of cells) {
    if (cell === null) writer.int32(-1);
    else write(writer, cell);
  }
  return { parameter: writer.written(), type: sentType };
}

interface Encoding {
  readonly oid: number;
  /** Writes the length in bytes, then the value. */
  write(writer: Writer, cell: string | number): void;
}

const epochOfDates = Date.UTC(2000, 0, 1);
const msInDay = 86_400_000;

const encodings: Readonly<Record<string, Encoding>> = {
  text: { oid: 25, write: (writer, cell) => writer.text(String(cell)) },
  uuid: {
    oid: 2950,
    write: (writer, cell) => {
      writer.int32(16);
      writer.uuid(String(cell));
    },
  },
  date: {
    oid: 1082,
    write: (writer, cell) => {
      if (!isCalendarDay(String(cell))) throw new RangeError(`not a day: ${String(cell).slice(0, 40)}`);
      writer.int32(4);
      writer.int32((Date.parse(String(cell)) - epochOfDates) / msInDay);
    },
  },
  integer: {
    oid: 23,
    write: (writer, cell) => {
      writer.int32(4);
      writer.int32(Number(cell));
    },
  },
};

/** Shared buffer. Arrays are written one after another, and each is copied out at its size. */
let buffer = Buffer.allocUnsafeSlow(64 * 1024);

class Writer {
  private length = 0;

  int32(value: number): void {
    this.ensure(4);
    this.length = buffer.writeInt32BE(value, this.length);
  }

  text(value: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    this.ensure(4 + value.length * 3);
    const start = this.length + 4;
    const bytes = buffer.write(value, start);
    buffer.writeInt32BE(bytes, this.length);
    this.length = start + bytes;
  }

  /** Writes 16 bytes from 32 hexadecimal digits with or without hyphens. */
  uuid(value: string): void {
    this.ensure(16);
    const bytes = buffer;
    const end = this.length + 16;
    let at = this.length;
    let seen = 0;
    for (let index = 0; index < value.length && at < end; index += 2) {
      if (value.charCodeAt(index) === hyphenCode) index += 1;
      const high = digits[value.charCodeAt(index)] ?? noDigit;
      const low = digits[value.charCodeAt(index + 1)] ?? noDigit;
      seen |= high | low;
      bytes[at] = (high << 4) | low;
      at += 1;
    }
    if (seen >= noDigit || at < end || value.length > 36) throw new RangeError(`not a UUID: ${value.slice(0, 40)}`);
    this.length = at;
  }

  written(): Buffer {
    return Buffer.from(buffer.subarray(0, this.length));
  }

  private ensure(bytes: number): void {
    if (this.length + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, this.length + bytes));
    buffer.copy(larger, 0, 0, this.length);
    buffer = larger;
  }
}

const hyphenCode = 45;

const noDigit = 16;

/** Values of the hexadecimal digits by character code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? noDigit : value;
});
