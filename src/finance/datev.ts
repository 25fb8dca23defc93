import { type Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type FileHead, type FileLine } from './journal-entries.js';
import { fixed } from './liability.js';

const columns = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
];

/** The journals as a DATEV batch of bookings, in Windows-1252. */
export function writeDatev(lines: readonly FileLine[], head: FileHead): Buffer {
  const entries = groupBy(
    lines.filter(({ value }) => !value.isZero()),
    ({ journalId, entry }) => `${journalId}|${entry}`,
  );
  const rows = [...entries.values()].flatMap((entry) => toBookings(entry, head));
  return windows1252([header(head), columns.join(';'), ...rows].map((row) => `${row}\r\n`).join(''));
}

/** An entry of two lines is one booking. A longer one is booked line by line against an account that ends at zero. */
function toBookings(entry: readonly FileLine[], head: FileHead): string[] {
  const [first, second] = entry;
  if (entry.length === 2 && first !== undefined && second !== undefined)
    return [toBooking(first, second.account.number, head)];
  return entry.map((line) => toBooking(line, head.datev.clearing, head));
}

function toBooking({ value, account, day, journalId, lineId, memo }: FileLine, contra: string, head: FileHead): string {
  const side = value.sign() > 0 ? 'S' : 'H';
  return [
    german(value.absolute(), head.currency),
    quoted(side),
    quoted(head.currency),
    '',
    '',
    '',
    account.number,
    contra,
    '',
    `${day.slice(8)}${day.slice(5, 7)}`,
    quoted(journalId.slice(0, 36)),
    quoted(lineId.slice(0, 12)),
    '',
    quoted(memo.slice(0, 60)),
  ].join(';');
}

function header({ month, days: { from, to }, currency, entity, datev: { consultant, client } }: FileHead): string {
  const plain = (day: string) => day.replaceAll('-', '');
  const accountLength = 4;
  return [
    quoted('EXTF'),
    700,
    21,
    quoted('Buchungsstapel'),
    13,
    `${plain(to)}000000000`,
    '',
    quoted('RE'),
    quoted(''),
    quoted(''),
    consultant,
    client,
    `${from.slice(0, 4)}0101`,
    accountLength,
    plain(from),
    plain(to),
    quoted(`${entity} ${month}`.slice(0, 30)),
    quoted(''),
    1,
    0,
    0,
    quoted(currency),
  ].join(';');
}

const german = (amount: Decimal, currency: string) => fixed(amount, currency).replace('.', ',');
const quoted = (words: string) => `"${words.replaceAll('"', '""')}"`;

/** Characters that the encoding does not have become question marks. */
function windows1252(content: string): Buffer {
  const bytes = [...content].map((character) => {
    const code = character.codePointAt(0) as number;
    if (character === '€') return 0x80;
    return code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : 0x3f;
  });
  return Buffer.from(bytes);
}
