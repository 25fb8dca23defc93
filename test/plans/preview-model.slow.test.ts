import { config, expect } from 'chai';
import fc from 'fast-check';
import { systemClock } from '#src/kernel/clock.js';
import { Decimal } from '#src/kernel/decimal.js';
import { loadTerms } from '#src/ledger/input/rep-terms.js';
import { workspaceToday } from '#src/people/reps/rep-views.js';
import { dryRunPeriods } from '#src/simulation/period-dry-run.js';
import { arbitraryRun, execute } from '#test/ledger/commands.js';
import { LiveWorld } from '#test/ledger/live-world.js';
import { ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const numRuns = Number(process.env['MODEL_RUNS'] ?? 4);
/** Few histories change no open amount, so a short run repeats known ones. */
const { MODEL_SEED: seed = numRuns < 60 ? 11 : Date.now() % 2 ** 31, MODEL_PATH: path } = process.env;

config.truncateThreshold = 0;

type Sums = Record<string, string>;

const ranges = [
  { from: '1900-01-01', to: '2199-12-31', requested: { from: '1900-01-01', to: '2199-12-31' } },
  { from: '2026-01-01', to: '2026-03-31', requested: { period: '2026-Q1' } },
  { from: '2026-02-01', to: '2026-02-28', requested: { period: '2026-02' } },
];

/** Adds the amount under the key, and leaves out sums that are 0. */
function add(sums: Sums, key: string, amount: string | number, sign = 1): void {
  const value = sign < 0 ? Decimal.of(amount).negated() : Decimal.of(amount);
  const sum = Decimal.of(sums[key] ?? '0').plus(value);
  if (sum.isZero()) delete sums[key];
  else sums[key] = sum.toString();
}

function minus(after: Sums, before: Sums): Sums {
  const moved: Sums = {};
  for (const [key, amount] of Object.entries(after)) add(moved, key, amount);
  for (const [key, amount] of Object.entries(before)) add(moved, key, amount, -1);
  return moved;
}

/** Previews every change of a plan before it is sent, and compares the preview with what the change moves. */
class PreviewingClient extends ApiClient {
  previews = 0;
  moved = 0;
  locked = 0;
  private readonly service: Service;
  private readonly workspaceId: string;

  constructor(service: Service, apiKey: string, workspaceId: string) {
    super(service.url, apiKey);
    this.service = service;
    this.workspaceId = workspaceId;
  }

  override async expect(status: number, method: string, url: string, body?: unknown, headers?: Record<string, string>) {
    const planRef = method === 'PATCH' ? /^\/v1\/plans\/([^/]+)/.exec(url)?.[1] : undefined;
    if (planRef === undefined) return super.expect(status, method, url, body, headers);
    const range = ranges[this.previews % ranges.length] as (typeof ranges)[number];
    this.previews += 1;
    await this.service.waitForCalculations(this.workspaceId);
    const before = await this.state(range);
    const preview = await super.expect(200, 'POST', `/v1/plans/${planRef}/preview`, {
      ...(body as object),
      ...range.requested,
      limit: 500,
    });
    expect(await this.state(range), 'the preview writes nothing').to.deep.equal(before);
    const answer = await super.expect(status, method, url, body, headers);
    await this.service.waitForCalculations(this.workspaceId);
    const after = await this.state(range);
    this.compare(preview, { before, after });
    expect(preview.timeline.map(withoutIds), 'timeline').to.deep.equal(answer.timeline.map(withoutIds));
    expect(preview.overridesDropped, 'overridesDropped').to.deep.equal(answer.overridesDropped ?? []);
    return answer;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a response
  private compare(preview: any, { before, after }: Record<'before' | 'after', { open: Sums; frozen: Sums }>): void {
    const byRep: Sums = {};
    for (const { repId, currency, delta } of preview.byRep) add(byRep, `${repId} ${currency}`, delta);
    const byDeal: Sums = {};
    for (const { repId, currency, delta } of preview.byDeal) add(byDeal, `${repId} ${currency}`, delta);
    const locked: Sums = {};
    for (const { repId, period, currency, delta } of preview.locked)
      add(locked, `${repId} ${period} ${currency}`, delta);
    const moved = minus(after.open, before.open);
    expect(byRep, 'byRep').to.deep.equal(moved);
    expect(byDeal, 'byDeal').to.deep.equal(moved);
    expect(locked, 'locked').to.deep.equal(minus(after.frozen, before.frozen));
    const total: Sums = {};
    for (const { currency, delta } of [preview, ...preview.otherCurrencies]) add(total, currency, delta);
    const expected: Sums = {};
    for (const [key, amount] of Object.entries(moved)) add(expected, key.split(' ')[1] as string, amount);
    expect(total, 'delta').to.deep.equal(expected);
    this.moved += Object.keys(moved).length;
    this.locked += Object.keys(locked).length;
  }

  /** What the ledger has in open periods, and what approved periods would come to. */
  private async state({ from, to }: (typeof ranges)[number]): Promise<{ open: Sums; frozen: Sums }> {
    const { service, workspaceId } = this;
    const rows = await service.sql<{ key: string; amount: string }>(
      `select e.rep_id || ' ' || e.currency as key, trim_scale(e.amount)::text as amount from commission_events e
       where e.workspace_id = $1 and e.kind = 'commission_earned' and e.status = 'earned'
         and e.earned_on between $2 and $3 and not exists (
           select from statement_periods s where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id
             and s.status = 'approved' and e.earned_on between s.from_day and s.to_day)`,
      workspaceId,
      from,
      to,
    );
    const open: Sums = {};
    for (const { key, amount } of rows) add(open, key, amount);
    const frozen: Sums = {};
    await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read' }, async (tx) => {
      const asOf = await workspaceToday(tx, systemClock);
      const reps = await tx.db.selectFrom('reps').select('rep_id').where('workspace_id', '=', workspaceId).execute();
      for (const terms of await loadTerms(
        tx,
        reps.map((rep) => rep.rep_id),
      )) {
        const periods = terms.frozen.filter((one) => one.range.from <= to && one.range.to >= from);
        if (periods.length === 0) continue;
        for (const [period, ofPeriod] of await dryRunPeriods(tx, terms, periods, asOf))
          for (const { currency, amount } of ofPeriod) add(frozen, `${terms.repId} ${period} ${currency}`, amount);
      }
    });
    return { open, frozen };
  }
}

