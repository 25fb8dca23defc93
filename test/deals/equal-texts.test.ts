import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** Spellings of one text that look the same, except for case. */
const spellings = (text: string) => [
  text.normalize('NFD'),
  text.replace(' ', '\u00a0'),
  text.replace(' ', ' \u200b'),
  ` ${text.replace(' ', '  \t')}\u2060 `,
  `\u00ad${text.toUpperCase()}`,
  text.replace('o', '\uff4f'),
];

describe('texts that look equal are equal', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: string[];

  beforeEach(async () => {
    workspace = await service.workspace();
    people = await workspace.api.saveReps({ name: 'Zoé', email: 'zoe@x.io', crmMemberId: 'Zoé Home' });
  });
  afterEach(() => workspace.expectSoundLedger());

  async function earned(): Promise<string[]> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select e.deal_key as key from commission_events e where e.workspace_id = $1 and e.status = 'earned' order by 1`,
    );
    return rows.map(({ key }) => key as string);
  }

  const dealIds = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5'];
  const csv = (path: string, text: string) =>
    workspace.api.expect(200, 'POST', path, text, { 'content-type': 'text/csv' });

  it('in the conditions of a plan, whichever side is written unusually', async () => {
    const condition = (field: string, operator: string, value: unknown) => ({
      field,
      fieldType: 'text',
      operator,
      value,
    });
    for (const [index, written] of ['Signé Won', spellings('Signé Won')[0], spellings('Signé Won')[3]].entries()) {
      const conditions = [
        condition('stage', 'equals', written),
        condition('kind', 'in', [written]),
        condition('note', 'contains', written),
        condition('other', 'not_equals', written),
      ];
      await workspace.api.createPlan(
        { name: `P${index}`, config: { rules: [flatRule('New', 0.1, { conditions })] } },
        people,
      );
    }
    for (const [index, text] of spellings('Signé Won').entries())
      await workspace.api.putDeal(`d${index}`, {
        amount: 100,
        closeDate: '2026-01-10',
        repId: people[0],
        stage: text,
        fields: { kind: text, note: `It is ${text} now` },
      });
    expect(await earned()).to.deep.equal(dealIds.flatMap((id) => [id, id, id]));
    const unequal = {
      stage: 'Signé Won',
      fields: { kind: 'Signé Won', note: 'Signé Won', other: spellings('Signé Won')[1] },
    };
    await workspace.api.putDeal('d0', { amount: 100, closeDate: '2026-01-10', repId: people[0], ...unequal });
    expect(await earned()).to.not.include('d0');
  });

  it('in owners, in people of credit rules, and in owners that an admin matches', async () => {
    await workspace.api.createPlan({ name: 'P', config: { rules: [flatRule('New', 0.1)] } }, people);
    for (const [index, ownerId] of spellings('Zoé Home').entries())
      await workspace.api.putDeal(`d${index}`, { amount: 100, closeDate: '2026-01-10', ownerId });
    expect(await earned()).to.deep.equal(dealIds);

    const [sam] = await workspace.api.saveReps('Sam');
    await workspace.api.createPlan({ name: 'S', config: { rules: [flatRule('Sam', 0.1)] } }, [sam as string]);
    await workspace.api.expect(201, 'POST', '/v1/credit-rules', {
      name: 'C',
      kind: 'split',
      personField: 'with',
      percent: 30,
    });
    await workspace.api.putDeal('d0', {
      amount: 100,
      closeDate: '2026-01-10',
      repId: sam,
      fields: { with: spellings('Zoé Home')[2] },
    });
    expect(await earned()).to.deep.equal(['d0', ...dealIds]);

    for (const [index, ownerId] of spellings('Gone Soul').entries())
      await workspace.api.putDeal(`e${index}`, { amount: 100, closeDate: '2026-01-10', ownerId });
    const { owners, count } = await workspace.api.expect(200, 'GET', '/v1/deal-owners');
    expect([owners.map(({ deals }: { deals: number }) => deals), count]).to.deep.equal([[6], 1]);
    const match = { matches: [{ owner: spellings('Gone Soul')[1], repId: people[0] }] };
    expect(await workspace.api.expect(200, 'PUT', '/v1/deal-owners', match)).to.deep.equal({ matched: 1, deals: 6 });
    await workspace.api.putDeal('e9', { amount: 100, closeDate: '2026-01-10', ownerId: 'Gone Soul' });
    expect((await earned()).filter((id) => id.startsWith('e'))).to.have.length(7);
  });

  it('in names of plans, rules, people and columns of a file, and in the options of a field', async () => {
    await workspace.api.createPlan(
      { name: 'Équipe One', config: { rules: [flatRule('Règle One', 0.1, { attainmentPeriod: 'monthly' })] } },
      people,
    );
    await workspace.api.expect(200, 'PUT', '/v1/person-fields', {
      fields: [{ slug: 'site', label: 'Site', type: 'select', options: ['Forêt One'] }],
    });
    for (const [index, plan] of spellings('Équipe One').entries()) {
      const [rule, address, option, column] = ['Règle One', 'zoe@x.io', 'Forêt One', 'e mail'].map(
        (text) => spellings(text)[index] as string,
      );
      const quota = `${column},plan,rule,period,target\n${address},"${plan}","${rule}",2026-0${index + 1},${index + 1}00\n`;
      expect(await csv('/v1/quotas/import', quota), quota).to.include({ rejected: 0, accepted: 1 });
      const person = `${column},name,site\n${address},Zoé,"${option}"\n`;
      expect(await csv('/v1/reps/import', person), person).to.include({ rejected: 0 });
    }
  });

  it('in the names of stages that say whether a deal is won', async () => {
    for (const [index, stage] of [
      'Closed W\u200bon',
      'Closed \uff37\uff2f\uff2e',
      'Closed\u00a0Lost',
      'No\u00a0decision',
    ].entries())
      await workspace.api.putDeal(`d${index}`, { amount: 100, closeDate: '2026-01-10', repId: people[0], stage });
    const rows = await workspace.sql('select is_won, is_closed from deals where workspace_id = $1 order by deal_id');
    expect(rows.map(({ is_won, is_closed }) => [is_won, is_closed])).to.deep.equal([
      [true, true],
      [true, true],
      [false, true],
      [false, true],
    ]);
  });
});
