import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { bodies, invalid, RejectionWorld, type Requests, rejects } from '#test/support/rejections.js';

const lists = (parameter: string, ...values: string[]): Requests =>
  Object.fromEntries(
    values.map((value) => [`the ${parameter} "${value}"`, [`GET /v1/deals?${parameter}=${value}`] as const]),
  );

describe('rejected deals', () => {
  const world = duringSuite(() => RejectionWorld.create());

  rejects(() => world, invalid, {
    ...lists('limit', '0', '-1', '501', '1.5', '1e3', 'abc', '', '%205', '99999999999999999999'),
    ...lists('offset', '-1', '1.5', 'x', '', '1000000000001', '99999999999999999999'),
    ...lists('since', 'yesterday', '2026-02-30', 'infinity', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z'),
    ...lists('since', '2026-01-01T00:00:00', 'now()', '0', '0000-01-01T00:00:00Z', '2026-01-01T00:00:00%2B23:00'),
    ...lists('repId', 'me'),
    ...lists('stage', '%00'),
    'an empty value of hard': ['DELETE /v1/deals/won-1?hard='],
    'a blank deal id': ['PUT /v1/deals/%20', {}],
  });

  rejects(() => world, '404 rep_not_found', {
    'a deal of an unknown rep': ['PUT /v1/deals/new', { repId: '<unknown>' }],
  });

  rejects(
    () => world,
    invalid,
    bodies('PUT /v1/deals/new', {
      'a decimal comma in the amount': { amount: '12,5' },
      'an amount of 1e308': { amount: 1e308 },
      'an exponent without bound in the amount': { amount: '1e999999999' },
      'an amount of 100,000 digits': { amount: '9'.repeat(100_000) },
      'the amount Infinity': { amount: 'Infinity' },
      'a close date in words': { closeDate: 'tomorrow' },
      'an ambiguous close date': { closeDate: '3/4/2026' },
      'a close date before 1900': { closeDate: '1899-12-31' },
      '501 fields': { fields: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, 1])) },
      '80,000 characters in fields': {
        fields: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, ['x'.repeat(8000)]])),
      },
      'a day instead of an instant': { sourceUpdatedAt: '2026-01-01' },
      'an instant in the year 1': { sourceUpdatedAt: '0001-01-01T00:00:00Z' },
    }),
  );

  it('an import rejects each invalid row by its number and stores none of them', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const rows = [
      '1',
      'null',
      '{}',
      '{"dealId":""}',
      '{"dealId":"a","amount":"x"}',
      '{"dealId":"b","closeDate":"2026-02-30"}',
      '{"dealId":"c","unknown":1}',
      '{"dealId":"d","fields":{"a":"\\u0000"}}',
      `{"dealId":"e","fields":{"a":${deep}}}`,
      '{"dealId":"f","__proto__":{"amount":1}}',
      '{"dealId":"g","repId":"<unknown>"}',
    ];
    const deals = () => world.sql('select * from deals');
    const before = await deals();
    const answer = await world.send('POST /v1/deals/import', world.filled(`{"deals":[${rows.join()}]}`));
    expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(200);
    expect(answer.body).to.deep.include({ accepted: 0, unchanged: 0, stale: 0 });
    expect(answer.body.rejected.map((one: { row: number }) => one.row)).to.deep.equal(
      rows.map((_, index) => index + 1),
    );
    expect(await deals()).to.deep.equal(before);
  });

  it('reads the amounts -0 and 1e-400 as 0', async () => {
    for (const number of ['-0', '1e-400', '0.0']) {
      const body = world.filled(`{"amount":${number},"repId":"<bob>","closeDate":"2026-04-01"}`);
      const answer = await world.send('PUT /v1/deals/zero', body);
      expect(answer.status).to.be.oneOf([200, 201]);
      expect(Object.is(answer.body.amount, 0), `${number} reads ${answer.body.amount}`).to.equal(true);
    }
  });
});
