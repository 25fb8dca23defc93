import { expect } from 'chai';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Random } from '#test/support/random.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

type Value = string | null;
const names = ['amount', 'stage', 'owner', 'fields.region'] as const;
type Name = (typeof names)[number];
const columns: Record<Name, string> = {
  amount: 'amount',
  stage: 'stage',
  owner: 'owner_id',
  'fields.region': 'region',
};
const pools: Record<Name, readonly Value[]> = {
  amount: ['100', '120', '150'],
  stage: ['Won', 'Lost'],
  owner: ['ann', 'bob'],
  'fields.region': ['North', 'South'],
};

/** What a deal must have: the value of the person if there is one, otherwise the last one of a source. */
class Model {
  readonly value = new Map<Name, Value>();
  readonly corrected = new Map<Name, { reported: Value | undefined }>();

  report(stated: ReadonlyMap<Name, Value>) {
    for (const [name, value] of stated) {
      const correction = this.corrected.get(name);
      if (correction === undefined) this.value.set(name, value);
      else correction.reported = value;
    }
  }

  correct(stated: ReadonlyMap<Name, Value>) {
    for (const [name, value] of stated) {
      if (this.value.get(name) === value) continue;
      this.value.set(name, value);
      if (!this.corrected.has(name)) this.corrected.set(name, { reported: undefined });
    }
  }

  replace(stated: ReadonlyMap<Name, Value>) {
    for (const [name, value] of stated) {
      const correction = this.corrected.get(name);
      if (correction !== undefined && this.value.get(name) !== value) this.corrected.delete(name);
      this.value.set(name, value);
    }
  }

  end(name: Name) {
    const correction = this.corrected.get(name);
    if (correction === undefined) return;
    if (correction.reported !== undefined) this.value.set(name, correction.reported);
    this.corrected.delete(name);
  }

  conflicts(): [string, Value, Value][] {
    return [...this.corrected].flatMap(([name, { reported }]): [string, Value, Value][] => {
      const kept = this.value.get(name) ?? null;
      return reported === undefined || reported === kept ? [] : [[name, kept, reported]];
    });
  }
}

