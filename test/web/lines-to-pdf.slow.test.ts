import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, waitUntilLoaded } from '#test/support/browser.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { pointer } from './input-methods.js';

const at = (minThreshold: number, pay: object, tierIndex = 0) => ({ tierIndex, minThreshold, ...pay });
const base = { table: 'Products', column: 'base' };
const accelerated = { table: 'Products', column: 'accelerated' };
const two = [at(0, base), at(1, accelerated, 1)];

type Line = readonly [family: string, code: string, quantity: string, amount: number, currency?: string];

interface Example {
  readonly rule?: object;
  readonly fx?: object;
  /** A software deal of the quarter before it. */
  readonly before?: number;
  readonly lines: readonly Line[];
  /** What the statement shows of the deal, and of its lines. */
  readonly amount: string;
  readonly visible?: readonly string[];
}

const d: readonly Line[] = [
  ['software', '', '10', 30_000],
  ['services', '', '1', 15_000],
  ['hardware', '', '2', 5_000],
];

/** Eight of the worked examples: mixes, tiers by line, units, limits, rounding, currencies, prefixes and returns. */
const examples: Readonly<Record<string, Example>> = {
  I3: {
    rule: { tiers: two, tierMode: 'marginal' },
    before: 80_000,
    lines: d,
    amount: '4,510.00',
    visible: ['3,720.00', '690.00', '100.00'],
  },
  J1: {
    rule: {
      tierBy: 'value',
      tierValueField: 'line.amount',
      tiers: [at(0, { rate: 0.05 }), at(10_000, { rate: 0.08 }, 1)],
    },
    lines: d,
    amount: '3,850.00',
    visible: ['2,400.00', '1,200.00', '250.00'],
  },
  J5: {
    rule: { flatPer: 'unit', tiers: [at(0, { flatAmount: 75 })] },
    lines: d,
    amount: '975.00',
    visible: ['750.00', '150.00'],
  },
  J8: {
    rule: { tiers: two, tierMode: 'marginal' },
    before: 90_000,
    lines: [
      ['software', '', '', 30_000],
      ['services', '', '', -10_000],
    ],
    amount: '3,150.00',
    visible: ['3,600.00', '-450.00'],
  },
  J17: { rule: { cap: 2000 }, lines: d, amount: '2,000.00', visible: ['1,621.62', '324.33', '54.05'] },
  J30: {
    fx: { date: 'close_date' },
    lines: [
      ['software', '', '', 20_000, 'EUR'],
      ['services', '', '', 15_000, 'USD'],
    ],
    amount: '2,800.00',
    visible: ['2,200.00', '600.00'],
  },
  J57: {
    rule: { tiers: [at(0, { table: 'Codes' })] },
    lines: ['sw-ent-7', 'SW-1', 'HW', ''].map((code) => ['', code, '', 1000] as const),
    amount: '280.00',
    visible: ['120.00', '100.00', '30.00'],
  },
  J62: {
    rule: { tiers: [at(0, { table: 'Kinds' })] },
    lines: [
      ['', 'U', '', 10],
      ['', 'U', '-2', 10],
      ['', 'F', '', -80],
      ['', 'F', '', 0],
    ],
    amount: '-50.00',
    visible: ['-50.00', '-40.00', '40.00'],
  },
};

