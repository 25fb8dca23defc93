import { parse } from 'csv-parse/sync';
import { Decimal } from '#src/kernel/decimal.js';
import { sumsByCurrency } from '#src/kernel/sums-by-currency.js';
import { lineTitles, statusText } from '#src/statements/payslip-words.js';
import { download, readRows, readWorkbook, unzipped } from '../downloads.js';
import { pdfText } from '../pdf-tools.js';
import { until } from '../until.js';
import { type Figures, shownPeriod } from './features.js';
import { type SurfaceWorld } from './world.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** What a surface shows about a person: the figures by name, and its text. */
export interface Shown extends Partial<Omit<Figures, 'words' | 'deal' | 'status'>> {
  readonly status?: string;
  readonly text: string;
}
type Reader = (world: SurfaceWorld, person: string) => Promise<Shown>;

/** "USD 1234.50" of an amount and its currency. */
const written = (currency: string, amount: string | number) => `${currency} ${fixed(String(amount))}`;

function fixed(amount: string): string {
  const [whole = '0', digits = ''] = Decimal.of(amount.replaceAll(',', '').replace('−', '-')).toString().split('.');
  return `${whole}.${digits.padEnd(2, '0')}`;
}

const sums = (amounts: readonly { currency: string; amount: Loose }[]) =>
  [...sumsByCurrency(amounts.map(({ currency, amount }) => ({ currency, amount: String(amount) })))].map(
    ([currency, amount]) => written(currency, amount.toString()),
  );

const nonZero = (texts: readonly string[]) => texts.filter((text) => !/ 0\.00$/.test(text));

function headline({ pays, earned, owed, status, amounts }: Loose): Omit<Shown, 'text'> {
  const paid = nonZero(amounts.map(({ currency, paid: amount }: Loose) => written(currency, amount)));
  return {
    payable: pays.map(({ currency, amount }: Loose) => written(currency, amount)).join(),
    earned: sums(earned),
    status,
    ...one('owed', sums(owed)),
    ...one('paid', paid),
  };
}

function one(name: 'owed' | 'paid' | 'waiting' | 'held', texts: readonly string[]): Partial<Shown> {
  return texts.length === 0 ? {} : { [name]: texts.join() };
}

function payslip({ payslip: slip, lineItems }: Loose): Shown {
  const [part] = slip.parts;
  const lines = (part?.lines ?? []).slice(1, -1);
  const inStatus = (status: string) => sums(slip.notPaid.filter((entry: Loose) => entry.status === status));
  return {
    ...headline(slip),
    lines: Object.fromEntries(lines.map(({ kind, amount }: Loose) => [kind, written(part.currency, amount)])),
    ...one('waiting', inStatus('waiting')),
    ...one('held', inStatus('held')),
    text: JSON.stringify([slip, lineItems]),
  };
}

/** The lines of a file, by the titles that people read. */
function linesByTitle(found: readonly (readonly [title: string, amount: string])[]): Record<string, string> {
  const kinds = new Map(Object.entries(lineTitles).map(([kind, title]) => [title, kind]));
  const lines = found.map(([title, amount]) => [kinds.get(title), amount] as const);
  return Object.fromEntries(lines.filter(([kind]) => kind !== undefined && kind !== 'earned' && kind !== 'payable'));
}

function pdf(printed: string): Shown {
  const text = printed.replaceAll('−', '-');
  const amount = String.raw`[A-Z]{3} -?[\d,]+\.\d\d`;
  const flat = text.replace(/\s+/g, ' ');
  const find = (pattern: RegExp) => pattern.exec(flat)?.[1] ?? '';
  const toText = (found: string) =>
    found.replace(/([A-Z]{3}) (\S+)/g, (_, currency, value) => written(currency, value));
  const section = text.slice(text.indexOf('Deal and rule'));
  const currency = /Released +([A-Z]{3})\n/.exec(section)?.[1] ?? '';
  const titles = Object.values(lineTitles);
  const lines = section.split('\n').flatMap((line) => {
    const [, title = '', value = ''] = /^\s*(.*?)\s{2,}(-?[\d,]+\.\d\d)\s*$/.exec(line) ?? [];
    return titles.includes(title) ? [[title, written(currency, value)] as const] : [];
  });
  return {
    payable: toText(find(new RegExp(`Payable (?:Earned in the period \\S+ (?:\\S+ )?)?(${amount})`)) || headOf(text)),
    earned: nonZero(
      toText(find(new RegExp(`Earned in the period: (${amount}(?: and ${amount})*)`))).split(' and '),
    ).filter((each) => each !== ''),
    lines: linesByTitle(lines),
    text: flat,
  };
}

/** The figure of a document stands below its name; the table beside it has lines of its own in between. */
function headOf(text: string): string {
  const [, after = ''] = text.split(/^\s*Payable\b/m);
  return /([A-Z]{3} -?[\d,]+\.\d\d)/.exec(after)?.[1] ?? '';
}

