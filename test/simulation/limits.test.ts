import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** More deals than a dry run calculates. */
const many = 20_001;

describe('limits of dry runs and simulations', () => {
  // Without workers, so that nothing calculates the many deals.
  const service = Service.duringSuite({ worker: false });
  let workspace: Workspace;
  let people: { readonly ann: string; readonly bob: string; readonly mia: string };
  let planId: string;

  beforeEach(async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const [mia = '', ann = '', bob = ''] = await api.saveReps('Mia', 'Ann', 'Bob');
    people = { ann, bob, mia };
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('Deals', 0.1)] } }, [ann, bob]);
    for (const [dealId, closeDate] of [
      ['january', '2026-01-10'],
      ['earlier', '2025-06-10'],
    ] as const)
      await api.putDeal(dealId, { amount: 1000, closeDate, repId: ann });
  });

  /** Deals of Bob in January, of which Ann has half if they are shared. */
  async function insertDeals(isShared: boolean): Promise<void> {
    const { ann, bob } = people;
    const lines = [
      { repId: ann, percent: '50', kind: 'split', affects: 'both' },
      { repId: bob, percent: '50', kind: 'split', affects: 'both' },
    ];
    await workspace.sql(
      `insert into deals (workspace_id, deal_id, rep_id, provider, fields, amount, currency, close_date, content_hash, credits)
       select $1::uuid, 'b' || n, $2::uuid, 'api', '{"amount": 1}', 1, 'USD', '2026-01-20', gen_random_uuid(), $3::jsonb
       from generate_series(1, ${many}) n`,
      bob,
      isShared ? JSON.stringify({ source: 'api', lines }) : null,
    );
  }

  async function putAnnAndBobBelowMia(): Promise<void> {
    const override = flatRule('Override', 0.1, { measure: '_earned', executionPhase: 'cascade' });
    ({ planId } = await workspace.api.createPlan({ name: 'Managers', config: { rules: [override] } }, [people.mia]));
    for (const repId of [people.ann, people.bob])
      await workspace.api.expect(200, 'PATCH', `/v1/reps/${repId}`, {
        managerId: people.mia,
        managerFrom: '2025-01-01',
      });
  }

  const refunded = { day: '2026-01-20', cause: 'refund' };
  /** What a dry run of a refund says about commission: null for more deals than it calculates. */
  const effectOn = async (dealId: string, day = refunded.day) =>
    (
      await workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/R?dryRun=true`, {
        ...refunded,
        day,
      })
    ).byRep;

  it('a dry run counts the deals of teams that rules of managers read, on the calculated days', async () => {
    await putAnnAndBobBelowMia();
    expect(await effectOn('january')).to.have.lengthOf(2);
    await insertDeals(false);
    expect(await effectOn('january')).to.equal(null);
    expect(await effectOn('earlier', '2025-06-20')).to.have.lengthOf(2);
  });

  it('a dry run counts the deals on which a person has a credit line', async () => {
    await insertDeals(true);
    expect(await effectOn('january')).to.equal(null);
    expect(await effectOn('earlier', '2025-06-20')).to.have.lengthOf(1);
  });

  it('a dry run counts no deals of people whom the change does not concern', async () => {
    await insertDeals(false);
    expect(await effectOn('january')).to.have.lengthOf(1);
  });

  it('a change that is too large for its warnings still calculates those whom it concerns', async () => {
    await insertDeals(true);
    await workspace.sql(
      `insert into statement_periods (workspace_id, rep_id, period, from_day, to_day, status)
       values ($1, $2, '2026-01', '2026-01-01', '2026-01-31', 'approved')`,
      people.ann,
    );
    await workspace.sql('delete from calculation_requests where workspace_id = $1');
    const credits = [
      { repId: people.ann, percent: 60 },
      { repId: people.bob, percent: 40 },
    ];
    await workspace.api.expect(200, 'PUT', '/v1/deals/january/credits', { credits });
    const requested = await workspace.sql(
      'select distinct rep_id as id from calculation_requests where workspace_id = $1',
    );
    expect(requested.map(({ id }) => id)).to.have.members([people.ann, people.bob]);
  });

  it('a simulation counts the deals of teams that rules of managers read, and those with a credit line', async () => {
    await putAnnAndBobBelowMia();
    await insertDeals(true);
    const notX = { fieldType: 'text', operator: 'not_equals', value: 'x' };
    const conditions = Array.from({ length: 40 }, (_, at) => ({ field: `f${at}`, ...notX }));
    const override = flatRule('Override', 0.1, { measure: '_earned', executionPhase: 'cascade', conditions });
    const simulated = workspace.api.post('/v1/commissions/simulate', {
      ...{ planId, period: '2026-01', repIds: [people.mia], config: { rules: [override] } },
    });
    const { details } = await expectError('400 plan_too_complex', simulated);
    // Both people of the team have a part of each of the many deals, and Ann has one more in January.
    expect(details).to.deep.equal({ cost: (2 * many + 1 + 1) * 41 * 2, limit: 2_000_000 });
  });
});