describe('the worked examples of lines, from the import of files to the PDF', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const repIds = new Map<string, string>();

  before(async function () {
    await requireBrowser(this);
    const { api } = browser.workspace;
    const one = (
      name: string,
      match: string,
      columns: readonly string[],
      ...rows: readonly (readonly [string, ...unknown[]])[]
    ) =>
      api.expect(200, 'PUT', `/v1/rate-tables/${name}`, {
        keys: [{ name: 'key', field: name === 'Products' ? 'line.family' : 'line.product_code', match }],
        columns: columns.map((column) => ({ name: column })),
        rows: rows.map(([key, ...values]) => ({
          keys: { key },
          values: Object.fromEntries(columns.map((column, index) => [column, values[index]])),
        })),
      });
    await one(
      'Products',
      'exact',
      ['base', 'accelerated'],
      ['software', 0.1, 0.14],
      ['services', 0.04, 0.05],
      ['hardware', 0.02, 0.02],
    );
    await one('Codes', 'prefix', ['rate'], ['SW-', 0.1], ['SW-ENT', 0.12], ['*', 0.03]);
    await one('Kinds', 'exact', ['rate'], ['U', { perUnit: 25 }], ['F', { amount: 40 }]);
    await api.expect(200, 'PUT', '/v1/fx-rates', {
      rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: '1.1' }],
    });
    for (const [name, { rule = {}, fx }] of Object.entries(examples)) {
      const [repId] = await api.saveReps({ name, email: `${name.toLowerCase()}@x.io` });
      repIds.set(name, repId);
      const whole = { name: 'Rule', measure: 'line.amount', lines: {}, tiers: [at(0, base)], ...rule };
      const plan = {
        name: `Plan ${name}`,
        currency: 'USD',
        config: { rules: [whole] },
        ...(fx === undefined ? {} : { fx }),
      };
      const { rules } = await api.createPlan(plan, [repId]);
      const quota = { repIds: [repId], planRuleId: rules[0].id, period: '2026-Q1', target: 100_000 };
      await api.expect(201, 'POST', '/v1/quotas', quota);
    }
  });

  const importRows = async (
    page: Page,
    kind: string,
    done: string,
    rows: readonly (readonly (string | number)[])[],
  ) => {
    await browser.visit(page, `/imports/${kind}`);
    await waitUntilLoaded(page);
    const area = await page.waitForSelector('textarea');
    await area?.focus();
    await page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await pointer.press(page, 'button', 'Use pasted cells');
    await pointer.press(page, 'button', `Import ${rows.length - 1} ${done}`);
    await sees(page, `${rows.length - 1} ${done} imported`);
    await browser.workspace.calculated();
  };

  it('pay what the page of the model says, on the PDF of each person', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/imports');
    const all = Object.entries(examples).flatMap(([name, { lines, before }]) => [
      ...(before === undefined
        ? []
        : [{ id: `B-${name}`, name, day: '2026-01-10', lines: [['software', '', '', before] as Line] }]),
      { id: `D-${name}`, name, day: '2026-02-10', lines },
    ]);
    await importRows(page, 'deals', 'deals', [
      ['Deal ID', 'Name', 'Amount', 'Close date', 'Owner email', 'Currency'],
      ...all.map(({ id, name, day, lines }) => [
        id,
        id,
        lines.reduce((sum, [, , , amount]) => sum + amount, 0),
        day,
        `${name.toLowerCase()}@x.io`,
        'USD',
      ]),
    ]);
    await importRows(page, 'lines', 'products', [
      ['Deal ID', 'Line ID', 'Product family', 'Product code', 'Quantity', 'Net amount', 'Currency'],
      ...all.flatMap(({ id, lines }) =>
        lines.map(([family, code, quantity, amount, currency = 'USD'], index) => [
          id,
          index + 1,
          family,
          code,
          quantity,
          amount,
          currency,
        ]),
      ),
    ]);
    await browser.workspace.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-02' });
    const missing: string[] = [];
    for (const [name, { amount, visible = [] }] of Object.entries(examples)) {
      await browser.visit(page, `/deals/D-${name}`);
      await sees(page, amount.replace('-', ''));
      const pdf = await page.evaluate(
        `fetch('/v1/statements/${repIds.get(name)}/export?period=2026-02&format=pdf').then((response) => response.arrayBuffer())
          .then((bytes) => [...new Uint8Array(bytes)])`,
      );
      const text = pdfText(Buffer.from(pdf as number[]), '-layout');
      if (text === null) return;
      for (const figure of [amount, ...visible])
        if (!text.includes(figure)) missing.push(`${name}: ${figure}\n${text}`);
    }
    expect(missing).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