const cell = (row: Loose, title: string) => row[title]?.value ?? null;

async function workbook(bytes: Buffer, person: string, isPersonal: boolean): Promise<Shown> {
  const book = await readWorkbook(bytes);
  const ofPerson = (sheet: string) =>
    book.getWorksheet(sheet) === undefined
      ? []
      : readRows(book.getWorksheet(sheet)).filter((row) => cell(row, 'Name') === person);
  const summary = ofPerson('Summary');
  const lines = ofPerson('Payable').filter((row) => cell(row, 'Sum') !== null);
  const all = ['Line items', 'Payable', 'Steps', 'Adjustments'].flatMap(ofPerson);
  return {
    payable: summary.map((row) => written(cell(row, 'Paid Currency'), cell(row, 'Paid'))).join(),
    earned: nonZero(summary.map((row) => written(cell(row, 'Currency'), cell(row, 'Earned')))),
    status: summary.map((row) => cell(row, 'Payment'))[0],
    ...(isPersonal || lines.length > 0
      ? {
          lines: linesByTitle(
            lines.map((row) => [cell(row, 'Line'), written(cell(row, 'Currency'), cell(row, 'Sum'))]),
          ),
        }
      : {}),
    text: all.flatMap((row) => Object.values(row).map(({ text }) => text)).join(' '),
  };
}