describe('corrected values of deals', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let repIds: Record<string, string>;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    repIds = { ann, bob };
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann, bob]);
  });

  const content = (stated: ReadonlyMap<Name, Value>) =>
    Object.fromEntries([...stated].map(([name, value]) => [columns[name], value]));
  let clock = Date.parse('2026-05-01T00:00:00Z');
  const sync = (stated: ReadonlyMap<Name, Value>) => {
    clock += 60_000;
    const fields = { close_date: '2026-03-02', ...content(stated) };
    return service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      recordReportedDeals(tx, {
        provider: 'crmb',
        deals: [{ id: 'd1', fields, modifiedAt: new Date(clock), deleted: false }],
        fetchedAt: null,
        keepStale: false,
      }),
    );
  };
  const importRow = (stated: ReadonlyMap<Name, Value>, query: string) =>
    api.expect(200, 'POST', `/v1/deals/import?${query}`, {
      deals: [{ dealId: 'd1', fields: { close_date: '2026-03-02', ...content(stated) } }],
    });
  const corrections = async (query = '') =>
    (await api.expect(200, 'GET', `/v1/deal-corrections?dealId=d1${query}`)).corrections as {
      name: string;
      value: Value;
      reported: Value;
      conflict: boolean;
    }[];

  const part = (random: Random, all: boolean) =>
    new Map<Name, Value>(
      names.filter(() => all || random.below(2) === 0).map((name) => [name, random.of(pools[name])]),
    );

  /** One random step on the deal and on its model. */
  async function step(random: Random, model: Model): Promise<string> {
    const kind = random.of([
      'sync',
      'sync',
      'sync',
      'import',
      'import',
      'file',
      'put',
      'person',
      'person',
      'replace',
      'end',
    ]);
    const stated = part(random, ['sync', 'file', 'put'].includes(kind));
    if (kind === 'end') {
      const name = random.of(names);
      await api.expect(200, 'POST', '/v1/deal-corrections/end', { corrections: [{ dealId: 'd1', name }] });
      model.end(name);
      return `end ${name}`;
    }
    if (kind === 'person') {
      await importRow(stated, 'corrections=set');
      model.correct(stated);
    } else if (kind === 'replace') {
      await importRow(stated, 'corrections=replace');
      model.replace(stated);
    } else {
      if (kind === 'sync') await sync(stated);
      else if (kind === 'put')
        await api.expect(200, 'PUT', '/v1/deals/d1', { fields: { close_date: '2026-03-02', ...content(stated) } });
      else await importRow(stated, kind === 'file' ? 'mode=replace' : 'mode=merge');
      model.report(stated);
    }
    return `${kind} ${JSON.stringify([...stated])}`;
  }

  const agree = async (model: Model, steps: readonly string[]) => {
    const { deals } = await api.expect(200, 'GET', '/v1/deals?query=d1');
    const [deal] = deals;
    const shown = {
      amount: String(deal.amount),
      stage: deal.stage,
      owner: deal.repId,
      'fields.region': deal.fields.region,
    };
    const expected = Object.fromEntries([...model.value].map(([name, value]) => [name, value]));
    expect(shown, steps.join('\n')).to.deep.equal({ ...expected, owner: repIds[model.value.get('owner') ?? ''] });
    const found = await corrections();
    expect(found.map(({ name }) => name).sort(), steps.join('\n')).to.deep.equal([...model.corrected.keys()].sort());
    const conflicts = await corrections('&conflicts=true');
    expect(
      conflicts.map(({ name, value, reported }) => [name, value, reported]).sort(),
      steps.join('\n'),
    ).to.deep.equal(model.conflicts().sort());
  };

  for (const seed of [1, 2, 3, 4, 5, 6])
    it(`survive syncs, files and requests in random order, and show exactly the conflicts that exist (${seed})`, async () => {
      const random = new Random(seed);
      const model = new Model();
      const first = part(random, true);
      await sync(first);
      model.report(first);
      const steps: string[] = [];
      for (let count = 0; count < 24; count += 1) {
        steps.push(await step(random, model));
        await agree(model, steps);
      }
    });

  it('survive 20 syncs and imports, and pay what the person says', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['amount', '120']]), 'corrections=set');
    const random = new Random(7);
    for (let count = 0; count < 20; count += 1) {
      const stated = new Map<Name, Value>([
        ['amount', random.of(['100', '150'])],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]);
      await (random.below(2) === 0 ? sync(stated) : importRow(stated, ''));
    }
    await service.waitForCalculations(workspaceId);
    expect((await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total).to.equal(12);
    const [conflict] = await corrections('&conflicts=true');
    expect(conflict).to.include({ name: 'amount', value: '120', conflict: true });
    const end = { corrections: [{ dealId: 'd1', name: 'amount' }] };
    const dry = await api.expect(200, 'POST', '/v1/deal-corrections/end?dryRun=true&effect=true', end);
    const delta = conflict?.reported === '100' ? -2 : 3;
    expect(dry).to.include({ ended: 1, changed: 1, dryRun: true });
    expect(dry.effect.totals).to.deep.equal([{ currency: 'USD', delta }]);
    await api.expect(200, 'POST', '/v1/deal-corrections/end', end);
    await service.waitForCalculations(workspaceId);
    expect((await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total).to.equal(12 + delta);
    expect(await corrections()).to.deep.equal([]);
  });

  it('are listed as conflicts by an import and its dry run', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['owner', 'bob']]), 'corrections=set');
    const row = new Map<Name, Value>([
      ['amount', '150'],
      ['owner', 'ann'],
    ]);
    const dry = await importRow(row, 'dryRun=true');
    expect(dry).to.include({ changed: 1, conflicts: 1 });
    expect(dry.conflicting).to.deep.equal([{ dealId: 'd1', name: 'owner', kept: 'bob', reported: 'ann' }]);
    expect(await corrections('&conflicts=true')).to.deep.equal([]);
    await importRow(row, '');
    expect(await corrections('&conflicts=true')).to.have.length(1);
    expect(await importRow(row, '')).to.include({ changed: 0, unchanged: 1, conflicts: 1 });
  });

  it('return when an import that replaced them is taken back', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['amount', '120']]), 'corrections=set');
    await importRow(new Map([['amount', '150']]), 'corrections=replace');
    expect(await corrections()).to.deep.equal([]);
    const [{ importId }] = (await api.expect(200, 'GET', '/v1/imports')).imports;
    await api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
    expect((await corrections()).map(({ name, value }) => [name, value])).to.deep.equal([['amount', '120']]);
  });
});
