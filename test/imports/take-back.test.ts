import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Random } from '#test/support/random.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

interface Version {
  readonly number: number;
  /** Null for a deal that does not exist. */
  readonly amount: number | null;
}

interface Import {
  readonly name: string;
  readonly changes: ReadonlyMap<string, { readonly before: number | null; readonly number: number }>;
}

const ids = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'];
const none: Version = { number: 0, amount: null };
/** Odd deals close in January. */
const monthOf = (id: string) => (Number(id.slice(1)) % 2 === 1 ? '2026-01' : '2026-02');

/** What imports, edits and taking back must do to the amounts of deals. */
class Model {
  versions = new Map<string, Version>();
  imports: Import[] = [];
  private taken = new Set<string>();
  private last = 0;

  copy(): Model {
    const copy = new Model();
    copy.versions = new Map(this.versions);
    copy.imports = [...this.imports];
    copy.taken = new Set(this.taken);
    copy.last = this.last;
    return copy;
  }

  private set(id: string, amount: number | null): number {
    this.last += 1;
    this.versions.set(id, { number: this.last, amount });
    return this.last;
  }

  amount(id: string): number | null {
    return (this.versions.get(id) ?? none).amount;
  }

  import(name: string, rows: ReadonlyMap<string, number>) {
    const changed = [...rows].filter(([id, amount]) => this.amount(id) !== amount);
    const changes = changed.map(
      ([id, amount]) => [id, { before: this.amount(id), number: this.set(id, amount) }] as const,
    );
    this.imports.push({ name, changes: new Map(changes) });
  }

  edit(id: string, amount: number | null) {
    if (this.amount(id) !== amount) this.set(id, amount);
  }

  /** Null: it was taken back already. */
  takeBack({ name, changes }: Import) {
    if (this.taken.has(name)) return null;
    this.taken.add(name);
    const listed: string[] = [];
    const done = { restored: 0, removed: 0 };
    for (const [id, { before, number }] of changes) {
      if (this.versions.get(id)?.number !== number) listed.push(id);
      else {
        this.set(id, before);
        done[before === null ? 'removed' : 'restored'] += 1;
      }
    }
    return { ...done, changedSince: listed.sort() };
  }

  amounts(): Record<string, number> {
    return Object.fromEntries(ids.flatMap((id) => (this.amount(id) === null ? [] : [[id, this.amount(id) as number]])));
  }

  earned(month: string): number {
    const amounts = Object.entries(this.amounts()).filter(([id]) => monthOf(id) === month);
    return amounts.reduce((sum, [, amount]) => sum + amount, 0) / 10;
  }
}

describe('taking imports back', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    [ann] = await api.saveReps('Ann');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann]);
  });

  const toDeal = (id: string, amount: number) => ({ amount, stage: 'Won', closeDate: `${monthOf(id)}-15`, repId: ann });
  const send = (name: string, rows: ReadonlyMap<string, number>) =>
    api.expect(200, 'POST', `/v1/deals/import?fileName=${name}`, {
      deals: [...rows].map(([id, amount]) => ({ dealId: id, ...toDeal(id, amount) })),
    });
  const takeBack = async ({ name }: Import, query = '') => {
    const { imports } = await api.expect(200, 'GET', '/v1/imports?limit=200');
    const found = imports.find(({ fileName }: { fileName: string }) => fileName === name);
    const { status, body } = await api.post(`/v1/imports/${found.importId}/take-back${query}`, {});
    if (status === 200) return body;
    expect([status, body.code]).to.deep.equal([409, 'import_not_reversible']);
    return null;
  };
  const stored = async (): Promise<Record<string, number>> => {
    const { deals } = await api.expect(200, 'GET', '/v1/deals?after=');
    return Object.fromEntries(deals.map((deal: { deal_id: string; amount: number }) => [deal.deal_id, deal.amount]));
  };

  async function edit(id: string, amount: number | null, model: Model): Promise<void> {
    if (amount === null && model.amount(id) !== null) await api.expect(200, 'DELETE', `/v1/deals/${id}`);
    else if (amount !== null) await api.putDeal(id, toDeal(id, amount));
    model.edit(id, amount);
  }

  /** An import that runs at the same time comes before or after. */
  async function takeBackDuringImport(random: Random, model: Model, count: number): Promise<Model> {
    const back = random.of(model.imports);
    const rows = randomRows(random);
    const [answer] = await Promise.all([takeBack(back), send(`other${count}`, rows)]);
    const [first, second] = [model.copy(), model.copy()];
    const expected = [first.takeBack(back)];
    first.import(`other${count}`, rows);
    second.import(`other${count}`, rows);
    expected.push(second.takeBack(back));
    const now = JSON.stringify(await stored());
    const order = [first, second].findIndex(
      (each, index) =>
        JSON.stringify(each.amounts()) === now && JSON.stringify(expected[index]) === JSON.stringify(answer),
    );
    expect(order, `${now} ${JSON.stringify(answer)} ${JSON.stringify(expected)}`).to.be.at.least(0);
    return order === 0 ? first : second;
  }

  const randomRows = (random: Random) =>
    new Map(ids.filter(() => random.below(2) === 0).map((id) => [id, 100 * (1 + random.below(5))]));

  async function step(random: Random, model: Model, count: number): Promise<Model> {
    const kind = random.of(['import', 'import', 'edit', 'delete', 'back', 'back', 'twice', 'recalculate', 'during']);
    if (kind === 'import' || model.imports.length === 0) {
      const rows = randomRows(random);
      await send(`file${count}`, rows);
      model.import(`file${count}`, rows);
    } else if (kind === 'edit') await edit(random.of(ids), 50 * (1 + random.below(5)), model);
    else if (kind === 'delete') await edit(random.of(ids), null, model);
    else if (kind === 'recalculate') await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    else if (kind === 'during') return takeBackDuringImport(random, model, count);
    else {
      const back = random.of(model.imports);
      for (let times = kind === 'twice' ? 2 : 1; times > 0; times -= 1) {
        const dry = await takeBack(back, '?dryRun=true');
        const answer = await takeBack(back);
        expect(answer).to.deep.equal(model.takeBack(back));
        expect(dry).to.deep.equal(answer === null ? null : { ...answer, dryRun: true });
      }
    }
    return model;
  }

  for (const seed of [1, 2, 3, 4])
    it(`restores what was not changed since, after any edits, recalculations and approvals (${seed})`, async () => {
      const random = new Random(seed);
      let model = new Model();
      let approved: number | null = null;
      for (let count = 0; count < 24; count += 1) {
        model = await step(random, model, count);
        expect(await stored(), `step ${count}`).to.deep.equal(model.amounts());
        if (count === 10) {
          await service.waitForCalculations(workspaceId);
          await api.generate(ann, '2026-01');
          await api.approve(ann, '2026-01');
          approved = model.earned('2026-01');
        }
      }
      await service.waitForCalculations(workspaceId);
      await service.waitForChecks(workspaceId);
      const february = await api.expect(200, 'GET', '/v1/commissions?period=2026-02');
      expect(february.totals.total).to.equal(model.earned('2026-02'));
      const { statements, totals } = await api.expect(200, 'GET', '/v1/statements?period=2026-01');
      expect([statements[0].status, totals.netPayout]).to.deep.equal(['approved', approved]);
      const { discrepancies } = await api.expect(200, 'GET', '/v1/discrepancies?status=open');
      const open = discrepancies.reduce((sum: number, { delta }: { delta: number }) => sum + delta, 0);
      expect(open).to.equal(model.earned('2026-01') - (approved as number));
      await service.expectSoundLedger(workspaceId);
    });
});
