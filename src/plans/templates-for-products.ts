import { pays, type WrittenTemplate, won } from './templates.js';

export const productRates: WrittenTemplate = {
  templateId: 'product-rates',
  name: 'Rates by product',
  description:
    'Each product family pays its own rate, and a higher one from the quarterly quota on. The rates are rows of the rate table Product rates: change families and rates there. The products of deals come from the CRM, a file or the API. Set a quarterly quota for the rule Products.',
  tables: [
    {
      name: 'Product rates',
      keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
      columns: [
        { name: 'base', kind: 'rate' },
        { name: 'accelerated', kind: 'rate' },
      ],
      rows: [
        { keys: { family: 'Software' }, values: { base: 0.1, accelerated: 0.14 } },
        { keys: { family: 'Services' }, values: { base: 0.04, accelerated: 0.05 } },
        { keys: { family: 'Hardware' }, values: { base: 0.02, accelerated: 0.02 } },
        { keys: { family: '*' }, values: { base: 0.03, accelerated: 0.03 } },
      ],
      noMatch: 'exception',
    },
  ],
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'Products',
        measure: 'line.amount',
        attainmentPeriod: 'quarterly',
        lines: {},
        tiers: [
          { tierIndex: 0, minThreshold: 0, table: 'Product rates', column: 'base', name: 'Base' },
          { tierIndex: 1, minThreshold: 1, table: 'Product rates', column: 'accelerated', name: 'Accelerator' },
        ],
      },
    ],
  },
  workedExample: {
    quotas: [{ measure: 'Products', period: '2026-Q1', target: 100_000 }],
    deals: [
      {
        dealId: 'products-1',
        closeDate: '2026-01-15',
        amount: 80_000,
        stage: 'Closed Won',
        lines: [{ lineId: '1', family: 'Software', amount: 80_000 }],
      },
      {
        dealId: 'products-2',
        closeDate: '2026-02-10',
        amount: 50_000,
        stage: 'Closed Won',
        lines: [
          { lineId: '1', family: 'Software', amount: 30_000 },
          { lineId: '2', family: 'Services', amount: 15_000 },
          { lineId: '3', family: 'Hardware', amount: 5_000 },
        ],
      },
    ],
    expected: [pays('products-1', 'Products', 'Base', 8_000), pays('products-2', 'Products', 'Accelerator', 5_050)],
    note: '10 % of 80,000. The second deal reaches 130 % of the quota, so each of its products pays the accelerated rate: 14 % of 30,000, 5 % of 15,000 and 2 % of 5,000.',
  },
};

export const unitAmounts: WrittenTemplate = {
  templateId: 'unit-amounts',
  name: 'Amounts by unit, product and region',
  description:
    'A fixed amount for each unit sold, by product and region, and a share of the price for services. The amounts are rows of the rate table Unit amounts: a row names the beginning of a product code, such as SEAT, and a region of the deal or every region. The rule needs no quota.',
  tables: [
    {
      name: 'Unit amounts',
      keys: [
        { name: 'product', field: 'line.product_code', match: 'prefix' },
        { name: 'region', field: 'region', match: 'exact' },
      ],
      columns: [{ name: 'pay', kind: 'perUnit' }],
      rows: [
        { keys: { product: 'SEAT', region: 'EMEA' }, values: { pay: 20 } },
        { keys: { product: 'SEAT', region: '*' }, values: { pay: 25 } },
        { keys: { product: 'ROUTER', region: '*' }, values: { pay: 40 } },
        { keys: { product: 'SRV', region: '*' }, values: { pay: { rate: 0.04 } } },
      ],
      noMatch: 'exception',
    },
  ],
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'Units',
        measure: 'line.amount',
        lines: {},
        tiers: [{ tierIndex: 0, minThreshold: 0, table: 'Unit amounts', column: 'pay', name: 'Unit amounts' }],
      },
    ],
  },
  workedExample: {
    quotas: [],
    deals: [
      {
        dealId: 'units-1',
        closeDate: '2026-01-20',
        amount: 35_000,
        stage: 'Closed Won',
        fields: { region: 'EMEA' },
        lines: [
          { lineId: '1', productCode: 'SEAT-PRO', quantity: 120, amount: 30_000 },
          { lineId: '2', productCode: 'SRV-SETUP', quantity: 1, amount: 5_000 },
        ],
      },
      {
        dealId: 'units-2',
        closeDate: '2026-02-18',
        amount: 7_000,
        stage: 'Closed Won',
        fields: { region: 'Americas' },
        lines: [
          { lineId: '1', productCode: 'SEAT-BASIC', quantity: 40, amount: 4_000 },
          { lineId: '2', productCode: 'ROUTER-9', quantity: 2, amount: 3_000 },
        ],
      },
    ],
    expected: [pays('units-1', 'Units', 'Unit amounts', 2_600), pays('units-2', 'Units', 'Unit amounts', 1_080)],
    note: '120 seats in EMEA at 20, and 4 % of 5,000. Elsewhere a seat pays 25: 40 seats at 25, and 2 routers at 40.',
  },
};