const rowsOf = (text: string) => parse(text.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[];
const inPeriod = `period=${shownPeriod}`;
const fileOf = (world: SurfaceWorld, person: string, format: string) =>
  download(world.api, `/v1/statements/${world.id(person)}/export?${inPeriod}&format=${format}`);

/** Files of the whole team, which are read once for all people. */
class TeamFiles {
  private readonly files = new Map<string, Promise<Buffer>>();

  read(world: SurfaceWorld, path: string): Promise<Buffer> {
    const found =
      this.files.get(path) ?? download(world.api, `/v1/statements/${path}?${inPeriod}`).then(({ bytes }) => bytes);
    this.files.set(path, found);
    return found;
  }
}
const team = new TeamFiles();

function pdfOrEmpty(bytes: Buffer): string {
  return pdfText(bytes, '-layout') ?? '';
}

export const readers: Readonly<Record<string, Reader>> = {
  'statement, JSON': async (world, person) =>
    payslip(await world.api.expect(200, 'GET', `/v1/statements?repId=${world.id(person)}&${inPeriod}`)),
  'statement, JSON file': async (world, person) =>
    payslip(JSON.parse((await fileOf(world, person, 'json')).bytes.toString())),
  'list of statements, JSON': async (world, person) => {
    const list = await world.api.expect(200, 'GET', `/v1/statements/${world.id(person)}/list`);
    const row = list.find(({ period }: Loose) => period === shownPeriod);
    return { ...headline(row.payslip), text: '' };
  },
  'statements of the team, JSON': async (world, person) => {
    const { statements } = await world.api.expect(200, 'GET', `/v1/statements?${inPeriod}`);
    const row = statements.find(({ repId }: Loose) => repId === world.id(person));
    return { ...headline(row.payslip), text: '' };
  },
  'dashboard of a person, JSON': async (world, person) => {
    const dashboard = await world.api.expect(200, 'GET', `/v1/commissions?repId=${world.id(person)}&${inPeriod}`);
    return { ...headline(dashboard.payslip), text: '' };
  },
  'answer of the MCP tool get_commissions': async (world, person) => {
    const { body } = await world.api.mcp('tools/call', {
      name: 'get_commissions',
      arguments: { repId: world.id(person), period: shownPeriod },
    });
    const text = JSON.stringify(body);
    const [, amount = '', currency = ''] = /pays (-?[\d.]+) ([A-Z]{3})/.exec(text) ?? [];
    return { payable: amount === '' ? '' : written(currency, amount), text: '' };
  },
  'explanations of amounts, JSON': async (world, person) => {
    const { lineItems } = await world.api.expect(200, 'GET', `/v1/statements?repId=${world.id(person)}&${inPeriod}`);
    const texts: string[] = [];
    for (const { eventId } of lineItems) {
      const { event, steps } = await world.api.expect(200, 'GET', `/v1/commissions/events/${eventId}`);
      texts.push(event.dealName ?? '', ...steps.map(({ words }: Loose) => words));
    }
    return { text: texts.join('\n') };
  },
  'payables, JSON': async (world, person) => {
    const { payables } = await world.api.expect(200, 'GET', `/v1/payables?repId=${world.id(person)}`);
    const ofPeriod = payables.filter(({ dealId }: Loose) => dealId === world.dealOf(person));
    const inStatus = (status: string) => sums(ofPeriod.filter((entry: Loose) => entry.status === status));
    return {
      ...one('waiting', inStatus('waiting')),
      ...one('held', inStatus('held')),
      ...one('paid', inStatus('paid')),
      text: JSON.stringify(payables),
    };
  },
  'statement, PDF': async (world, person) => pdf(pdfOrEmpty((await fileOf(world, person, 'pdf')).bytes)),
  'statement, workbook': async (world, person) => workbook((await fileOf(world, person, 'xlsx')).bytes, person, true),
  'statement, CSV': async (world, person) => {
    const rows = rowsOf((await fileOf(world, person, 'csv')).bytes.toString());
    const [{ Currency: currency = '' } = {}] = rows;
    const amounts = (title: string, of: readonly Record<string, string>[]) =>
      sums(
        of.filter((row) => row[title] !== '').map((row) => ({ currency: row['Currency'] ?? '', amount: row[title] })),
      );
    const titles = [...new Set(rows.map((row) => row['Payslip Line'] ?? ''))];
    const lines = titles.map((title) => {
      const ofIt = rows.filter((row) => row['Payslip Line'] === title);
      return [title, amounts('Pays', ofIt).join() || written(currency, 0)] as const;
    });
    return {
      earned: amounts('Commission', rows),
      lines: linesByTitle(lines),
      text: rows.flatMap(Object.values).join(' '),
    };
  },
  'team, CSV': async (world, person) => {
    const rows = rowsOf((await team.read(world, 'export.csv')).toString()).filter((row) => row['Name'] === person);
    return {
      payable: rows.map((row) => written(row['Paid Currency'] ?? '', row['Paid'] ?? '')).join(),
      earned: nonZero(rows.map((row) => written(row['Currency'] ?? '', row['Earned'] ?? ''))),
      text: '',
    };
  },
  'team, workbook': async (world, person) => workbook(await team.read(world, 'export.xlsx'), person, false),
  'team, PDF': async (world, person) => {
    const text = pdfOrEmpty(await team.read(world, 'export.pdf'));
    const amounts = text.split('\n').flatMap((line) => {
      const [, name, payable = '', earned = '', currency = ''] =
        /^\s*(\w+)\s+\S*\s+(-?[\d,]+\.\d\d)\s+(-?[\d,]+\.\d\d).*?([A-Z]{3})?\s*$/.exec(line) ?? [];
      return name === person ? [{ payable: written(currency, payable), earned: written(currency, earned) }] : [];
    });
    const converted = new RegExp(`${person}\\s+[A-Z]{3} [\\d,.]+ × .*?([A-Z]{3}) ([\\d,]+\\.\\d\\d)`).exec(text);
    return {
      payable:
        converted === null
          ? amounts.map(({ payable }) => payable).join()
          : written(converted[1] ?? '', converted[2] ?? ''),
      earned: nonZero(amounts.map(({ earned }) => earned)),
      text: '',
    };
  },
  'archive of the team': async (world, person) => {
    const files = unzipped(await team.read(world, 'export.zip'));
    const [, bytes] = [...files].find(([name]) => name.includes(`-${person}-`)) ?? [];
    return pdf(bytes === undefined ? '' : pdfOrEmpty(bytes));
  },
  'events of statements': async (world, person) => {
    const { version } = await world.api.expect(200, 'GET', `/v1/statements?repId=${world.id(person)}&${inPeriod}`);
    const find = () =>
      (world.receiver?.received ?? [])
        .map(({ body }) => body)
        .findLast(
          ({ type, data }) =>
            type.startsWith('statement.') &&
            data.repId === world.id(person) &&
            data.period === shownPeriod &&
            data.version === version,
        );
    const { data } = await until(async () => find(), { what: `the event of version ${version} of ${person}` });
    return {
      payable: data.pays.map(({ currency, amount }: Loose) => written(currency, amount)).join(),
      earned: sums(data.earned),
      text: '',
    };
  },
  'mails about statements': async (world, person) => {
    const mails = await world.mailsTo(person);
    const text = mails.findLast(({ subject }) => subject.includes(shownPeriod))?.text ?? '';
    const [, currency = '', amount = ''] = /It pays ([A-Z]{3}) (-?[\d,]+\.\d\d)\./.exec(text) ?? [];
    return { payable: amount === '' ? '' : written(currency, amount), text };
  },
  'payout batches': async (world, person) => {
    const { batches } = await world.api.expect(200, 'GET', `/v1/payout-batches?${inPeriod}&status=paid`);
    const lines: Loose[] = [];
    for (const { batchId } of batches)
      lines.push(...(await world.api.expect(200, 'GET', `/v1/payout-batches/${batchId}`)).lines);
    return { ...one('paid', sums(lines.filter(({ repId }) => repId === world.id(person)))), text: '' };
  },
};

export { statusText };
