import { expect } from 'chai';
import { readPaidResponses } from '#test/support/paid-responses.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('a workspace whose plans convert nothing', () => {
  const service = Service.duringSuite();

  it('is the same to the byte, whatever rates are entered', async () => {
    const work = await WorkedExample.create(service, { deals: false });
    const { api, ben, mia } = work;
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { managerId: mia, managerFrom: '2026-01-01' });
    const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [mia]);
    await work.deal('D', 60_000, '2026-01-15');
    await work.deal('E', 10_000, '2026-02-15', { currency: 'EUR' });
    await work.calculated();
    await work.generateAndApprove('2026-01');
    await work.generate('2026-02');
    const before = await readPaidResponses(service, work);
    const rates = ['EUR', 'GBP'].map((from) => ({ from, to: 'USD', day: '2026-01-01', rate: '1.25' }));
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await api.expect(200, 'PATCH', '/v1/workspaces', { fxMaxAgeDays: 30 });
    await work.calculated();
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await work.calculated();
    expect(await readPaidResponses(service, work)).to.deep.equal(before);
    for (const [path, text] of Object.entries(before)) expect(text, path).to.not.match(/fx_|conversion|Exchange Rate/);
  });
});
