import { expect } from 'chai';
import { creditNoteExamples } from '#test/support/credit-notes.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

describe('credit notes', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;

  afterEach(() => workspace.expectSoundLedger());

  async function amounts(): Promise<number[]> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select amount::float8 as amount from commission_events
       where workspace_id = $1 and status = 'earned' and kind = 'commission_earned' order by earned_on`,
    );
    return rows.map(({ amount }) => amount);
  }

  async function wordsOfCreditNote(dealId: string): Promise<string[]> {
    const [{ eventId } = {}] = await workspace.sql(
      `select event_id as "eventId" from commission_events
       where workspace_id = $1 and deal_key = $2 and status = 'earned'`,
      dealId,
    );
    const { steps } = await workspace.api.expect(200, 'GET', `/v1/commissions/events/${eventId}`);
    return steps.flatMap(({ step, words }: Record<string, string>) => (step === 'credit_note' ? [words] : []));
  }

  for (const { name, rule, quota, percent, amounts: ofDeals, pays, words } of creditNoteExamples)
    it(`take back what the sale would be paid: ${name}`, async () => {
      workspace = await service.workspace();
      const { api } = workspace;
      const [ann] = await api.saveReps('Ann');
      await api.createPlan({ name: 'AE', config: { rules: [{ name: 'New', measure: 'amount', ...rule }] } }, [ann]);
      if (quota !== undefined)
        await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann], measure: 'New', period: '2026-Q1', ...quota });
      for (const [index, amount] of ofDeals.entries()) {
        await api.putDeal(`D${index}`, { amount, closeDate: `2026-01-1${index}`, ownerId: 'ann' });
        if (percent === undefined) continue;
        const credits = [
          { repId: ann, percent },
          { repId: null, percent: 100 - percent },
        ];
        await api.expect(200, 'PUT', `/v1/deals/D${index}/credits`, { credits });
      }
      expect(await amounts()).to.deep.equal(pays.map(Number));
      expect(await wordsOfCreditNote(`D${ofDeals.length - 1}`)).to.deep.equal(words === undefined ? [] : [words]);
    });

  for (const [before, after] of [
    [10_000, 10_000],
    [3000, 10_000],
  ])
    it(`use what the cap cut off in an approved month, ${before === after ? 'as approved' : 'after a true-up'}`, async () => {
      workspace = await service.workspace();
      const { api } = workspace;
      const [ann] = await api.saveReps('Ann');
      const rule = { name: 'New', measure: 'amount', cap: 500, tiers: flatTier(0.1) };
      await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ann]);
      const put = (dealId: string, amount: number | undefined, closeDate: string) =>
        api.putDeal(dealId, { amount, closeDate, ownerId: 'ann' });
      await put('D1', before, '2026-01-10');
      await workspace.calculated();
      await api.generate(ann, '2026-01');
      await api.approve(ann, '2026-01');
      await put('D1', after, '2026-01-10');
      await workspace.checked();
      await api.expect(200, 'POST', `/v1/statements/${ann}/true-up`, { period: '2026-01' });
      await put('D2', -6000, '2026-02-10');
      expect((await amounts()).at(-1)).to.equal(-100);
    });
});