function withoutIds({ version, from, to }: { version: number; from: string | null; to: string | null }) {
  return { version, from, to };
}

describe('a preview compared with the change that it previews', () => {
  const service = Service.duringSuite();

  it(`moves the same amounts in ${numRuns} random histories, approved periods included`, async function () {
    this.timeout(60_000 + numRuns * 60_000);
    const counts = { previews: 0, moved: 0, locked: 0 };
    await fc.assert(
      fc.asyncProperty(arbitraryRun(), async ({ world, commands }) => {
        let client: PreviewingClient | undefined;
        const live = await LiveWorld.create(service, world, ({ apiKey, workspaceId }) => {
          client = new PreviewingClient(service, apiKey, workspaceId);
          return client;
        });
        for (const command of commands) await execute(live, command);
        // One change of every plan that concerns all days, with other terms if the world has any.
        for (let plan = 0; plan < live.planCount; plan += 1)
          await live.patchPlan(plan, null, { config: 1, start: null, end: null });
        counts.previews += client?.previews ?? 0;
        counts.moved += client?.moved ?? 0;
        counts.locked += client?.locked ?? 0;
      }),
      {
        numRuns,
        endOnFailure: true,
        interruptAfterTimeLimit: 30_000 + numRuns * 60_000,
        markInterruptAsFailure: true,
        seed: Number(seed),
        ...(path === undefined ? {} : { path }),
      },
    );
    expect(counts.previews).to.be.greaterThan(numRuns);
    expect(counts.moved).to.be.greaterThan(0);
    if (numRuns >= 60) expect(counts.locked).to.be.greaterThan(0);
  });
});
