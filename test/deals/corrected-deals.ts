import { expect } from 'chai';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Random } from '#test/support/random.js';
import { type Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

type Value = string | null;
const names = ['amount', 'stage', 'owner', 'fields.region', 'fields.seats'] as const;
type Name = (typeof names)[number];
type Values = ReadonlyMap<Name, Value>;

const columns: Record<Name, string> = {
  amount: 'amount',
  stage: 'stage',
  owner: 'owner_id',
  'fields.region': 'region',
  'fields.seats': 'seats',
};
/** `zed` is nobody's id. */
const pools: Record<Name, readonly Value[]> = {
  amount: ['100', '120', '150'],
  stage: ['Won', 'Lost'],
  owner: ['ann', 'bob', 'zed'],
  'fields.region': ['North', 'South'],
  'fields.seats': ['5', '7'],
};
const closeDate = '2026-03-02';
const ids = ['d1', 'd2', 'd3'] as const;
type Id = (typeof ids)[number];

interface Report {
  readonly value: Value;
  readonly dismissed: boolean;
}

/** A deal as it must be: the value of the person if there is one, otherwise the last one of a source. */
class ModelDeal {
  value = new Map<Name, Value>();
  corrected = new Map<Name, Report | null>();
  state: 'absent' | 'live' | 'deleted' = 'absent';
  /** Whether a CRM has reported the deal since it exists. */
  synced = false;

  report(stated: Values) {
    this.revive();
    for (const [name, value] of stated) {
      const last = this.corrected.get(name);
      if (last === undefined) this.value.set(name, value);
      else if (last?.value !== value) this.corrected.set(name, { value, dismissed: false });
    }
  }

  correct(stated: Values) {
    const before = this.state === 'absent' ? null : new Map(this.value);
    this.revive();
    for (const [name, value] of stated) {
      this.value.set(name, value);
      const isChanged = before !== null && (before.get(name) ?? null) !== value;
      if (isChanged && !this.corrected.has(name)) this.corrected.set(name, null);
    }
  }

  replace(stated: Values) {
    this.revive();
    for (const [name, value] of stated) {
      if ((this.value.get(name) ?? null) !== value) this.corrected.delete(name);
      this.value.set(name, value);
    }
  }

  end(name: Name) {
    const reported = this.corrected.get(name);
    if (this.state !== 'live' || reported === undefined) return;
    if (reported !== null) this.value.set(name, reported.value);
    this.corrected.delete(name);
  }

  dismiss(name: Name) {
    const reported = this.corrected.get(name) as Report;
    this.corrected.set(name, { ...reported, dismissed: true });
  }

  delete() {
    if (this.state === 'live') this.state = 'deleted';
  }

  purge() {
    this.value.clear();
    this.corrected.clear();
    this.state = 'absent';
    this.synced = false;
  }

  /** What the person keeps and the source says, without what has been dismissed. */
  conflicts(): [Name, Value, Value][] {
    if (this.state !== 'live') return [];
    return [...this.corrected].flatMap(([name, reported]): [Name, Value, Value][] => {
      const kept = this.value.get(name) ?? null;
      return reported === null || reported.dismissed || reported.value === kept ? [] : [[name, kept, reported.value]];
    });
  }

  /** What a deleted deal had returns only where a person has corrected it. */
  private revive() {
    if (this.state !== 'live')
      for (const name of [...this.value.keys()]) if (!this.corrected.has(name)) this.value.delete(name);
    this.state = 'live';
  }
}

/** Deals that people correct, sources report and imports change, with the model of what must be stored and listed. */
export class CorrectedDeals {
  readonly steps: string[] = [];
  private readonly deals = new Map(ids.map((id) => [id, new ModelDeal()]));
  /** Modification times of the CRM are later than every deletion. */
  private modifiedAt = Date.now() + 60_000;

  private constructor(
    private readonly service: Service,
    private readonly api: ApiClient,
    private readonly workspaceId: string,
    private readonly repIds: Readonly<Record<string, string>>,
    private readonly random: Random,
  ) {}

  static async create(service: Service, seed: number): Promise<CorrectedDeals> {
    const { api, workspaceId } = await service.workspace();
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann, bob]);
    return new CorrectedDeals(service, api, workspaceId, { ann, bob }, new Random(seed));
  }

  /** One random step, after which what is stored and listed must agree with the model. */
  async step(): Promise<void> {
    const kind = this.random.of(Object.keys(this.kinds) as (keyof typeof this.kinds)[]);
    await this.kinds[kind]();
    await this.agree();
  }

  /** Commission is that of the values that must be stored. */
  async agreeOnCommission(): Promise<void> {
    // Reports are recorded here without the requests that a sync adds.
    await this.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await this.service.waitForCalculations(this.workspaceId);
    const expected = [...this.deals.values()].reduce((sum, { state, value }) => {
      const isPaid =
        state === 'live' && value.get('stage') === 'Won' && ['ann', 'bob'].includes(value.get('owner') ?? '');
      return isPaid ? sum + Number(value.get('amount')) / 10 : sum;
    }, 0);
    const { totals } = await this.api.expect(200, 'GET', '/v1/commissions?period=2026');
    expect(totals.total, this.steps.join('\n')).to.equal(expected);
  }

  private readonly kinds = {
    webhook: () => this.sync(null),
    sync: () => this.sync(new Date()),
    'late sync': () => this.lateSync(),
    'deletion in the CRM': () => this.deleteInCrm(),
    'import of rows': () => this.importRows('mode=merge'),
    'import of a CSV file': () => this.importCsv(''),
    'import of whole deals': () => this.importRows('mode=replace'),
    'put of a key': () => this.put('keep'),
    'put of a person': () => this.put('set'),
    'edit of a person': () => this.importRows('corrections=set'),
    'bulk edit of a person': () => this.bulkEdit(),
    'bulk edit with a file': () => this.importCsv('corrections=set'),
    'import that replaces corrections': () => this.importRows('corrections=replace'),
    'CSV file that replaces corrections': () => this.importCsv('corrections=replace'),
    'end of corrections': () => this.end(),
    dismissal: () => this.dismiss(),
    'dismissal of an earlier conflict': () => this.dismissEarlier(),
    deletion: () => this.delete(),
    purge: () => this.purge(),
  };

  private deal(id: Id): ModelDeal {
    return this.deals.get(id) as ModelDeal;
  }

  private some(): Id[] {
    const chosen = ids.filter(() => this.random.below(2) === 0);
    return chosen.length === 0 ? [this.random.of(ids)] : chosen;
  }

  /** All values, some of them missing. */
  private whole(): Map<Name, Value> {
    const isMissing = (name: Name) => name.startsWith('fields.') && this.random.below(4) === 0;
    return new Map(names.map((name) => [name, isMissing(name) ? null : this.random.of(pools[name])]));
  }

  private part(): Map<Name, Value> {
    const chosen = names.filter(() => this.random.below(2) === 0);
    return new Map(
      (chosen.length === 0 ? ['amount' as const] : chosen).map((name) => [name, this.random.of(pools[name])]),
    );
  }

  /** The same value is written in several ways. */
  private written(name: Name, value: string): string | number {
    if (name === 'amount' && this.random.below(2) === 0) return `${value}.00`;
    return name === 'fields.seats' && this.random.below(2) === 0 ? Number(value) : value;
  }

  private fields(stated: Values): Record<string, string | number> {
    const present = [...stated].flatMap(([name, value]) =>
      value === null ? [] : [[columns[name], this.written(name, value)] as const],
    );
    return { close_date: closeDate, ...Object.fromEntries(present) };
  }

  private note(what: string, id: Id, stated: Values) {
    this.steps.push(`${what} ${id} ${JSON.stringify(Object.fromEntries(stated))}`);
  }

  private record(deals: readonly { id: Id; fields: object; at: Date; deleted: boolean }[], fetchedAt: Date | null) {
    const reported = deals.map(({ id, fields, at, deleted }) => ({
      id,
      fields: fields as Record<string, string>,
      modifiedAt: at,
      deleted,
    }));
    return this.service.running.service.unitOfWork.run(
      { workspaceId: this.workspaceId },
      { lock: 'shared', access: 'write' },
      async (tx) =>
        (await recordReportedDeals(tx, { provider: 'crmb', deals: reported, fetchedAt, keepStale: false })).outcomes,
    );
  }

  private nextTime(): Date {
    this.modifiedAt += 1000;
    return new Date(this.modifiedAt);
  }

  private async sync(fetchedAt: Date | null) {
    const at = this.nextTime();
    const reports = this.some().map((id) => ({ id, stated: this.whole() }));
    await this.record(
      reports.map(({ id, stated }) => ({ id, fields: this.fields(stated), at, deleted: false })),
      fetchedAt,
    );
    for (const { id, stated } of reports) {
      this.note('sync', id, stated);
      this.deal(id).report(stated);
      this.deal(id).synced = true;
    }
  }

  /** A state older than the stored one changes nothing. */
  private async lateSync() {
    const known = ids.filter((id) => this.deal(id).synced);
    if (known.length === 0) return;
    const id = this.random.of(known);
    const stated = this.whole();
    await this.record([{ id, fields: this.fields(stated), at: new Date('2026-01-01'), deleted: false }], null);
    this.note('late sync', id, stated);
  }

  private async deleteInCrm() {
    const id = this.random.of(ids);
    await this.record([{ id, fields: {}, at: this.nextTime(), deleted: true }], null);
    this.steps.push(`deleted in the CRM ${id}`);
    this.deal(id).delete();
  }

  private async importRows(query: string) {
    const isWhole = query === 'mode=replace';
    const rows = this.some().map((id) => ({ id, stated: isWhole ? this.whole() : this.part() }));
    await this.api.expect(200, 'POST', `/v1/deals/import?${query}`, {
      deals: rows.map(({ id, stated }) => ({ dealId: id, fields: this.fields(stated) })),
    });
    for (const { id, stated } of rows) this.apply(query, id, stated);
  }

  private async bulkEdit() {
    const chosen = ids.filter((id) => this.deal(id).state === 'live');
    if (chosen.length === 0) return;
    const stated = new Map([...this.part()].slice(0, 1));
    await this.api.expect(200, 'POST', '/v1/deals/import?corrections=set', {
      deals: chosen.map((id) => ({ dealId: id, fields: this.fields(stated) })),
    });
    for (const id of chosen) this.apply('corrections=set', id, stated);
  }

  private async importCsv(query: string) {
    const rows = this.some().map((id) => ({ id, stated: this.part() }));
    const lines = rows.map(({ id, stated }) => {
      const cells = this.fields(stated);
      return [id, ...['close_date', ...Object.values(columns)].map((column) => cells[column] ?? '')].join(',');
    });
    const text = [['id', 'close_date', ...Object.values(columns)].join(','), ...lines, ''].join('\n');
    await this.api.expect(200, 'POST', `/v1/deals/import?${query}`, text, { 'Content-Type': 'text/csv' });
    for (const { id, stated } of rows) this.apply(query, id, stated);
  }

  private apply(query: string, id: Id, stated: Values) {
    this.note(query === '' ? 'file' : query, id, stated);
    if (query === 'corrections=set') this.deal(id).correct(stated);
    else if (query === 'corrections=replace') this.deal(id).replace(stated);
    else this.deal(id).report(stated);
  }

  private async put(mode: 'keep' | 'set') {
    const id = this.random.of(ids);
    const stated = this.whole();
    const { amount, stage, owner_id: ownerId, close_date: _, ...fields } = this.fields(stated);
    const owner = this.random.below(2) === 0 ? { ownerId } : { ownerEmail: `${ownerId}@x.io` };
    const named = { closeDate, amount, stage, ...(ownerId === 'zed' ? { ownerId } : owner), fields };
    const body = this.random.below(2) === 0 ? named : { fields: this.fields(stated) };
    const { status } = await this.api.send('PUT', `/v1/deals/${id}?corrections=${mode}`, body);
    expect(status).to.be.oneOf([200, 201]);
    this.note(`put ${mode}`, id, stated);
    if (mode === 'set') this.deal(id).correct(stated);
    else this.deal(id).report(stated);
  }

  private async end() {
    const corrections = this.some().map((dealId) => ({ dealId, name: this.random.of(names) }));
    await this.api.expect(200, 'POST', '/v1/deal-corrections/end', { corrections });
    for (const { dealId, name } of corrections) {
      this.steps.push(`end ${dealId} ${name}`);
      this.deal(dealId).end(name);
    }
  }

  private async dismiss() {
    const listed = await this.listed('&conflicts=true');
    if (listed.length === 0) return;
    const { dealId, name, reported } = this.random.of(listed);
    const answer = await this.api.expect(200, 'POST', '/v1/deal-corrections/dismiss', {
      conflicts: [{ dealId, name, reported }],
    });
    expect(answer, this.steps.join('\n')).to.deep.equal({ dismissed: 1 });
    this.steps.push(`dismiss ${dealId} ${name}`);
    this.deal(dealId).dismiss(name);
  }

  /** A value that the source does not report any more dismisses nothing. */
  private async dismissEarlier() {
    const conflicts = ids.flatMap((dealId) => names.map((name) => ({ dealId, name, reported: 'earlier' })));
    const answer = await this.api.expect(200, 'POST', '/v1/deal-corrections/dismiss', { conflicts });
    expect(answer).to.deep.equal({ dismissed: 0 });
  }

  private async delete() {
    const chosen = this.some();
    if (chosen.length === 1) await this.api.expect(200, 'DELETE', `/v1/deals/${chosen[0]}`);
    else await this.api.expect(200, 'POST', '/v1/deals/delete', { dealIds: chosen });
    for (const id of chosen) {
      this.steps.push(`delete ${id}`);
      this.deal(id).delete();
    }
  }

  private async purge() {
    if (this.random.below(4) > 0) return;
    const id = this.random.of(ids);
    await this.api.expect(200, 'DELETE', `/v1/deals/${id}?hard=true`);
    this.steps.push(`purge ${id}`);
    this.deal(id).purge();
  }

  private async listed(query: string) {
    const { corrections } = await this.api.expect(200, 'GET', `/v1/deal-corrections?limit=200${query}`);
    return corrections as { dealId: Id; name: Name; value: unknown; reported: unknown }[];
  }

  private async agree() {
    const because = this.steps.join('\n');
    const { deals } = await this.api.expect(200, 'GET', '/v1/deals');
    const stored = deals.map((deal: Record<string, unknown> & { fields: Record<string, unknown> }) => ({
      id: deal.deal_id,
      amount: read('amount', deal.amount),
      stage: read('stage', deal.stage),
      owner: deal.repId ?? deal.ownerId,
      'fields.region': read('fields.region', deal.fields.region),
      'fields.seats': read('fields.seats', deal.fields.seats),
    }));
    const live = ids.filter((id) => this.deal(id).state === 'live');
    const expected = live.map((id) => {
      const values = Object.fromEntries(names.map((name) => [name, this.deal(id).value.get(name) ?? null]));
      return { id, ...values, owner: this.repIds[values.owner ?? ''] ?? values.owner };
    });
    expect(byId(stored), because).to.deep.equal(expected);
    const corrected = live.flatMap((id) => [...this.deal(id).corrected.keys()].map((name) => `${id} ${name}`));
    expect((await this.listed('')).map(({ dealId, name }) => `${dealId} ${name}`).sort(), because).to.deep.equal(
      corrected.sort(),
    );
    const conflicts = live.flatMap((id) =>
      this.deal(id)
        .conflicts()
        .map((conflict) => [id, ...conflict]),
    );
    const listed = (await this.listed('&conflicts=true')).map(({ dealId, name, value, reported }) => [
      dealId,
      name,
      read(name, value),
      read(name, reported),
    ]);
    expect(listed.sort(), because).to.deep.equal(conflicts.sort());
  }
}

function byId(deals: readonly { readonly id: unknown }[]) {
  return [...deals].sort((one, other) => String(one.id).localeCompare(String(other.id)));
}

/** The value as the pools have it. */
function read(name: Name, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (name === 'owner') return String(value).replace('@x.io', '');
  return name === 'amount' ? String(Number(value)) : String(value);
}
