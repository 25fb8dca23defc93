import { expect } from 'chai';
import { sql } from 'kysely';
import { selectAsText, unnestRows } from '#src/platform/database/columns.js';
import { Service } from '#test/support/service.js';

interface Row {
  readonly id: string | null;
  readonly text: string | null;
  readonly day: string | null;
  readonly count: number | null;
  readonly amount: string | null;
  readonly flag: string | null;
  readonly fields: string | null;
}

const id = '0f1e2d3c-4b5a-4978-8685-94a3b2c1d0e9';
const plain: Row = { id, text: 'a', day: '2026-02-28', count: 1, amount: '12.5', flag: 'true', fields: '{"a": 1}' };

describe('rows sent by columns', () => {
  const service = Service.duringSuite({ worker: false });

  const sentAndRead = (rows: readonly Row[]) =>
    service.running.service.unitOfWork.read({ workspaceId: id }, (tx) =>
      selectAsText(
        tx,
        ['id', 'text', 'day', 'count', 'amount', 'flag', 'fields'].map((column) => sql.ref(column)),
        unnestRows<Row>(rows, [
          ['id', 'uuid', (row) => row.id],
          ['text', 'text', (row) => row.text],
          ['day', 'date', (row) => row.day],
          ['count', 'integer', (row) => row.count],
          ['amount', 'numeric', (row) => row.amount],
          ['flag', 'boolean', (row) => row.flag],
          ['fields', 'jsonb', (row) => row.fields],
        ]),
      ),
    );

  const readBack = ({ id, text, day, count, amount, flag, fields }: Row) => [
    id,
    text,
    day,
    count === null ? null : String(count),
    amount,
    flag,
    fields,
  ];

  it('arrive unchanged and in order, with any characters in texts', async () => {
    const rows: Row[] = [
      plain,
      { id: null, text: null, day: null, count: null, amount: null, flag: null, fields: null },
      { ...plain, text: '', day: '1900-01-01', count: -2147483648, amount: '-0.000000001', flag: 'false' },
      { ...plain, text: `Grüße, 部門 🎉 {"x",\\,NULL}`, day: '2199-12-31', count: 2147483647, amount: '1'.repeat(40) },
      { ...plain, text: 'NULL', day: '2000-02-29', count: 0 },
      // Longer than the initial buffer of an array.
      { ...plain, text: 'ü'.repeat(200_000) },
      { ...plain, text: 'the last', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
    ];
    expect(await sentAndRead(rows)).to.deep.equal(rows.map(readBack));
  });

  it('may have equal values in every row, in some columns or in all', async () => {
    const none: Row = { id: null, text: null, day: null, count: null, amount: null, flag: null, fields: null };
    for (const rows of [
      [plain, plain],
      [none, none],
      [plain, { ...plain, text: '' }],
      [plain, { ...plain, count: null }],
    ])
      expect(await sentAndRead(rows)).to.deep.equal(rows.map(readBack));
  });

  it('may be zero rows, or one row with an empty text', async () => {
    expect(await sentAndRead([])).to.deep.equal([]);
    expect(await sentAndRead([{ ...plain, text: '' }])).to.deep.equal([readBack({ ...plain, text: '' })]);
  });

  it('accept UUIDs in capitals and without hyphens, and reject other texts', async () => {
    const capitals = await sentAndRead([
      { ...plain, id: id.toUpperCase() },
      { ...plain, id: id.replaceAll('-', '') },
    ]);
    expect(capitals.map(([first]) => first)).to.deep.equal([id, id]);
    for (const wrong of ['', 'x', id.slice(1), `${id}0`, id.replace('f', 'g'), `${id.slice(0, -1)}é`])
      expect(() => unnestRows([id, wrong], [['id', 'uuid', (value) => value]]), wrong).to.throw('not a UUID');
  });

  it('reject an invalid day', () => {
    for (const wrong of ['', '2026-02-30', 'today'])
      expect(() => unnestRows(['2026-01-01', wrong], [['day', 'date', (value) => value]]), wrong).to.throw('not a day');
  });
});
